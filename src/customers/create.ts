// Creates a customer: seals what is secret, gives it its first status and tells both in events.
import Value from 'typebox/value';
import type { Mode } from '../config.ts';
import type { Sql } from '../db/sql.ts';
import { type Topic, writeEvent } from '../events/event.ts';
import { newId, randomBucket } from '../ids.ts';
import type { Sealer } from '../sealing.ts';
import type { Customer, CustomerStatus, Profile } from './customer.ts';
import { BusinessForm, type CustomerForm, PersonalForm, UnverifiedForm } from './form.ts';

/** Members of every type, with those that only some have. */
type AnyForm = Partial<Omit<BusinessForm, 'type'>>;

const FORMS = { personal: PersonalForm, business: BusinessForm, unverified: UnverifiedForm };

// In the sandbox these names make their status, so that integrators can rehearse each.
const FORCED: readonly string[] = ['retry', 'document', 'suspended'] satisfies CustomerStatus[];

/** The event that reports a status decided from a form. */
export const STATUS_TOPICS: Partial<Record<CustomerStatus, Topic>> = {
  verified: 'customer_verified',
  retry: 'customer_reverification_needed',
  document: 'customer_verification_document_needed',
  suspended: 'customer_suspended',
};

/** `form` has been checked against CustomerForm. `bucket` is for who needs it before the customer is made. */
export async function createCustomer(
  tx: Sql,
  context: { mode: Mode; sealer: Sealer },
  accountId: string,
  form: CustomerForm,
  now: Date,
  bucket: number = randomBucket(),
): Promise<Customer> {
  const { type, firstName, lastName, email } = form;
  const correlationId = form.correlationId ?? null;
  const status = decideStatus(form, context.mode);
  const id = newId(bucket);
  const { profile, sealed } = sealForm(context.sealer, id, form);
  await tx`
    insert into customer (bucket, id, account_id, type, status, first_name, last_name, email, profile, sealed,
      correlation_id, created)
    values (${bucket}, ${id}, ${accountId}, ${type}, ${status}, ${firstName}, ${lastName}, ${email}, ${profile}, ${sealed},
      ${correlationId}, ${now})`;
  const event = { bucket, accountId, customerId: id, resourceId: id };
  await writeEvent(tx, { ...event, topic: 'customer_created' }, now);
  const topic = STATUS_TOPICS[status];
  if (topic) await writeEvent(tx, { ...event, topic }, now);
  const contact = { firstName, lastName, email, profile, correlationId };
  return { bucket, id, accountId, type, status, statusBefore: null, ...contact, created: now, certified: false };
}

/** What a form says in public, and the rest sealed to the customer; null where there is nothing to seal. */
export function sealForm(sealer: Sealer, id: string, form: CustomerForm): { profile: Profile; sealed: Buffer | null } {
  const { profile, secrets } = divide(form);
  return { profile, sealed: secrets === undefined ? null : sealer.seal(secrets, `customer:${id}`) };
}

/** The status of a customer by its form. In production nobody is verified by a form alone: a document is required. */
export function decideStatus(form: CustomerForm, mode: Mode): CustomerStatus {
  if (form.type === 'unverified') return 'unverified';
  if (mode === 'production') return 'document';
  const forced = namesOf(form).find((name) => FORCED.includes(name));
  return (forced as CustomerStatus | undefined) ?? 'verified';
}

/** What may be answered of a form, and the rest as the JSON to seal, or undefined where there is none. Unknown members are in neither. */
function divide(form: CustomerForm): { profile: Profile; secrets: string | undefined } {
  const { type, firstName, lastName, email, correlationId, ...known } = Value.Clean(
    FORMS[form.type],
    structuredClone(form),
  ) as CustomerForm;
  const { dateOfBirth, ssn, ein, ipAddress, controller, ...profile }: AnyForm = known;
  if (!controller) return { profile, secrets: toJson({ dateOfBirth, ssn, ein, ipAddress }) };
  const { dateOfBirth: born, ssn: number, passport, ...answerable } = controller;
  return {
    profile: { ...profile, controller: answerable },
    secrets: toJson({ dateOfBirth, ssn, ein, ipAddress, controller: { dateOfBirth: born, ssn: number, passport } }),
  };
}

function toJson(secrets: Record<string, unknown>): string | undefined {
  const json = JSON.stringify(secrets);
  return json === '{}' ? undefined : json;
}

/** The names that can force a status: of the person who answers for the customer, and of the business. */
function namesOf(form: Exclude<CustomerForm, { type: 'unverified' }>): string[] {
  if (form.type === 'personal') return [form.firstName];
  const person = form.businessType === 'soleProprietorship' ? form : form.controller;
  return [person?.firstName ?? '', form.businessName];
}
