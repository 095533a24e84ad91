// Rows of an export: the columns of each kind, and the rows of a customer, read account by account.

import { type FormerNames, nameBefore } from '../../../packages/proof/src/former-names.ts';
import { formatAmount } from '../../core/money/money.ts';
import { ofCustomer } from '../../ledger/transfers/balance.ts';
import { type AccountKind, type Entry, readEntries } from '../../ledger/transfers/entries.ts';
import { findPositions, justBefore } from '../../ledger/transfers/past.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { ExportKind } from './choices.ts';

/** `chosen`: text that people chose. `integer`: a count or sequence. Amounts are decimal text, and the same in minor units. */
export type ColumnType = 'text' | 'chosen' | 'integer' | 'minorUnits' | 'time';
export type Cell = string | bigint | Date | null;
export type Row = Cell[];
export type Columns = [name: string, type: ColumnType][];
/** `from`: undefined for everything before `before`. */
type Period = { from: Date | undefined; before: Date };

type Account = { id: string; kind: AccountKind; currency: string; name: string | null };

const PAGE_ACCOUNTS = 500;

export const COLUMNS: Record<ExportKind, Columns> = {
  entries: [
    ['customer', 'text'],
    ['account', 'text'],
    ['accountKind', 'text'],
    ['name', 'chosen'],
    ['sequence', 'integer'],
    ['entry', 'text'],
    ['transfer', 'text'],
    ['kind', 'text'],
    ['created', 'time'],
    ['currency', 'text'],
    ['amount', 'text'],
    ['balance', 'text'],
    ['amountMinor', 'minorUnits'],
    ['balanceMinor', 'minorUnits'],
    ['reference', 'chosen'],
    ['correlationId', 'chosen'],
    ['externalId', 'chosen'],
  ],
  transfers: [
    ['customer', 'text'],
    ['transfer', 'text'],
    ['kind', 'text'],
    ['created', 'time'],
    ['fromAccount', 'text'],
    ['fromKind', 'text'],
    ['toAccount', 'text'],
    ['toKind', 'text'],
    ['currency', 'text'],
    ['amount', 'text'],
    ['amountMinor', 'minorUnits'],
    ['reference', 'chosen'],
    ['correlationId', 'chosen'],
    ['externalId', 'chosen'],
  ],
  balances: [
    ['customer', 'text'],
    ['account', 'text'],
    ['accountKind', 'text'],
    ['name', 'chosen'],
    ['entries', 'integer'],
    ['currency', 'text'],
    ['balance', 'text'],
    ['balanceMinor', 'minorUnits'],
  ],
};

/** Yields the rows of a customer in pages: of entries and transfers those dated in the period, of balances those at its end. */
export async function* rowsOf(sql: Sql, kind: ExportKind, customer: string, { from, before }: Period): AsyncGenerator<Row[]> {
  for await (const accounts of accountsOf(sql, customer, before)) {
    const ids = accounts.map(({ id }) => id);
    const closing = new Map((await findPositions(sql, ids, justBefore(before))).map((position) => [position.id, position]));
    if (kind === 'balances') {
      yield accounts.map((account) => {
        const { sequence, balance } = closing.get(account.id)!;
        const { value } = formatAmount(balance, account.currency);
        return [customer, account.id, account.kind, account.name, sequence, account.currency, value, balance];
      });
      continue;
    }
    const opening = new Map(
      (from ? await findPositions(sql, ids, justBefore(from)) : []).map(({ id, sequence }) => [id, sequence]),
    );
    const rowOf = kind === 'entries' ? entryRow : transferRow;
    for (const account of accounts) {
      const range = { first: opening.get(account.id) ?? 0n, last: closing.get(account.id)!.sequence };
      for await (const entries of readEntries(sql, account.id, range, before))
        yield entries.map((entry) => rowOf(customer, account, entry)).filter((row) => row !== undefined);
    }
  }
}

/** The ledger accounts of a customer that existed before a moment, in pages. Most customers have never owed anything. */
async function* accountsOf(sql: Sql, customer: string, before: Date): AsyncGenerator<Account[]> {
  const rows = await sql<Account & { formerNames: FormerNames | null }>`
    select id, kind, currency, name, former_names from ledger_account
    where ${ofCustomer(customer)} and created < ${before} and (kind <> 'owed' or version > 0)
    order by currency, kind, id`;
  const accounts = rows.map(({ formerNames, ...row }) => ({
    ...row,
    name: nameBefore({ ...row, formerNames }, before.toISOString()),
  }));
  for (let at = 0; at < accounts.length; at += PAGE_ACCOUNTS) yield accounts.slice(at, at + PAGE_ACCOUNTS);
}

function entryRow(customer: string, { id, kind, name, currency }: Account, entry: Entry): Row {
  const { sequence, transferId, created, amount, balance, reference, correlationId, externalId } = entry;
  const value = (minorUnits: bigint) => formatAmount(minorUnits, currency).value;
  return [
    ...[customer, id, kind, name, sequence, entry.id, transferId, entry.kind, created],
    ...[currency, value(amount), value(balance), amount, balance, reference, correlationId, externalId],
  ];
}

/** Each transfer is one row, from the entry of the account that the money left. */
function transferRow(customer: string, { id, kind, currency }: Account, entry: Entry): Row | undefined {
  const { transferId, created, amount, otherId, otherKind, reference, correlationId, externalId } = entry;
  if (amount > 0n) return undefined;
  return [
    ...[customer, transferId, entry.kind, created, id, kind, otherId, otherKind],
    ...[currency, formatAmount(-amount, currency).value, -amount, reference, correlationId, externalId],
  ];
}
