// The ledger account whose money a hold keeps: its lock, and what is held of it.
import { bucketOf } from '../../core/ids.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import type { Sql } from '../../platform/db/sql.ts';

/** `moment`: now, or the time of the last entry if that is later. Amounts are in minor units. */
export type HeldAccount = {
  id: string;
  accountId: string;
  customerId: string;
  currency: string;
  balance: bigint;
  held: bigint;
  frozen: boolean;
  removed: Date | null;
  moment: Date;
};

/** Locks a ledger account as post_transfers does, and ends the holds on it that have expired. Every change of a hold begins with it. */
export async function lockAccount(tx: Sql, id: string, now: Date): Promise<HeldAccount | undefined> {
  const account = await lock(tx, id, now);
  if (!account?.isDue) return account;
  await endExpired(tx, account);
  return lock(tx, id, now);
}

async function lock(tx: Sql, id: string, now: Date): Promise<(HeldAccount & { isDue: boolean }) | undefined> {
  const [account] = await tx<HeldAccount & { isDue: boolean }>`
    select id, account_id, customer_id, currency, balance, held, frozen, removed, greatest(latest, ${now}) as moment,
      coalesce(held_until <= greatest(latest, ${now}), false) as is_due
    from ledger_account where bucket = ${bucketOf(id)} and id = ${id} for no key update`;
  return account;
}

async function endExpired(tx: Sql, account: HeldAccount): Promise<void> {
  const { id, accountId, customerId, moment } = account;
  const bucket = bucketOf(id);
  const expired = await tx<{ id: string; expires: Date; rest: bigint }>`
    update hold set status = 'expired', closed = expires
    where bucket = ${bucket} and ledger_account_id = ${id} and status = 'pending' and captured >= 0 and expires <= ${moment}
    returning id, expires, amount - captured as rest`;
  await free(
    tx,
    id,
    expired.reduce((sum, { rest }) => sum + rest, 0n),
  );
  for (const hold of expired.toSorted((a, b) => a.expires.getTime() - b.expires.getTime())) {
    await writeEvent(tx, { bucket, accountId, customerId, topic: 'customer_hold_expired', resourceId: hold.id }, moment);
  }
}

/** Locks ledger accounts of one customer in the order of post_transfers, before `lockAccount` locks each. */
export async function lockInOrder(tx: Sql, ids: readonly [string, ...string[]]): Promise<void> {
  await tx`
    select 1 from ledger_account where bucket = ${bucketOf(ids[0])} and id = any (${ids}) order by id for no key update`;
}

/** Takes an amount off what is held, after the rows of its holds were changed. */
export async function free(tx: Sql, id: string, amount: bigint): Promise<void> {
  const bucket = bucketOf(id);
  const [next] = await tx<{ until: Date | null }>`
    select min(expires) as until from hold
    where bucket = ${bucket} and ledger_account_id = ${id} and status = 'pending' and captured >= 0`;
  await tx`
    update ledger_account set held = held - ${amount}, held_until = ${next!.until} where bucket = ${bucket} and id = ${id}`;
}
