// Finds the customers whose schedules are due, and runs them in a loop. Several processes may do so at the same time.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { FIRST_ID } from '../../core/ids.ts';
import { startLoop } from '../../core/loop.ts';
import type { Groups } from '../../platform/db/groups.ts';
import { type Database, fragment, type Sql } from '../../platform/db/sql.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { runCustomer } from './run.ts';

type Tools = { clock: Clock; database: Database; groups: Groups };
/** `onError`: called for each customer whose occurrences fail; the others run. `signal`: ends the run after the current transactions. */
type RunOptions = { onError: (error: unknown) => void; accountId?: string; signal?: AbortSignal };

const POLL_MS = 1_000;
const CUSTOMERS_MAX = 200;
/** The transactions that a process runs at a time. */
const AT_A_TIME = 4;

/** Runs what is due of an account, or of all accounts, by their clocks. */
export async function runSchedules(service: Tools, { onError, accountId, signal }: RunOptions): Promise<void> {
  const { clock, database } = service;
  const everyone = clock.aheadMs ? await accountsWithSchedules(database.sql) : [undefined];
  for (const account of accountId === undefined ? everyone : [accountId]) {
    const now = () => clock.now(account);
    let after = FIRST_ID;
    for (let customers: string[] = []; ; after = customers.at(-1)!) {
      customers = await findDue(database.sql, { now: now(), account, after });
      await Promise.all(Array.from({ length: AT_A_TIME }, (_, lane) => runLane(lane, customers, now)));
      if (customers.length < CUSTOMERS_MAX || signal?.aborted) break;
    }
  }

  async function runLane(lane: number, customers: string[], now: () => Date): Promise<void> {
    for (let index = lane; index < customers.length; index += AT_A_TIME) {
      await runAll(customers[index]!, now).catch(onError);
    }
  }

  async function runAll(customerId: string, now: () => Date): Promise<void> {
    while (!signal?.aborted && (await runCustomer(service, customerId, now)));
  }
}

/** Customers with schedules that are due, in the order of their ids. */
async function findDue(
  sql: Sql,
  { now, account, after }: { now: Date; account: string | undefined; after: string },
): Promise<string[]> {
  const rows = await sql<{ customerId: string }>`
    select distinct customer_id from schedule
    where status = 'active' and next <= ${now} and customer_id > ${after}
      ${account === undefined ? fragment`` : fragment`and account_id is not distinct from ${account}`}
    order by customer_id limit ${CUSTOMERS_MAX}`;
  return rows.map(({ customerId }) => customerId);
}

/** The time of the next occurrence of all schedules, for metrics: it is late if it has passed. */
export async function oldestDue(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<{ oldest: Date | null }>`select min(next) as oldest from schedule where status = 'active'`;
  return row?.oldest ?? undefined;
}

/** In a sandbox, the clock of each account may be ahead. */
async function accountsWithSchedules(sql: Sql): Promise<string[]> {
  const rows = await sql<{ accountId: string }>`select distinct account_id from schedule where status = 'active'`;
  return rows.map(({ accountId }) => accountId);
}

export function startSchedules(tools: Tools & { log: FastifyBaseLogger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const onError = openOutage(tools.log, 'schedules cannot run').note;
  const loop = startLoop({
    pollMs: () => POLL_MS,
    async step() {
      await runSchedules(tools, { onError, signal: stopping.signal });
      return false;
    },
    onError,
    signal: stopping.signal,
  });
  return {
    async stop() {
      stopping.abort();
      await loop.ended;
    },
  };
}
