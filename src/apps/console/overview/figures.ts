// The figures of the overview, read by the queries of the API and of the metrics.
import { BY_ACCOUNTS, findSlices } from '../../../ledger/slices.ts';
import type { Database, Sql } from '../../../platform/db/sql.ts';
import type { Bar } from '../../../platform/pages/bar-chart.ts';
import { listAccounts } from '../../../resources/accounts/account.ts';
import { reviewQueue } from '../../../resources/documents/queue.ts';
import { reallocationsPerMinute } from '../../../resources/label-reallocations/rate.ts';
import { countSubscriptions } from '../../../resources/webhooks/backlog.ts';
import type { Service } from '../../service/service.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

export type Figures = Awaited<ReturnType<typeof readFigures>>;

/** Reads the figures that are read from many rows, or files. */
export async function readFigures({ database: { sql } }: Pick<Service, 'database'>) {
  const [hour, bytes] = await Promise.all([readHour(sql), databaseBytes(sql)]);
  return { hour, bytes };
}

/** Whether a page cannot wait until all balances are added up. */
export async function isLarge(database: Database): Promise<boolean> {
  const { ranges } = await findSlices(database, BY_ACCOUNTS);
  return ranges.length > 1;
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

/** Reallocations of the last hour, by minute. */
async function readHour(sql: Sql): Promise<Bar[]> {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const since = new Date(now - (HOUR_MINUTES - 1) * MINUTE_MS);
  const rows = await reallocationsPerMinute(sql, { since, minutes: HOUR_MINUTES });
  const byMinute = new Map(rows.map(({ minute, reallocations }) => [minute.getTime(), reallocations]));
  return Array.from({ length: HOUR_MINUTES }, (_, index): Bar => {
    const from = new Date(since.getTime() + index * MINUTE_MS);
    return { from, value: byMinute.get(from.getTime()) ?? 0 };
  });
}

async function databaseBytes(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ bytes: bigint }>`select pg_database_size(current_database()) as bytes`;
  return row!.bytes;
}
