// Removes a label without money.
import { bucketOf } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type Label, requireLabel } from './label.ts';

/**
 * Removes a label of the caller's account, and returns it as it was. Its entries stay readable. Refuses as requireLabel does, and with
 * InvalidResourceState unless the amount is zero.
 */
export async function removeLabel(tx: Sql, caller: { accountId: string }, label: Label, now: Date): Promise<Label> {
  const { id, accountId, customerId } = label;
  const bucket = bucketOf(id);
  const updated = await tx`
    update ledger_account set removed = ${now}
    where bucket = ${bucket} and id = ${id} and removed is null and balance = 0
    returning id`;
  if (updated.length === 0) throw refuse((await requireLabel(tx, caller, id)).balance === 0n ? 'notFound' : 'labelNotEmpty');
  await writeEvent(tx, { bucket, accountId, customerId, topic: 'customer_label_removed', resourceId: id }, now);
  return { ...label, balance: 0n, held: 0n, removed: now };
}
