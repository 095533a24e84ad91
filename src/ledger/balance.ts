// A customer's own ledger accounts beside the labels (available and external, one of each a currency), and what they hold.

import type { Sql } from '../db/sql.ts';
import { bucketOf, newId } from '../ids.ts';

export type Balance = { currency: string; available: bigint; labelled: bigint };
export type OwnAccounts = { availableId: string; externalId: string };

/** What a customer holds in each currency, in minor units: without a label, and on labels. */
export async function findBalances(sql: Sql, customerId: string): Promise<Balance[]> {
  return sql<Balance>`
    select currency, coalesce(sum(balance) filter (where kind = 'available'), 0)::bigint as available,
      coalesce(sum(balance) filter (where kind = 'label'), 0)::bigint as labelled
    from ledger_account
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and kind <> 'external'
    group by currency
    order by currency`;
}

/** The ids of a customer's own accounts in a currency, or undefined before any money of it came in. */
export async function findOwnAccounts(sql: Sql, customerId: string, currency: string): Promise<OwnAccounts | undefined> {
  const rows = await sql<{ id: string; kind: string }>`
    select id, kind from ledger_account
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and currency = ${currency} and kind <> 'label'`;
  const idOf = (kind: string) => rows.find((row) => row.kind === kind)?.id;
  const [availableId, externalId] = [idOf('available'), idOf('external')];
  return availableId && externalId ? { availableId, externalId } : undefined;
}

/**
 * The same, opening the accounts where they are missing; undefined where the customer is. Its row is locked, so that a change of status
 * cannot slip between.
 */
export async function openOwnAccounts(
  sql: Sql,
  customerId: string,
  currency: string,
  now: Date,
): Promise<OwnAccounts | undefined> {
  const bucket = bucketOf(customerId);
  await sql`
    insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, frozen, created)
    select bucket, own.id, account_id, c.id, own.kind, ${currency}, status <> 'verified', ${now}
    from (select * from customer where bucket = ${bucket} and id = ${customerId} for share) c,
      unnest(${['available', 'external']}::text[], ${[newId(bucket), newId(bucket)]}::uuid[]) as own (kind, id)
    on conflict do nothing`;
  return findOwnAccounts(sql, customerId, currency);
}

/** Stops or allows the movement of a customer's money. Transfers under way are committed before, all later ones are refused. */
export async function freezeCustomer(tx: Sql, customerId: string, frozen: boolean): Promise<void> {
  const bucket = bucketOf(customerId);
  await tx`
    select 1 from ledger_account where bucket = ${bucket} and customer_id = ${customerId} order by id for no key update`;
  await tx`
    update ledger_account set frozen = ${frozen} where bucket = ${bucket} and customer_id = ${customerId} and frozen <> ${frozen}`;
}
