// Waits until statements of a database wait for locks.
import type pg from 'pg';
import { bucketOf } from '../../src/core/ids.ts';
import { fragment, type Sql } from '../../src/platform/db/sql.ts';
import { clusterPorts } from '../cluster/databases.ts';
import { idOf } from './http.ts';
import { waitUntil } from './wait.ts';

/** The view of the statements that run: on a cluster the one that includes the workers. */
export const ACTIVITY = clusterPorts ? 'citus_stat_activity' : 'pg_stat_activity';
export const activity = clusterPorts ? fragment`citus_stat_activity` : fragment`pg_stat_activity`;

/** Locks the account of a label in the transaction of a connection. */
export async function lockLabel(client: pg.Client, url: string): Promise<void> {
  await client.query('select 1 from ledger_account where bucket = $1 and id = $2 for update', [bucketOf(idOf(url)), idOf(url)]);
}

/** Locks a customer in the transaction of a connection. */
export async function lockCustomer(client: pg.Client, url: string): Promise<void> {
  await client.query('select 1 from customer where bucket = $1 and id = $2 for update', [bucketOf(idOf(url)), idOf(url)]);
}

/** Waits until exactly this many statements wait for a lock. */
export async function untilWaiting(sql: Sql, count: number): Promise<void> {
  await waitUntil(`${count} statements wait for a lock`, async () => (await countWaiting(sql)) === count);
}

/** The number of statements that wait for a lock. */
export async function countWaiting(sql: Sql): Promise<number> {
  const [row] = await sql<{ waiting: number }>`
    select count(*)::int as waiting from ${activity} where datname = current_database() and wait_event_type = 'Lock'`;
  return row!.waiting;
}
