// A customer's balances, and its funding accounts: the available, the external and the owed ledger account of each currency.
import { bucketOf, newId, sortByBucket } from '../../core/ids.ts';
import { bucketArray, uuidArray } from '../../platform/db/binary-array.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { type Database, type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import { BY_ACCOUNTS, readInSlices } from '../slices.ts';
import { findPositions } from './past.ts';

/** In minor units: what can be spent, what is held of the money that is not on labels, what is on labels, and what the customer owes. */
type Balance = { currency: string; available: bigint; held: bigint; labelled: bigint; owed: bigint };
type FundingAccounts = { availableId: string; externalId: string; owedId: string };
type LabelWithExternal = { id: string; accountId: string; customerId: string; currency: string; externalId: string | null };

/** A customer has one of each for a currency, from the first deposit in it. */
const FUNDING_KINDS = ['available', 'external', 'owed'];

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

/** Of each currency: what is not on labels, what is held of it and until when, what is on labels, and what is owed. One text, because it is one row. */
const findSums = lookUp<{ sums: string | null }>(
  ({ bucket, id }) => fragment`
    select string_agg(concat_ws(' ', currency, unlabelled, held, labelled, owed, (date_part('epoch', held_until) * 1e3)::bigint), ',') as sums
    from (
      select currency, coalesce(sum(balance) filter (where kind = 'available'), 0) as unlabelled,
        coalesce(sum(held) filter (where kind = 'available'), 0) as held,
        coalesce(sum(balance) filter (where kind = 'label'), 0) as labelled,
        coalesce(-sum(balance) filter (where kind = 'owed'), 0) as owed,
        min(held_until) filter (where kind = 'available') as held_until
      from ledger_account
      where bucket = ${bucket} and customer_id = ${id} and created > '-infinity' and kind <> 'external'
      group by currency order by currency
    ) c`,
);

/** A customer's balance in each currency. */
export async function findBalances(sql: Sql, customerId: string, now: Date): Promise<Balance[]> {
  const sums = (await findSums(sql, customerId))?.sums?.split(',').map((one) => one.split(' ')) ?? [];
  const hasExpired = sums.some(([, , , , , heldUntilMs]) => Number(heldUntilMs) <= now.getTime());
  const heldNow = hasExpired ? await findHeld(sql, customerId, now) : undefined;
  return sums.map(([currency, unlabelled, stored, labelled, owed]) => {
    const held = heldNow ? (heldNow.get(currency!) ?? 0n) : BigInt(stored!);
    return {
      ...{ currency: currency!, available: BigInt(unlabelled!) - held, held },
      ...{ labelled: BigInt(labelled!), owed: BigInt(owed!) },
    };
  });
}

/** What is held of a customer's money without a label, in each currency, without holds that have expired. */
async function findHeld(sql: Sql, customerId: string, now: Date): Promise<Map<string, bigint>> {
  const rows = await sql<{ currency: string; held: bigint }>`
    select currency, (${heldAt(bucketOf(customerId), now)})::bigint as held
    from ledger_account a
    where ${ofCustomer(customerId)} and kind = 'available'`;
  return new Map(rows.map(({ currency, held }) => [currency, held]));
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
    return { currency, available: sumOf('available'), held: 0n, labelled: sumOf('label'), owed: -sumOf('owed') };
  });
}

/** What a customer owes in a currency. */
export async function findOwed(sql: Sql, customerId: string, currency: string): Promise<bigint> {
  const [row] = await sql<{ balance: bigint }>`
    select balance from ledger_account
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and currency = ${currency} and kind <> 'label' and kind = 'owed'`;
  return -(row?.balance ?? 0n);
}

/** Selects a customer's funding accounts in all currencies as one text, which `fundingAccountsIn` reads: a look-up has one row. */
export const selectFundingAccounts = (bucket: unknown, customerId: unknown): Fragment => fragment`
  select string_agg(concat_ws(' ', currency, kind, id), ',') as accounts from ledger_account
  where bucket = ${bucket} and customer_id = ${customerId} and kind <> 'label'`;

const findAllFundingAccounts = lookUp<{ accounts: string | null }>(({ bucket, id }) => selectFundingAccounts(bucket, id));

