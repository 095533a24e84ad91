// Deletes an account's data, and keeps the account and its applications, whose secrets and tokens stay valid.
import type { Sql } from '../db/sql.ts';
import type { Service } from '../service.ts';

/** The number of deleted records of each kind. */
type Removed = { customers: number; labels: number; transfers: number; documents: number; webhookSubscriptions: number };

type Key = { bucket: number; id: string };
type Owned = { accountId: string; buckets: number[]; customers: string[] };

/** Call in a transaction. A concurrent transfer either commits first and is deleted, or fails because its account no longer exists. */
export async function resetAccount(tx: Sql, service: Service, accountId: string): Promise<Removed> {
  const customers = await tx<Key>`select bucket, id from customer where account_id = ${accountId} order by bucket, id for update`;
  const owned = {
    accountId,
    buckets: [...new Set(customers.map(({ bucket }) => bucket))],
    customers: customers.map(({ id }) => id),
  };
  const ledger = await removeLedger(tx, owned);
  const documents = await removeDocuments(tx, service, owned);
  await removeOwners(tx, owned);
  const webhookSubscriptions = await removeWebhooks(tx, accountId);
  await removeEvents(tx, owned);
  await tx`delete from idempotency_key where account_id = ${accountId}`;
  await tx`delete from account_clock where account_id = ${accountId}`;
  await tx`delete from planned_fault where account_id = ${accountId}`;
  await tx`delete from customer where bucket = any(${owned.buckets}) and id = any(${owned.customers})`;
  return { customers: customers.length, ...ledger, documents, webhookSubscriptions };
}

/** Locks the accounts first, in the order that transfers lock them. */
async function removeLedger(tx: Sql, { buckets, customers }: Owned): Promise<{ labels: number; transfers: number }> {
  await tx`
    select id from ledger_account where bucket = any(${buckets}) and customer_id = any(${customers})
    order by bucket, id
    for update`;
  const accounts = await tx<Key & { kind: string }>`
    delete from ledger_account where bucket = any(${buckets}) and customer_id = any(${customers})
    returning bucket, id, kind`;
  await tx`
    delete from ledger_entry e
    using unnest(${accounts.map(({ bucket }) => bucket)}::int[], ${accounts.map(({ id }) => id)}::uuid[]) as a (bucket, id)
    where e.bucket = a.bucket and e.ledger_account_id = a.id`;
  const [row] = await tx<{ transfers: bigint }>`
    with removed as (delete from transfer where bucket = any(${buckets}) and customer_id = any(${customers}) returning 1)
    select count(*) as transfers from removed`;
  return { labels: accounts.filter(({ kind }) => kind === 'label').length, transfers: Number(row!.transfers) };
}

async function removeDocuments(
  tx: Sql,
  { documents, clock }: Service,
  { accountId, buckets, customers }: Owned,
): Promise<number> {
  const rows = await tx<Key & { store: 'postgresql' | 's3'; erased: Date | null }>`
    select bucket, id, store, erased from document where bucket = any(${buckets}) and customer_id = any(${customers}) for update`;
  for (const document of rows) {
    if (!document.erased) await documents.stores.of(document).erase(tx, document.id, clock.now(accountId));
  }
  const ids = rows.map(({ id }) => id);
  await tx`delete from document_look where bucket = any(${buckets}) and document_id = any(${ids})`;
  await tx`delete from document_review where bucket = any(${buckets}) and document_id = any(${ids})`;
  await tx`delete from document where bucket = any(${buckets}) and id = any(${ids})`;
  return rows.length;
}

async function removeOwners(tx: Sql, { buckets, customers }: Owned): Promise<void> {
  await tx`delete from beneficial_ownership where bucket = any(${buckets}) and customer_id = any(${customers})`;
  await tx`delete from beneficial_owner where bucket = any(${buckets}) and customer_id = any(${customers})`;
}

/** Deletes due deliveries first, in the lock order of the recorder, and again for those that a worker claimed meanwhile. */
async function removeWebhooks(tx: Sql, accountId: string): Promise<number> {
  await tx`
    delete from webhook_due d using webhook_subscription s
    where s.account_id = ${accountId} and d.bucket = s.bucket and d.subscription_id = s.id`;
  const subscriptions = await tx<Key>`delete from webhook_subscription where account_id = ${accountId} returning bucket, id`;
  const [buckets, ids] = [subscriptions.map(({ bucket }) => bucket), subscriptions.map(({ id }) => id)];
  await tx`delete from webhook_due where bucket = any(${buckets}) and subscription_id = any(${ids})`;
  const webhooks = await tx<Key>`
    delete from webhook where bucket = any(${buckets}) and subscription_id = any(${ids})
    returning bucket, id`;
  const webhookIds = webhooks.map(({ id }) => id);
  await tx`delete from webhook_attempt where bucket = any(${buckets}) and webhook_id = any(${webhookIds})`;
  await tx`delete from webhook_retry where bucket = any(${buckets}) and webhook_id = any(${webhookIds})`;
  return subscriptions.length;
}

/** Locks out settling. The head of the feed stays, so that no position is assigned twice. */
async function removeEvents(tx: Sql, { accountId, buckets, customers }: Owned): Promise<void> {
  await tx`select from event_cursor for update`;
  await tx`delete from event_feed where account_id = ${accountId}`;
  await tx`delete from event where bucket = any(${buckets}) and customer_id = any(${customers})`;
}
