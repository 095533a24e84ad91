// Changes a customer: its contact members, its complete data, or its status, which also freezes or unfreezes its money.
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { freezeCustomer } from '../../ledger/transfers/balance.ts';
import type { Mode } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { nothingGiven } from '../../platform/forms/check.ts';
import { wordsOf } from '../../platform/http/errors.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { requireChange } from './check.ts';
import { type Customer, isClosed, legalStatusChanges, lockCustomer, requireCustomer, type StatusChange } from './customer.ts';
import { searchColumnsOf } from './folding.ts';
import type { CustomerChange } from './form.ts';
import { findForm, IDENTITY, resubmit } from './resubmit.ts';

type Member = Exclude<keyof CustomerChange, 'status'>;
type TextMember = Exclude<Member, 'metadata'>;

const CONTACT = ['email', 'phone', 'address1', 'address2', 'city', 'state', 'postalCode', 'doingBusinessAs', 'website'] as const;
const NAMES = ['firstName', 'lastName', 'businessName'] as const;
const METADATA = 'metadata';
const READ_ONLY = ['id', 'created', 'correlationId', 'externalId', ...IDENTITY];
// Members that must not be removed.
const REQUIRED: Record<Customer['type'], readonly TextMember[]> = {
  personal: ['email', 'address1', 'city', 'state', 'postalCode'],
  business: ['email', 'address1', 'city', 'state', 'postalCode'],
  unverified: ['email', 'firstName', 'lastName'],
};

/**
 * Changes a customer of the caller's account. The body is not yet validated, because its schema depends on the customer. Refuses with
 * BadRequest when no known member is given, ValidationError for members that are invalid or cannot change (now, or together), and
 * InvalidResourceState for an illegal change of status, for complete data unless the customer is in retry or unverified, and for
 * contact members while it is closed.
 */
export async function changeCustomer(
  tx: Sql,
  context: { mode: Mode; sealer: Sealer },
  caller: { accountId: string },
  id: string,
  body: object,
  now: Date,
): Promise<Customer> {
  await lockCustomer(tx, id);
  const customer = await requireCustomer(tx, caller, id);
  const form = findForm(customer, body);
  if (form) return resubmit(tx, context, customer, form, now);
  const change = requireChange(body);
  const members = requireMembers(customer, change);
  if (change.status === undefined) {
    if (isClosed(customer)) throw refuse('customerClosed');
    const changed = withMembers(customer, change, members);
    await save(tx, changed);
    await writeEvent(tx, { ...changed, customerId: id, resourceId: id, topic: 'customer_updated' }, now);
    return changed;
  }
  const changed = withStatus(customer, change.status);
  await save(tx, changed);
  await freezeCustomer(tx, id, changed.status !== 'verified');
  await writeEvent(tx, { ...changed, customerId: id, resourceId: id, topic: topicOf(changed) }, now);
  return changed;
}

/** Returns the given members that can change; empty for a change of status. */
function requireMembers(customer: Customer, change: CustomerChange): Member[] {
  const given = Object.keys(change);
  const changeable: readonly string[] =
    customer.type === 'unverified' ? [...CONTACT, ...NAMES, METADATA] : [...CONTACT, METADATA];
  const members = given.filter((name): name is Member => changeable.includes(name));
  const readOnly = given.filter((name) => READ_ONLY.includes(name) && !changeable.includes(name));
  if (members.length + readOnly.length === 0 && change.status === undefined) throw nothingGiven([...changeable, 'status']);
  const faults = readOnly.map(
    (name): Fault => ({ code: 'ReadOnly', message: `${wordsOf(name)} cannot be changed.`, path: `/${name}` }),
  );
  if (change.status !== undefined && members.length > 0) {
    faults.push({ code: 'NotAllowed', message: 'Status cannot be changed together with other members.', path: '/status' });
  }
  for (const name of REQUIRED[customer.type].filter((name) => change[name] === '' && members.includes(name))) {
    faults.push({ code: 'Required', message: `${wordsOf(name)} must not be empty.`, path: `/${name}` });
  }
  const [first, ...rest] = faults;
  if (first) throw invalid(first, ...rest);
  return members;
}

function withMembers(customer: Customer, change: CustomerChange, members: Member[]): Customer {
  const changed = { ...customer, profile: { ...customer.profile } };
  if (change.metadata) changed.metadata = change.metadata;
  for (const name of members.filter((name) => name !== METADATA)) {
    const text = change[name] ?? '';
    if (name === 'email' || name === 'firstName' || name === 'lastName') changed[name] = text;
    else if (text === '') delete changed.profile[name];
    else changed.profile[name] = text;
  }
  return changed;
}

function withStatus(customer: Customer, change: StatusChange): Customer {
  if (!legalStatusChanges(customer).includes(change)) throw refuse('statusUnreachable');
  const { status, statusBefore } = customer;
  if (change === 'reactivated') return { ...customer, status: statusBefore ?? status, statusBefore: null };
  return { ...customer, status: change, statusBefore: statusBefore ?? status };
}

function topicOf({ status }: Customer) {
  return status === 'suspended' || status === 'deactivated' ? (`customer_${status}` as const) : 'customer_activated';
}

async function save(tx: Sql, customer: Customer): Promise<void> {
  const { bucket, id, status, statusBefore, firstName, lastName, email, profile, metadata } = customer;
  const { searchText, searchGrams } = searchColumnsOf(customer);
  await tx`
    update customer set status = ${status}, status_before = ${statusBefore},
      first_name = ${firstName}, last_name = ${lastName}, email = ${email}, profile = ${profile}, metadata = ${metadata},
      search_text = ${searchText}, search_grams = ${searchGrams}
    where bucket = ${bucket} and id = ${id}`;
}