/** The ids of a customer's funding accounts in a currency, or undefined before the first deposit in it. */
export async function findFundingAccounts(sql: Sql, customerId: string, currency: string): Promise<FundingAccounts | undefined> {
  const found = await findAllFundingAccounts(sql, customerId);
  return fundingAccountsIn(currency, found?.accounts ?? null);
}

/** Like `findFundingAccounts`, of what was selected. `accounts`: null for a customer who has none. */
export function fundingAccountsIn(currency: string, accounts: string | null): FundingAccounts | undefined {
  const ids = new Map(
    accounts?.split(',').flatMap((account) => {
      const [of, kind, id] = account.split(' ');
      return of === currency ? [[kind, id] as const] : [];
    }),
  );
  const [availableId, externalId, owedId] = FUNDING_KINDS.map((kind) => ids.get(kind));
  return availableId && externalId && owedId ? { availableId, externalId, owedId } : undefined;
}

/**
 * By label: its customer, its currency, and the external account of both. That is null before the first deposit. The kind is compared here:
 * if the statement asked for it, the planner would expect few labels, and compare all of them with all ids.
 */
export async function findExternalAccounts(sql: Sql, labelIds: Set<string>): Promise<Map<string, LabelWithExternal>> {
  const sorted = sortByBucket(labelIds);
  const rows = await sql<LabelWithExternal & { kind: string }>`
    select l.id, l.account_id, l.customer_id, l.currency, e.id as external_id, l.kind
    from unnest(${bucketArray(sorted)}::int[], ${uuidArray(sorted)}::uuid[]) as w (bucket, id)
    join ledger_account l on l.bucket = w.bucket and l.id = w.id
    left join ledger_account e on e.bucket = l.bucket and e.customer_id = l.customer_id and e.currency = l.currency
      and e.kind = 'external' and e.kind <> 'label'`;
  return new Map(rows.filter(({ kind }) => kind === 'label').map((row) => [row.id, row]));
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
      unnest(${FUNDING_KINDS}::text[], ${FUNDING_KINDS.map(() => newId(bucket))}::uuid[]) as opened (kind, id)
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

/** The money that customers hold in a currency, in minor units. Only numeric has room for the sum of all customers. */
export type Held = { currency: string; held: bigint; customers: number };

/** The money that all customers hold, in the order of its currencies. Reads every external account, in slices. */
export async function heldByCurrency(database: Database): Promise<Held[]> {
  const rows = await readInSlices(
    database,
    (tx, { first, last }) => tx<Omit<Held, 'held'> & { held: string }>`
      select currency, (-sum(balance))::text as held, count(*)::int as customers
      from ledger_account
      where bucket between ${first} and ${last} and created > '-infinity' and kind = 'external' and kind <> 'label' group by currency`,
    BY_ACCOUNTS,
  );
  const sums = new Map<string, Held>();
  for (const { currency, held, customers } of rows) {
    const sum = sums.get(currency) ?? { currency, held: 0n, customers: 0 };
    sums.set(currency, { currency, held: sum.held + BigInt(held), customers: sum.customers + customers });
  }
  return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

/** What all customers of an account hold in each currency, in minor units. Reads every ledger account. */
export async function totalBalances(sql: Sql, accountId: string): Promise<(Omit<Balance, 'held'> & { customers: number })[]> {
  const rows = await sql<{ currency: string; available: string; labelled: string; owed: string; customers: number }>`
    select currency, coalesce(sum(balance) filter (where kind = 'available'), 0)::text as available,
      coalesce(sum(balance) filter (where kind = 'label'), 0)::text as labelled,
      coalesce(-sum(balance) filter (where kind = 'owed'), 0)::text as owed, count(distinct customer_id)::int as customers
    from ledger_account where account_id = ${accountId} and kind <> 'external'
    group by currency order by currency`;
  return rows.map(({ currency, customers, ...sums }) => {
    const [available, labelled, owed] = [BigInt(sums.available), BigInt(sums.labelled), BigInt(sums.owed)];
    return { currency, available, labelled, owed, customers };
  });
}
