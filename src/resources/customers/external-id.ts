// The external ids of an account's customers: a directory, because customers with one external id may be in different buckets.
import { hash } from 'node:crypto';
import type { Sql } from '../../platform/db/sql.ts';
import { externalIdTaken } from '../../platform/forms/external.ts';

type Entry = { accountId: string; externalId: string; customerId: string };

/** A bucket has 12 bits. */
const BUCKET_DIGITS = 3;

/** Enters a new customer. Throws Conflict if another customer of the account has the external id. */
export async function takeExternalId(tx: Sql, { accountId, externalId, customerId }: Entry): Promise<void> {
  const bucket = bucketOfExternalId({ accountId, externalId });
  const taken = await tx`
    insert into customer_external_id (bucket, account_id, external_id, customer_id)
    values (${bucket}, ${accountId}, ${externalId}, ${customerId})
    on conflict do nothing
    returning 1`;
  if (taken.length > 0) return;
  const [other] = await tx<{ id: string }>`
    select customer_id as id from customer_external_id
    where bucket = ${bucket} and account_id = ${accountId} and external_id = ${externalId}`;
  throw externalIdTaken({ type: 'customer', id: other!.id });
}

/** Removes the external id of a customer, so that another one may have it. */
export async function freeExternalId(tx: Sql, named: Omit<Entry, 'customerId'>): Promise<void> {
  const { accountId, externalId } = named;
  await tx`
    delete from customer_external_id
    where bucket = ${bucketOfExternalId(named)} and account_id = ${accountId} and external_id = ${externalId}`;
}

/** Finds the customers of an account that have one of these external ids, by external id. */
export async function findByExternalIds(
  sql: Sql,
  accountId: string,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const buckets = Map.groupBy(new Set(externalIds), (externalId) => bucketOfExternalId({ accountId, externalId }));
  for (const [bucket, ids] of buckets) {
    const rows = await sql<{ externalId: string; customerId: string }>`
      select external_id, customer_id from customer_external_id
      where bucket = ${bucket} and account_id = ${accountId} and external_id = any(${ids}::text[])`;
    for (const { externalId, customerId } of rows) found.set(externalId, customerId);
  }
  return found;
}

function bucketOfExternalId({ accountId, externalId }: Omit<Entry, 'customerId'>): number {
  return Number.parseInt(hash('sha256', `${accountId} ${externalId}`, 'hex').slice(0, BUCKET_DIGITS), 16);
}
