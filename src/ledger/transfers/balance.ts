// A customer's balances, and its funding accounts: the available and the external ledger account of each currency.
import { bucketOf, newId } from '../../core/ids.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import { findPositions } from './past.ts';

/** In minor units: what can be spent, what is held of the money that is not on labels, and what is on labels. */
type Balance = { currency: string; available: bigint; held: bigint; labelled: bigint };
type FundingAccounts = { availableId: string; externalId: string };

/** Selects all ledger accounts of a customer. The last condition makes their index usable, and no other statement can take it. */
export const ofCustomer = (customerId: string): Fragment =>
  fragment`bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and created > '-infinity'`;

/**
 * What is held of a `ledger_account a` in a bucket: the stored sum, or that of the holds that have not expired if one has. A job ends
 * expired holds later.
 */
export const heldAt = (bucket: number, now: Date): Fragment => fragment`case when a.held_until <= ${now} then (
    select coalesce(sum(h.amount - h.captured), 0) from hold h
    where h.bucket = ${bucket} and h.ledger_account_id = a.id and h.status = 'pending' and h.captured >= 0 and h.expires > ${now}
  ) else a.held end`;

/** A customer's balance in each currency. */
export async function findBalances(sql: Sql, customerId: string, now: Date): Promise<Balance[]> {
  const accounts = await sql<{ currency: string; kind: string; balance: bigint; held: bigint }>`
    select currency, kind, balance, (${heldAt(bucketOf(customerId), now)})::bigint as held
    from ledger_account a
    where ${ofCustomer(customerId)} and kind <> 'external'
    order by currency`;
  return [...Map.groupBy(accounts, ({ currency }) => currency)].map(([currency, accounts]) => {
    const unlabelled = accounts.find(({ kind }) => kind === 'available');
    const held = unlabelled?.held ?? 0n;
    const labelled = accounts.reduce((sum, { kind, balance }) => sum + (kind === 'label' ? balance : 0n), 0n);
    return { currency, available: (unlabelled?.balance ?? 0n) - held, held, labelled };
  });
}

/** Like `findBalances`, after everything dated at or before a moment. The past has no holds. */
export async function findPastBalances(sql: Sql, customerId: string, at: Date): Promise<Balance[]> {
  const accounts = await sql<{ id: string; currency: string; kind: string }>`
    select id, currency, kind from ledger_account
    where ${ofCustomer(customerId)} and kind <> 'external'
    order by currency`;
  const positions = await findPositions(
    sql,
    accounts.map(({ id }) => id),
    at,
  );
  const then = new Map(positions.map(({ id, balance }) => [id, balance]));
  return [...Map.groupBy(accounts, ({ currency }) => currency)].map(([currency, accounts]) => {
    const sumOf = (kind: string) =>
      accounts.filter((account) => account.kind === kind).reduce((sum, { id }) => sum + (then.get(id) ?? 0n), 0n);
    return { currency, available: sumOf('available'), held: 0n, labelled: sumOf('label') };
  });
}

/** The ids of a customer's funding accounts in a currency, or undefined before the first deposit in it. */
export async function findFundingAccounts(sql: Sql, customerId: string, currency: string): Promise<FundingAccounts | undefined> {
  const rows = await sql<{ id: string; kind: string }>`
    select id, kind from ledger_account
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and currency = ${currency} and kind <> 'label'`;
  const idOf = (kind: string) => rows.find((row) => row.kind === kind)?.id;
  const [availableId, externalId] = [idOf('available'), idOf('external')];
  return availableId && externalId ? { availableId, externalId } : undefined;
}

/**
 * Like `findFundingAccounts`, but opens missing accounts. Returns undefined if the customer does not exist. Locks the customer's row, so
 * that its status cannot change before the accounts are written.
 */
export async function openFundingAccounts(
  sql: Sql,
  customerId: string,
  currency: string,
  now: Date,
): Promise<FundingAccounts | undefined> {
  const bucket = bucketOf(customerId);
  await sql`
    insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, frozen, created)
    select bucket, opened.id, account_id, c.id, opened.kind, ${currency}, status <> 'verified', ${now}
    from (select * from customer where bucket = ${bucket} and id = ${customerId} for share) c,
      unnest(${['available', 'external']}::text[], ${[newId(bucket), newId(bucket)]}::uuid[]) as opened (kind, id)
    on conflict do nothing`;
  return findFundingAccounts(sql, customerId, currency);
}

/** Freezes or unfreezes a customer's ledger accounts. Waits for transfers in flight; refuses all later ones while frozen. */
export async function freezeCustomer(tx: Sql, customerId: string, frozen: boolean): Promise<void> {
  await tx`
    select 1 from ledger_account where ${ofCustomer(customerId)} order by id for no key update`;
  await tx`
    update ledger_account set frozen = ${frozen} where ${ofCustomer(customerId)} and frozen <> ${frozen}`;
}

/** The money that all customers hold, in minor units of each currency. Reads every external account. */
export async function heldByCurrency(sql: Sql): Promise<{ currency: string; held: bigint; customers: number }[]> {
  return sql<{ currency: string; held: bigint; customers: number }>`
    select currency, (-sum(balance))::bigint as held, count(*)::int as customers
    from ledger_account where kind = 'external' group by currency order by currency`;
}

/** What all customers of an account hold in each currency, in minor units. Reads every ledger account. */
export async function totalBalances(sql: Sql, accountId: string): Promise<(Omit<Balance, 'held'> & { customers: number })[]> {
  return sql<Omit<Balance, 'held'> & { customers: number }>`
    select currency, coalesce(sum(balance) filter (where kind = 'available'), 0)::bigint as available,
      coalesce(sum(balance) filter (where kind = 'label'), 0)::bigint as labelled, count(distinct customer_id)::int as customers
    from ledger_account where account_id = ${accountId} and kind <> 'external'
    group by currency order by currency`;
}
