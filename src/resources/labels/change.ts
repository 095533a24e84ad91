// Changes a label: its name, its metadata, or both.
import type { FormerNames } from '../../../packages/proof/src/former-names.ts';
import { bucketOf } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { nothingGiven } from '../../platform/forms/check.ts';
import { type Label, LabelChange, requireLabel } from './label.ts';

const NAMES_MAX = 100;

/**
 * Changes a label of the caller's account, and returns it. Earlier names are kept, because statements of closed months show them. Refuses
 * with BadRequest for no change, as requireLabel does, and with MaxNumberOfResources after too many names.
 */
export async function changeLabel(
  tx: Sql,
  caller: { accountId: string },
  id: string,
  { change, now }: { change: LabelChange; now: Date },
): Promise<Label> {
  if (change.name === undefined && change.metadata === undefined) throw nothingGiven(Object.keys(LabelChange.properties));
  const bucket = bucketOf(id);
  await tx`select 1 from ledger_account where bucket = ${bucket} and id = ${id} for no key update`;
  const before = await requireLabel(tx, caller, id);
  const { accountId, customerId } = before;
  const { name = before.name, metadata = before.metadata } = change;
  const formerNames = name === before.name ? before.formerNames : withName(before, now);
  if (formerNames && formerNames.length >= NAMES_MAX) throw refuse('tooManyNames');
  await tx`
    update ledger_account
    set name = ${name}, former_names = ${formerNames && JSON.stringify(formerNames)}::jsonb, metadata = ${metadata}::jsonb
    where bucket = ${bucket} and id = ${id}`;
  await writeEvent(tx, { bucket, accountId, customerId, topic: 'customer_label_updated', resourceId: id }, now);
  return { ...before, name, formerNames, metadata };
}

/** The clocks of processes differ, but names end in their order. */
function withName({ name, formerNames, created }: Label, now: Date): FormerNames {
  const earlier = formerNames ?? [];
  const since = earlier.length > 0 ? new Date(earlier.at(-1)!.until) : created;
  const until = now > since ? now : since;
  return [...earlier, { ...(name !== null && { name }), until: until.toISOString() }];
}
