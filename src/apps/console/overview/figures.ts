// The figures of the overview, read by the queries of the API and of the metrics.
import { heldByCurrency } from '../../../ledger/transfers/balance.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Bar } from '../../../platform/pages/bar-chart.ts';
import { listAccounts } from '../../../resources/accounts/account.ts';
import { reviewQueue } from '../../../resources/documents/queue.ts';
import { reallocationsPerMinute } from '../../../resources/label-reallocations/rate.ts';
import { countSubscriptions } from '../../../resources/webhooks/backlog.ts';
import type { Service } from '../../service/service.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const HOUR_BARS = 60;
/** The bars of the day: a quarter of an hour each. */
const QUARTER_MINUTES = 15;

export type Figures = Awaited<ReturnType<typeof readFigures>>;

/** Reads the figures that cost an aggregate over many rows. */
export async function readFigures({ database: { sql } }: Pick<Service, 'database'>) {
  const [held, activity, bytes] = await Promise.all([heldByCurrency(sql), readActivity(sql), databaseBytes(sql)]);
  return { held, activity, bytes };
}

/** Reads the figures that are always current. */
export async function readStates({ database: { sql }, verification }: Pick<Service, 'database' | 'verification'>) {
  const [reviews, subscriptions] = await Promise.all([reviewQueue(sql), countSubscriptions(sql)]);
  return { reviews, subscriptions, check: verification.check() };
}

/** The accounts of a sandbox whose clocks are ahead of the machine's. */
export async function accountsAhead({ database, clock }: Pick<Service, 'database' | 'clock'>) {
  if (!clock.aheadMs) return [];
  const accounts = await listAccounts(database.sql);
  return accounts.flatMap(({ id, name }) => {
    const aheadMs = clock.aheadMs?.(id) ?? 0;
    return aheadMs > 0 ? [{ name, aheadMs }] : [];
  });
}

/** Reallocations of the last hour by minute, and of the last day by quarter of an hour. */
async function readActivity(sql: Sql): Promise<{ hour: Bar[]; day: Bar[] }> {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const since = new Date(now - (DAY_MINUTES - 1) * MINUTE_MS);
  const rows = await reallocationsPerMinute(sql, { since, minutes: DAY_MINUTES });
  const byMinute = new Map(rows.map(({ minute, reallocations }) => [minute.getTime(), reallocations]));
  const sum = (fromMs: number, minutes: number) =>
    Array.from({ length: minutes }, (_, index) => byMinute.get(fromMs + index * MINUTE_MS) ?? 0).reduce(
      (one, other) => one + other,
      0,
    );
  const bars = (count: number, minutes: number) =>
    Array.from({ length: count }, (_, index): Bar => {
      const from = now - (count - index) * minutes * MINUTE_MS + MINUTE_MS;
      return { from: new Date(from), value: sum(from, minutes) };
    });
  return { hour: bars(HOUR_BARS, 1), day: bars(DAY_MINUTES / QUARTER_MINUTES, QUARTER_MINUTES) };
}

async function databaseBytes(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ bytes: bigint }>`select pg_database_size(current_database()) as bytes`;
  return row!.bytes;
}
