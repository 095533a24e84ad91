// Creates a beneficial owner: seals its secrets, sets its first status and writes the events.
import { newId } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import type { Mode } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { knownMembers } from '../../platform/forms/check.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { listOwners, type OwnerStatus } from './beneficial-owner.ts';
import { lockBusiness } from './business.ts';
import { withdrawCertification } from './certification.ts';
import { OwnerForm } from './form.ts';
import { sealingContext } from './manifest.ts';

export type Secrets = Pick<OwnerForm, 'dateOfBirth' | 'ssn' | 'passport'>;

/** A beneficial owner owns at least 25 percent of the business (31 CFR 1010.230(d)(1)), so there are at most four. */
const MAX_OWNERS = 4;

// In the sandbox these first names force the status of the same name, so integrators can rehearse each.
const FORCED: readonly string[] = ['incomplete', 'document'] satisfies OwnerStatus[];

/** The event that reports each status decided from a form. */
export const STATUS_TOPICS: Record<OwnerStatus, string> = {
  verified: 'customer_beneficial_owner_verified',
  document: 'customer_beneficial_owner_verification_document_needed',
  incomplete: 'customer_beneficial_owner_reverification_needed',
};

/**
 * Creates an owner of a business and returns its id. Refuses with InvalidResourceState for a customer of another type or a closed
 * one, and with MaxNumberOfResources.
 */
export async function createOwner(
  tx: Sql,
  context: { mode: Mode; sealer: Sealer },
  caller: { accountId: string },
  customerId: string,
  form: OwnerForm,
  now: Date,
): Promise<string> {
  const { bucket, accountId } = await lockBusiness(tx, caller, customerId);
  if ((await listOwners(tx, customerId)).length >= MAX_OWNERS) throw refuse('tooManyOwners');
  const { firstName, lastName, address, ...secrets } = knownMembers(OwnerForm, form) as OwnerForm;
  const status = decideStatus(context.mode, firstName);
  const id = newId(bucket);
  const sealed = sealSecrets(context.sealer, id, secrets);
  await tx`
    insert into beneficial_owner
      (bucket, id, account_id, customer_id, status, first_name, last_name, address, sealed, created, changed)
    values (${bucket}, ${id}, ${accountId}, ${customerId}, ${status}, ${firstName}, ${lastName}, ${address}, ${sealed}, ${now}, ${now})`;
  await withdrawCertification(tx, customerId, now);
  const event = { bucket, accountId, customerId, resourceId: id };
  await writeEvent(tx, { ...event, topic: 'customer_beneficial_owner_created' }, now);
  await writeEvent(tx, { ...event, topic: STATUS_TOPICS[status] }, now);
  return id;
}

/** In production a form alone never verifies an owner: a document is required. */
export function decideStatus(mode: Mode, firstName: string): OwnerStatus {
  if (mode === 'production') return 'document';
  return FORCED.includes(firstName) ? (firstName as OwnerStatus) : 'verified';
}

export function sealSecrets(sealer: Sealer, id: string, { dateOfBirth, ssn, passport }: Secrets): Buffer {
  return sealer.seal(JSON.stringify({ dateOfBirth, ssn, passport }), sealingContext({ id }));
}

export function openSecrets(sealer: Sealer, id: string, sealed: Buffer): Secrets {
  return JSON.parse(sealer.open(sealed, sealingContext({ id })).toString()) as Secrets;
}
