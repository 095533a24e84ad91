// Creates a customer: seals its secrets, sets its first status and writes the events.
import { newId, randomBucket } from '../../core/ids.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import type { Mode } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { knownMembers } from '../../platform/forms/check.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { lockOutReset } from '../../platform/sandbox/reset-lock.ts';
import type { Customer, CustomerStatus, Profile } from './customer.ts';
import { takeExternalId } from './external-id.ts';
import { searchColumnsOf } from './folding.ts';
import { BusinessForm, type CustomerForm, PersonalForm, UnverifiedForm } from './form.ts';
import { sealingContext } from './manifest.ts';

/** The members of all types of customer. */
type AnyForm = Partial<Omit<BusinessForm, 'type'>>;

const FORMS = { personal: PersonalForm, business: BusinessForm, unverified: UnverifiedForm };

// In the sandbox these names force the status of the same name, so integrators can rehearse each.
const FORCED: readonly string[] = ['retry', 'document', 'suspended'] satisfies CustomerStatus[];

/** The event that reports a status decided from a form. */
export const STATUS_TOPICS: Partial<Record<CustomerStatus, string>> = {
  verified: 'customer_verified',
  retry: 'customer_reverification_needed',
  document: 'customer_verification_document_needed',
  suspended: 'customer_suspended',
};

/**
 * Creates a customer from a form that was checked against CustomerForm. `bucket` is given by callers that need it earlier. Throws Conflict
 * if a customer of the account has the external id.
 */
export async function createCustomer(
  tx: Sql,
  context: { mode: Mode; sealer: Sealer },
  accountId: string,
  form: CustomerForm,
  now: Date,
  bucket: number = randomBucket(),
): Promise<Customer> {
  await lockOutReset(tx, context, accountId);
  const { type, firstName, lastName, email } = form;
  const { correlationId = null, externalId = null, metadata = null } = form;
  const status = decideStatus(form, context.mode);
  const id = newId(bucket);
  const { profile, sealed } = sealForm(context.sealer, id, form);
  const { searchText, searchGrams } = searchColumnsOf({ accountId, firstName, lastName, email, profile });
  if (externalId !== null) await takeExternalId(tx, { accountId, externalId, customerId: id });
  await tx`
    insert into customer (bucket, id, account_id, type, status, first_name, last_name, email, profile, sealed,
      correlation_id, external_id, metadata, created, search_text, search_grams)
    values (${bucket}, ${id}, ${accountId}, ${type}, ${status}, ${firstName}, ${lastName}, ${email}, ${profile}, ${sealed},
      ${correlationId}, ${externalId}, ${metadata}, ${now}, ${searchText}, ${searchGrams})`;
  const event = { bucket, accountId, customerId: id, resourceId: id };
  await writeEvent(tx, { ...event, topic: 'customer_created' }, now);
  const topic = STATUS_TOPICS[status];
  if (topic) await writeEvent(tx, { ...event, topic }, now);
  const contact = { firstName, lastName, email, profile, correlationId, externalId, metadata };
  return { bucket, id, accountId, type, status, statusBefore: null, ...contact, created: now, certified: false };
}

/** Splits a form into the public profile and the sealed secrets, which are null when there are none. */
export function sealForm(sealer: Sealer, id: string, form: CustomerForm): { profile: Profile; sealed: Buffer | null } {
  const { profile, secrets } = divide(form);
  return { profile, sealed: secrets === undefined ? null : sealer.seal(secrets, sealingContext({ id })) };
}

/** Decides the status of a customer from its form. In production a form alone never verifies a customer: a document is required. */
export function decideStatus(form: CustomerForm, mode: Mode): CustomerStatus {
  if (form.type === 'unverified') return 'unverified';
  if (mode === 'production') return 'document';
  const forced = namesOf(form).find((name) => FORCED.includes(name));
  return (forced as CustomerStatus | undefined) ?? 'verified';
}

/** Splits a form into the public profile and the secrets as JSON, undefined when there are none. Unknown members are dropped. */
function divide(form: CustomerForm): { profile: Profile; secrets: string | undefined } {
  const { type, firstName, lastName, email, correlationId, externalId, metadata, ...known } = knownMembers(
    FORMS[form.type],
    form,
  ) as CustomerForm;
  const { dateOfBirth, ssn, ein, ipAddress, controller, ...profile }: AnyForm = known;
  if (!controller) return { profile, secrets: toJson({ dateOfBirth, ssn, ein, ipAddress }) };
  const { dateOfBirth: controllerBirth, ssn: controllerSsn, passport, ...publicController } = controller;
  return {
    profile: { ...profile, controller: publicController },
    secrets: toJson({
      dateOfBirth,
      ssn,
      ein,
      ipAddress,
      controller: { dateOfBirth: controllerBirth, ssn: controllerSsn, passport },
    }),
  };
}

function toJson(secrets: Record<string, unknown>): string | undefined {
  const json = JSON.stringify(secrets);
  return json === '{}' ? undefined : json;
}

/** The names that can force a status: of the person responsible for the customer, and of the business. */
function namesOf(form: Exclude<CustomerForm, { type: 'unverified' }>): string[] {
  if (form.type === 'personal') return [form.firstName];
  const person = form.businessType === 'soleProprietorship' ? form : form.controller;
  return [person?.firstName ?? '', form.businessName];
}
