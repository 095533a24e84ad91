// The usual ledger of an application: one transaction for each request, statement by statement, with both accounts locked in order
// of their ids.
// Writes the same rows as post_transfers, to the same tables.
import { bucketOf } from '../src/core/ids.ts';
import type { Outcome, Transfer } from '../src/ledger/transfers/post.ts';
import type { Sql } from '../src/platform/db/sql.ts';

type Account = {
  id: string;
  accountId: string;
  customerId: string;
  currency: string;
  balance: bigint;
  frozen: boolean;
  removed: Date | null;
  latest: Date | number;
};
type Changed = { balance: bigint; version: bigint };

/** Posts one reallocation in the caller's transaction. */
export async function postByStatements(tx: Sql, transfer: Transfer): Promise<Outcome> {
  const { id, fromId, toId, amount, idempotency } = transfer;
  const bucket = bucketOf(id);
  const [known] = await tx`select 1 from transfer where bucket = ${bucket} and key = ${idempotency?.key}`;
  if (known) return { code: 'replayed', status: 201, resource: transfer.resource };
  const accounts = await tx<Account>`
    select id, account_id, customer_id, currency, balance, frozen, removed, latest from ledger_account
    where bucket = ${bucket} and id = any(${[fromId, toId]}) order by id for no key update`;
  const from = accounts.find((account) => account.id === fromId);
  const to = accounts.find((account) => account.id === toId);
  if (!from || !to || from.removed || to.removed) return { code: 'not_found' };
  if (from.accountId !== transfer.accountId || to.accountId !== transfer.accountId) return { code: 'forbidden' };
  if (from.customerId !== to.customerId) return { code: 'customers' };
  if (from.frozen) return { code: 'frozen' };
  if (from.currency !== transfer.currency || to.currency !== transfer.currency) return { code: 'currency' };
  if (amount === null) return { code: 'invalid' };
  if (from.balance < amount) return { code: 'insufficient', available: from.balance, held: 0n, owed: 0n };

  const created = new Date(Math.max(Date.now(), Number(from.latest), Number(to.latest)));
  const [source] = await tx<Changed>`
    update ledger_account
    set balance = balance - ${amount}, version = version + 1, reallocations_out = reallocations_out + 1, latest = ${created}
    where bucket = ${bucket} and id = ${fromId} returning balance, version`;
  const [target] = await tx<Changed>`
    update ledger_account set balance = balance + ${amount}, version = version + 1, latest = ${created}
    where bucket = ${bucket} and id = ${toId} returning balance, version`;
  await record(tx, transfer, { customerId: from.customerId, created, source: source!, target: target! });
  return { code: 'posted' };
}

async function record(
  tx: Sql,
  transfer: Transfer,
  done: { customerId: string; created: Date; source: Changed; target: Changed },
): Promise<void> {
  const { id, accountId, fromId, toId, amount, currency, event, idempotency } = transfer;
  const { customerId, created, source, target } = done;
  const bucket = bucketOf(id);
  await tx`
    insert into transfer (bucket, id, customer_id, kind, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount,
      currency, created, key, fingerprint)
    values (${bucket}, ${id}, ${customerId}, 'reallocation', ${fromId}, ${toId}, ${source.version}, ${target.version},
      ${source.balance}, ${target.balance}, ${amount}, ${currency}, ${created}, ${idempotency?.key}, ${idempotency?.fingerprint})`;
  await tx`
    insert into event_outbox (bucket, ids, account_id, topic, created)
    values (outbox_bucket(${bucket}), array[[${event.id}], [${customerId}], [${id}]]::uuid[], ${accountId}, ${event.topic}, ${created})`;
}
