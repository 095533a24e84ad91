// The ledger check: runs every rule over all buckets, one range of buckets at a time.
import type { Database, Sql } from '../db/sql.ts';
import { BUCKETS } from '../ids.ts';
import { BREACHES_MAX, type Breach, type Range, type Rule, rules } from './rules.ts';

export type Violation = Breach & { rule: string };

type Options = {
  /** Called after each slice, with the completed share (0 to 1). */
  onSlice?: (done: { share: number; violations: Violation[] }) => void;
  /** Awaited after each query, with its duration in milliseconds. */
  pause?: (ms: number) => Promise<void>;
  signal?: AbortSignal;
  /** The approximate size of the ledger entries in a slice. */
  sliceBytes?: number;
};

/** About 10,000 entries: the longest query takes some hundredths of a second. */
const SLICE_BYTES = 2 ** 20;
const ALL_BUCKETS: Range = { first: 0, last: BUCKETS - 1 };

/** Runs every rule in the snapshot of a transaction. Returns at most 100 violations per rule. */
export async function verifyLedger(tx: Sql): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const rule of rules) violations.push(...(await findBreaches(tx, rule, ALL_BUCKETS)));
  return violations;
}

/**
 * Like `verifyLedger`, but in slices of buckets with a snapshot per query. The result is the same, because each rule concerns one
 * customer only. Memory does not grow with the ledger, and no long snapshot delays vacuum.
 */
export async function verifyInSlices(database: Database, options: Options = {}): Promise<Violation[]> {
  const { onSlice, pause, signal, sliceBytes = SLICE_BYTES } = options;
  const slices = await countSlices(database.sql, sliceBytes);
  const violations: Violation[] = [];
  for (let slice = 0; slice < slices; slice++) {
    const first = Math.floor((slice * BUCKETS) / slices);
    const last = Math.floor(((slice + 1) * BUCKETS) / slices) - 1;
    for (const rule of rules) {
      if (signal?.aborted) return violations;
      const startMs = performance.now();
      const found = await database.transaction((tx) => verifySlice(tx, rule, { first, last }));
      const known = violations.filter((violation) => violation.rule === rule.name).length;
      violations.push(...found.slice(0, BREACHES_MAX - known));
      await pause?.(performance.now() - startMs);
    }
    onSlice?.({ share: (slice + 1) / slices, violations });
  }
  return violations;
}

async function verifySlice(tx: Sql, rule: Rule, range: Range): Promise<Violation[]> {
  // Forces index scans: the planner would read whole tables once per slice. Uses one core, so that requests keep the others. The
  // coordinator of a cluster joins results that have no index.
  await tx`
    select set_config(name, value, true) from (values ('transaction_read_only', 'on'), ('plan_cache_mode', 'force_custom_plan'),
      ('enable_seqscan', 'off'),
      ('enable_hashjoin', case when to_regclass('citus_shards') is null then 'off' else 'on' end), ('enable_mergejoin', 'off'), ('jit', 'off'),
      ('max_parallel_workers_per_gather', '0')) as setting (name, value)`;
  return findBreaches(tx, rule, range);
}

async function findBreaches(tx: Sql, rule: Rule, range: Range): Promise<Violation[]> {
  return (await rule.find(tx, range)).map((breach) => ({ rule: rule.name, ...breach }));
}

async function countSlices(sql: Sql, sliceBytes: number): Promise<number> {
  const [size] = await sql<{ bytes: bigint }>`select pg_relation_size('ledger_entry') as bytes`;
  return Math.min(Math.ceil(Number(size?.bytes) / sliceBytes) || 1, BUCKETS);
}
