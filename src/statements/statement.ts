// Statements: what a customer's ledger accounts held and moved in a month.
import { findAccount } from '../accounts/account.ts';
import type { Customer } from '../customers/customer.ts';
import { fragment, type Sql } from '../db/sql.ts';
import { bucketOf, legId } from '../ids.ts';
import { findPositions, justBefore } from '../ledger/past.ts';
import type { StoredTransfer } from '../ledger/transfer.ts';
import type { Month } from './month.ts';

/** `label` undefined: the available balance and all labels. `currency` undefined: all currencies. */
export type Selection = { currency: string | undefined; label: string | undefined };

/** A place in the history of an account: the number of its entries and the balance after them. */
type Place = { sequence: bigint; balance: bigint };

export type StatementAccount = {
  id: string;
  kind: 'available' | 'label';
  currency: string;
  name: string | null;
  opening: Place;
  closing: Place;
};

export type StatementEntry = {
  /** The transfer's id with the leg in the last digit. */
  id: string;
  transferId: string;
  kind: StoredTransfer['kind'];
  reference: string | null;
  created: Date;
  sequence: bigint;
  amount: bigint;
  balance: bigint;
  /** The other side of the transfer: a label, the available balance, or the outside. */
  otherKind: 'label' | 'available' | 'external';
  otherName: string | null;
};

export type Statement = {
  accountName: string;
  customer: Customer;
  month: Month;
  closed: boolean;
  accounts: StatementAccount[];
  /** Reads the entries of an account in the month, oldest first, in pages. Holds no connection between two pages. */
  readEntries(account: StatementAccount): AsyncGenerator<StatementEntry[]>;
};

/** What is in progress when a month ends is committed by then. */
const CLOSED_AFTER_MS = 60_000;
const PAGE_ENTRIES = 500;

/**
 * Opens the statement of a month that has begun. Once it is closed it never changes: entries and their dates do not change, nor does the
 * name of a label, nor that of a customer that ever had money.
 */
export async function openStatement(
  sql: Sql,
  customer: Customer,
  { month, selection, now }: { month: Month; selection: Selection; now: Date },
): Promise<Statement> {
  const account = await findAccount(sql, customer.accountId);
  const accounts = await listAccounts(sql, customer, month, selection);
  const ids = accounts.map(({ id }) => id);
  const [opening, closing] = [
    await findPositions(sql, ids, justBefore(month.from)),
    await findPositions(sql, ids, justBefore(month.before)),
  ].map((positions) => new Map(positions.map((position) => [position.id, position])));
  return {
    accountName: account?.name ?? '',
    customer,
    month,
    closed: now.getTime() >= month.before.getTime() + CLOSED_AFTER_MS,
    accounts: accounts.map((one) => ({ ...one, opening: opening!.get(one.id)!, closing: closing!.get(one.id)! })),
    readEntries: (one) => readEntries(sql, one),
  };
}

/** The accounts that existed in a month, by currency, the available balance first. */
async function listAccounts(sql: Sql, { id }: Customer, { from, before }: Month, { currency, label }: Selection) {
  return sql<Omit<StatementAccount, 'opening' | 'closing'>>`
    select id, kind, currency, name from ledger_account
    where bucket = ${bucketOf(id)} and customer_id = ${id} and kind <> 'external'
      and created < ${before} and (removed is null or greatest(removed, latest) >= ${from})
      ${currency === undefined ? fragment`` : fragment`and currency = ${currency}`}
      ${label === undefined ? fragment`` : fragment`and kind = 'label' and id = ${label}`}
    order by currency, kind, id`;
}

async function* readEntries(sql: Sql, { id, opening, closing }: StatementAccount): AsyncGenerator<StatementEntry[]> {
  const bucket = bucketOf(id);
  for (let after = opening.sequence; after < closing.sequence; ) {
    const size = Math.min(PAGE_ENTRIES, Number(closing.sequence - after));
    const page = await sql<Omit<StatementEntry, 'id'>>`
      select e.transfer_id, t.kind, t.reference, t.created, e.sequence, e.amount, e.balance, o.kind as other_kind, o.name as other_name
      from ledger_entry e
      join transfer t on t.bucket = ${bucket} and t.id = e.transfer_id
      join ledger_account o on o.bucket = ${bucket} and o.id = case when e.amount < 0 then t.to_id else t.from_id end
      where e.bucket = ${bucket} and e.ledger_account_id = ${id}
        and e.sequence > ${after} and e.sequence <= ${after + BigInt(size)}
      order by e.sequence`;
    // A reset of the sandbox deletes them. A statement that ends early must not look complete.
    if (page.length !== size) throw new Error('entries of a statement were deleted while it was read');
    yield page.map((entry) => ({ ...entry, id: legId(entry.transferId, entry.amount < 0n ? 'from' : 'to') }));
    after += BigInt(size);
  }
}
