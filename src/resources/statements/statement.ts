// Statements: what a customer's ledger accounts held and moved in a month.

import { type FormerNames, nameBefore } from '../../../packages/proof/src/former-names.ts';
import { ofCustomer } from '../../ledger/transfers/balance.ts';
import { type Entry, readEntries } from '../../ledger/transfers/entries.ts';
import { findPositions, justBefore } from '../../ledger/transfers/past.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { findAccount } from '../accounts/account.ts';
import type { Customer } from '../customers/customer.ts';
import type { Month } from './month.ts';

/** `label` undefined: all accounts of the customer. `currency` undefined: all currencies. */
export type Selection = { currency: string | undefined; label: string | undefined };

/** A place in the history of an account: the number of its entries and the balance after them. */
type Place = { sequence: bigint; balance: bigint };

export type StatementAccount = {
  id: string;
  kind: 'available' | 'label' | 'owed';
  currency: string;
  name: string | null;
  opening: Place;
  closing: Place;
};

export type Statement = {
  accountName: string;
  customer: Customer;
  month: Month;
  closed: boolean;
  accounts: StatementAccount[];
  /** Reads the entries of an account in the month, oldest first, in pages. Holds no connection between two pages. */
  readEntries(account: StatementAccount): AsyncGenerator<Entry[]>;
};

/** What is in progress when a month ends is committed by then. */
const CLOSED_AFTER_MS = 60_000;

/**
 * Opens the statement of a month that has begun. Once it is closed it never changes: entries and their dates do not change, nor does the
 * name of a customer that ever had money. A label has the name that it had at the end of the month.
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
    // What is available or owed begins with its first entry, whenever its account was opened.
    accounts: accounts
      .map((one) => ({ ...one, opening: opening!.get(one.id)!, closing: closing!.get(one.id)! }))
      .filter(({ kind, closing }) => kind === 'label' || closing.sequence > 0n),
    readEntries: ({ id, opening, closing }) =>
      readEntries(sql, id, { first: opening.sequence, last: closing.sequence }, month.before),
  };
}

/** The accounts that existed in a month, by currency: the available balance, the labels, and what is owed. */
async function listAccounts(sql: Sql, { id }: Customer, { from, before }: Month, { currency, label }: Selection) {
  const accounts = await sql<Omit<StatementAccount, 'opening' | 'closing'> & { formerNames: FormerNames | null }>`
    select id, kind, currency, name, former_names from ledger_account
    where ${ofCustomer(id)} and kind <> 'external'
      and created < ${before} and (removed is null or greatest(removed, latest) >= ${from})
      ${currency === undefined ? fragment`` : fragment`and currency = ${currency}`}
      ${label === undefined ? fragment`` : fragment`and kind = 'label' and id is not distinct from ${label}`}
    order by currency, kind, id`;
  return accounts.map(({ formerNames, ...account }) => ({
    ...account,
    name: nameBefore({ ...account, formerNames }, before.toISOString()),
  }));
}
