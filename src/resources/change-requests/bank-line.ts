// A line of a bank is recorded once in an account, whoever its customer is. Its id is the external id of the deposit or the withdrawal.
import { refuse } from '../../core/problems.ts';
import { searchTransfers } from '../../ledger/transfers/transfer-search.ts';
import { lockName } from '../../platform/db/name-lock.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { findCustomer } from '../customers/customer.ts';
import type { Move } from '../moves/move.ts';
import { listOpenRequests } from './change-request.ts';

type Asked = { id: string; key: string };

/** More transfers of an account do not have one external id: it is that of one for each customer and kind. */
const SAME_MAX = 100;

/**
 * Runs what records a line, if it is neither recorded nor asked for. Whoever else wants to record it waits, and is refused. `key`: of the
 * request itself. Other moves run at once.
 */
export async function recordOnce<T>(
  { database }: { database: Pick<Database, 'transaction'> },
  accountId: string,
  { move, key }: { move: Move; key?: string },
  record: () => Promise<T>,
): Promise<T> {
  const line = lineOf(move);
  if (line === undefined) return record();
  return database.transaction(async (tx) => {
    await lockName(tx, `line ${accountId} ${line}`);
    await requireUnrecorded(tx, accountId, { move, key });
    return record();
  });
}

/** Requests to record a line that wait for a second person or for the ledger, by the id of the line. */
export async function listAskedLines(sql: Sql, accountId: string): Promise<Map<string, Asked>> {
  const asked = new Map<string, Asked>();
  for (const { id, wanted } of await listOpenRequests(sql)) {
    if (wanted.kind !== 'move_money') continue;
    const line = lineOf(wanted.move);
    if (line === undefined) continue;
    if ((await findCustomer(sql, wanted.customerId))?.accountId === accountId) asked.set(line, { id, key: wanted.key });
  }
  return asked;
}

/** Refuses to record a line that is recorded, or that another request asks for. `key`: of the request itself. */
export async function requireUnrecorded(sql: Sql, accountId: string, { move, key }: { move: Move; key?: string }): Promise<void> {
  const line = lineOf(move);
  if (line === undefined) return;
  const ever = { from: undefined, before: undefined };
  const found = await searchTransfers(sql, { ...ever, accountId, externalId: line, limit: SAME_MAX });
  if (found === 'tooMany' || (typeof found === 'object' && found.transfers.some(({ kind }) => isRecord(kind))))
    throw refuse('conflict', { message: 'This line of the bank is recorded already.' });
  const asked = (await listAskedLines(sql, accountId)).get(line);
  if (asked && asked.key !== key)
    throw refuse('conflict', { message: 'Somebody has asked to record this line of the bank already.' });
}

/** Of the moves of people, only those of lines of a bank have an external id and record money that entered or left. */
function lineOf(move: Move): string | undefined {
  return isRecord(move.kind) ? move.externalId : undefined;
}

function isRecord(kind: string): boolean {
  return kind === 'deposit' || kind === 'withdrawal';
}
