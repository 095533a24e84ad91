// A page of the entries of an account, newest first, as the addresses of ledgers name it.
import { type EntryFilter, findEntries } from '../../../ledger/transfers/entry-search.ts';
import { findSequences, type Period } from '../../../ledger/transfers/past.ts';
import type { Sql } from '../../../platform/db/sql.ts';

const SEQUENCE = /^\d{1,15}$/;

/** The number of the first entry of a page, if the address has one. */
export function readUpTo(query: URLSearchParams): string | undefined {
  return [query.get('upTo') ?? ''].find((text) => SEQUENCE.test(text));
}

/** `upTo`: as `readUpTo` returns it; without it from the newest entry of the period on. */
export async function findEntryPage(
  sql: Sql,
  account: { id: string; version: bigint },
  { filter, limit, upTo }: { filter: EntryFilter & Period; limit: number; upTo: string | undefined },
): ReturnType<typeof findEntries> {
  const { first, last } = await findSequences(sql, account, filter);
  const range = { first, last: upTo !== undefined && BigInt(upTo) < last ? BigInt(upTo) : last };
  return findEntries(sql, account.id, range, { filter, limit, order: 'newest' });
}
