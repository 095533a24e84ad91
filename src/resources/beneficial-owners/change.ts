// Changes an incomplete beneficial owner, or removes one.
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import type { Mode } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { knownMembers, nothingGiven } from '../../platform/forms/check.ts';
import { wordsOf } from '../../platform/http/errors.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { isClosed } from '../customers/customer.ts';
import { lockOwner, type Owner, requireOwner } from './beneficial-owner.ts';
import { withdrawCertification } from './certification.ts';
import { decideStatus, openSecrets, type Secrets, STATUS_TOPICS, sealSecrets } from './create.ts';
import { OwnerChange } from './form.ts';

const READ_ONLY = ['id', 'verificationStatus', 'created'];

/**
 * Replaces members of an owner and decides its status again. Refuses with BadRequest when no known member is given,
 * ValidationError for read-only members, and InvalidResourceState unless the owner is incomplete and its customer is open.
 */
export async function changeOwner(
  tx: Sql,
  context: { mode: Mode; sealer: Sealer },
  caller: { accountId: string },
  id: string,
  change: OwnerChange,
  now: Date,
): Promise<Owner> {
  const owner = await lockOwnerFor(tx, caller, id);
  const given = requireMembers(change);
  requireOpen(owner);
  if (owner.verificationStatus !== 'incomplete') throw refuse('ownerNotIncomplete');
  const { firstName = owner.firstName, lastName = owner.lastName, address = owner.address } = given;
  const verificationStatus = decideStatus(context.mode, firstName);
  const changed = { ...owner, firstName, lastName, address, verificationStatus };
  const sealed = await resealSecrets(tx, context.sealer, owner, given);
  await tx`
    update beneficial_owner set status = ${verificationStatus}, first_name = ${firstName}, last_name = ${lastName},
      address = ${address}, sealed = ${sealed}, changed = ${now}
    where bucket = ${owner.bucket} and id = ${id}`;
  await withdrawCertification(tx, owner.customerId, now);
  await writeEvent(tx, { ...owner, resourceId: id, topic: STATUS_TOPICS[verificationStatus] }, now);
  return changed;
}

/** Removes an owner; queries no longer find it. Refuses with InvalidResourceState while its customer is closed. */
export async function removeOwner(tx: Sql, caller: { accountId: string }, id: string, now: Date): Promise<Owner> {
  const owner = await lockOwnerFor(tx, caller, id);
  requireOpen(owner);
  await tx`
    update beneficial_owner set removed = ${now}, changed = ${now}
    where bucket = ${owner.bucket} and id = ${id}`;
  await withdrawCertification(tx, owner.customerId, now);
  await writeEvent(tx, { ...owner, resourceId: id, topic: 'customer_beneficial_owner_removed' }, now);
  return { ...owner, removed: now };
}

async function lockOwnerFor(tx: Sql, caller: { accountId: string }, id: string): Promise<Owner> {
  await lockOwner(tx, id);
  return requireOwner(tx, caller, id);
}

function requireOpen({ customerStatus }: Owner): void {
  if (isClosed({ status: customerStatus })) throw refuse('customerClosed');
}

/** Returns the given members that can change. Refuses read-only members, and a change without any known member. */
function requireMembers(change: OwnerChange): OwnerChange {
  const faults = READ_ONLY.filter((name) => name in change).map(
    (name): Fault => ({ code: 'ReadOnly', message: `${wordsOf(name)} cannot be changed.`, path: `/${name}` }),
  );
  const [first, ...rest] = faults;
  if (first) throw invalid(first, ...rest);
  const given = knownMembers(OwnerChange, change) as OwnerChange;
  if (Object.keys(given).length === 0) throw nothingGiven(Object.keys(OwnerChange.properties));
  return given;
}

/** Merges the given secrets with the sealed ones. A given ssn or passport replaces both; without one, both stay. */
async function resealSecrets(tx: Sql, sealer: Sealer, owner: Owner, given: OwnerChange): Promise<Buffer> {
  const [row] = await tx<{ sealed: Buffer }>`
    select sealed from beneficial_owner where bucket = ${owner.bucket} and id = ${owner.id}`;
  const known = openSecrets(sealer, owner.id, row!.sealed);
  const { ssn, passport } = given.ssn || given.passport ? given : known;
  const secrets: Secrets = { dateOfBirth: given.dateOfBirth ?? known.dateOfBirth };
  return sealSecrets(sealer, owner.id, { ...secrets, ...(ssn && { ssn }), ...(passport && { passport }) });
}
