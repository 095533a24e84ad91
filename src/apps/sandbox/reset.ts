// Deletes an account's data, and keeps the account and its applications, whose secrets and tokens stay valid.
import { openLog } from '../../ledger/log/transparency-log.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Owned, Removed } from '../../platform/manifest.ts';
import { lockForReset } from '../../platform/sandbox/reset-lock.ts';
import { resources } from '../service/resources.ts';
import type { Service } from '../service/service.ts';

/** Call in a transaction. A concurrent transfer either commits first and is deleted, or fails because its account no longer exists. */
export async function resetAccount(
  tx: Sql,
  service: Pick<Service, 'documents' | 'links' | 'clock'>,
  accountId: string,
): Promise<Removed> {
  await lockForReset(tx, accountId);
  // A log that does not exist cannot be locked: a builder would begin it, and add events that the reset deletes.
  await openLog({ sql: tx }, service, accountId);
  await tx`select 1 from transparency_log where account_id = ${accountId} for update`;
  const customers = await tx<{ bucket: number; id: string }>`
    select bucket, id from customer where account_id = ${accountId} order by bucket, id`;
  const owned: Owned = {
    accountId,
    buckets: [...new Set(customers.map(({ bucket }) => bucket))],
    customers: customers.map(({ id }) => id),
    eraseContent: (tx, document) => service.documents.stores.of(document).erase(tx, document.id, service.clock.now(accountId)),
  };
  await tx`select lock_customers(${customers.map(({ bucket }) => bucket)}, ${owned.customers})`;
  const removed: Removed = { customers: customers.length, labels: 0, transfers: 0, documents: 0, webhookSubscriptions: 0 };
  for (const { reset } of resources.toReversed()) Object.assign(removed, await reset?.run(tx, owned));
  return removed;
}
