// Ends holds that have expired, and reports them. Their money is available from the moment of expiry on, whether this runs or not.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { startLoop } from '../../core/loop.ts';
import type { Groups } from '../../platform/db/groups.ts';
import { type Database, fragment, type Sql } from '../../platform/db/sql.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { lockAccount } from './held-account.ts';

type Tools = { clock: Clock; database: Database; groups: Groups };

const POLL_MS = 1_000;
const ACCOUNTS_MAX = 200;

/** Ends the expired holds of an account, or of all accounts, by their clocks. Returns whether there may be more. */
export async function expireHolds(service: Tools, accountId?: string): Promise<boolean> {
  const { clock, database, groups } = service;
  const everyone = clock.aheadMs ? await accountsWithHolds(database.sql) : [undefined];
  let hasMore = false;
  for (const account of accountId === undefined ? everyone : [accountId]) {
    const now = clock.now(account);
    const due = await findDue(database.sql, now, account);
    for (const id of due) await groups.near(bucketOf(id)).transaction((tx) => lockAccount(tx, id, now));
    hasMore ||= due.length === ACCOUNTS_MAX;
  }
  return hasMore;
}

/** Ledger accounts with holds that have expired, oldest first. */
async function findDue(sql: Sql, now: Date, accountId: string | undefined): Promise<string[]> {
  const rows = await sql<{ ledgerAccountId: string }>`
    select distinct ledger_account_id from (
      select ledger_account_id from hold
      where status = 'pending' and amount > 0 and expires <= ${now}
        ${accountId === undefined ? fragment`` : fragment`and account_id is not distinct from ${accountId}`}
      order by expires limit ${ACCOUNTS_MAX}
    ) due`;
  return rows.map(({ ledgerAccountId }) => ledgerAccountId);
}

/** In a sandbox, the clock of each account may be ahead. */
async function accountsWithHolds(sql: Sql): Promise<string[]> {
  const rows = await sql<{ accountId: string }>`select distinct account_id from hold where status = 'pending' and amount > 0`;
  return rows.map(({ accountId }) => accountId);
}

/** Starts to end expired holds. Several processes may do so at the same time. */
export function startExpiring(tools: Tools & { log: FastifyBaseLogger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loop = startLoop({
    pollMs: () => POLL_MS,
    step: () => expireHolds(tools),
    onError: openOutage(tools.log, 'expired holds cannot be ended').note,
    signal: stopping.signal,
  });
  return {
    async stop() {
      stopping.abort();
      await loop.ended;
    },
  };
}
