// Limits of what one person moves: above them a second person confirms. Queries.
import type { Sql } from '../../platform/db/sql.ts';
import { amountOf, type Move } from './move.ts';

/** `amount`: in minor units; above it a second person confirms. */
export type MoveLimit = { currency: string; amount: bigint };

export async function listMoveLimits(sql: Sql, accountId: string): Promise<MoveLimit[]> {
  return sql<MoveLimit>`select currency, amount from move_limit where account_id = ${accountId} order by currency`;
}

export async function findMoveLimit(sql: Sql, accountId: string, currency: string): Promise<bigint | undefined> {
  const [limit] = await sql<{ amount: bigint }>`
    select amount from move_limit where account_id = ${accountId} and currency = ${currency}`;
  return limit?.amount;
}

/** The limit that a move is above; undefined if one person may make it. */
export async function limitBelow(sql: Sql, accountId: string, move: Pick<Move, 'amount'>): Promise<bigint | undefined> {
  const limit = await findMoveLimit(sql, accountId, move.amount.currency);
  return limit !== undefined && amountOf(move) > limit ? limit : undefined;
}

/** `amount`: null removes the limit. */
export async function saveMoveLimit(
  tx: Sql,
  accountId: string,
  { currency, amount }: { currency: string; amount: bigint | null },
): Promise<void> {
  if (amount === null) {
    await tx`delete from move_limit where account_id = ${accountId} and currency = ${currency}`;
    return;
  }
  await tx`
    insert into move_limit (account_id, currency, amount) values (${accountId}, ${currency}, ${amount})
    on conflict (account_id, currency) do update set amount = excluded.amount`;
}
