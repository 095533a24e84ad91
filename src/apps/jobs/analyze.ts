// Analyses tables when they grow. Autovacuum looks once a minute at best, and an external server may run without it.
import type { FastifyBaseLogger } from 'fastify';
import { startLoop } from '../../core/loop.ts';
import { findPlacement } from '../../platform/db/find-placement.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';

/**
 * Doubled after each look: a growing table passes the next number of rows ten times as late, and a look connects to each server of a
 * cluster.
 */
const PAUSE_MS = { first: 2_000, most: 30_000 };

/**
 * Analyses the tables of one server that have passed 500, 5,000 or 50,000 rows since they were analysed, and those of 500 rows that never
 * were. Skips tables that another process is analysing, and those that this role may not analyse.
 */
const ANALYZE_GROWN = `do $analyze$
declare
  grown regclass;
begin
  for grown in
    select c.oid::regclass
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where (pg_has_role(c.relowner, 'usage')
        or exists (select from pg_roles r where r.rolname = 'pg_maintain' and pg_has_role(r.oid, 'usage')))
      and exists (
        select from unnest(array[500, 5000, 50000]) as passed
        where s.n_live_tup >= passed
          and (c.reltuples < passed and s.n_mod_since_analyze >= passed / 2 or coalesce(s.last_analyze, s.last_autoanalyze) is null)
      )
  loop
    execute format('analyze (skip_locked) %s', grown);
  end loop;
end
$analyze$`;

/** Starts to look for grown tables, on every server of a cluster. */
export function startAnalyzing({ sql, log }: { sql: Sql; log: FastifyBaseLogger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let looks = 0;
  const loop = startLoop({
    pollMs: () => Math.min(PAUSE_MS.first * 2 ** looks++, PAUSE_MS.most),
    async step() {
      const { runEverywhere } = await findPlacement(sql);
      await runEverywhere(ANALYZE_GROWN);
      return false;
    },
    onError: openOutage(log, 'grown tables cannot be analysed').note,
    signal: stopping.signal,
  });
  return {
    async stop() {
      stopping.abort();
      await loop.ended;
    },
  };
}
