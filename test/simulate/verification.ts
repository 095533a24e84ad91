// The verification data of customers in a simulation, and its resubmission.
import assert from 'node:assert/strict';
import { customerForm } from '../support/data.ts';
import { assertRefused } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import { type Account, CLOSED, type Customer, isClosed } from './model.ts';
import type { World } from './world.ts';

const FORCED = ['retry', 'document', 'suspended'];
const FORCED_SHARE = 0.25;
const SETTLED = {
  status: 403,
  code: 'InvalidResourceState',
  message: 'Complete customer data is accepted only while the customer is in retry or unverified.',
};

export const STATUS_TOPICS: Record<string, string> = {
  verified: 'customer_verified',
  retry: 'customer_reverification_needed',
  document: 'customer_verification_document_needed',
  suspended: 'customer_suspended',
};

/** The complete data of a customer of a type: the request, the members of the response, and the resulting status. */
export function drawForm(random: Random, type: Customer['type']) {
  const { email, lastName, address1, city, state, postalCode, dateOfBirth, ssn, ...business } = customerForm();
  const { businessName, businessType, businessClassification } = business;
  const firstName = type === 'unverified' || !random.chance(FORCED_SHARE) ? 'Grace' : random.pick(FORCED);
  const members: Record<string, string> = {
    ...{ firstName, lastName, email },
    ...(type !== 'unverified' && { address1, city, state, postalCode }),
    ...(type === 'business' && { businessName, businessType, businessClassification }),
  };
  const form = { ...members, type, ...(type !== 'unverified' && { dateOfBirth, ssn }) };
  const decided = FORCED.includes(firstName) ? firstName : 'verified';
  return { form, members, status: type === 'unverified' ? 'unverified' : decided };
}

/** Sends complete data, which resubmits a customer in retry, or makes an unverified one personal or business. */
export async function resubmit(world: World, account: Account, customer: Customer): Promise<void> {
  const type = customer.type === 'unverified' ? world.random.pick(['personal', 'business'] as const) : customer.type;
  const { form, members, status } = drawForm(world.random, type);
  const { answer } = await world.ask(account, 'POST', customer.url, { body: form });
  if (isClosed(customer)) return assertRefused(answer, CLOSED);
  if (customer.status !== 'retry' && customer.status !== 'unverified') return assertRefused(answer, SETTLED);
  assert.equal(answer.status, 200, answer.text);
  customer.status = customer.status === 'retry' && status === 'retry' ? 'document' : status;
  Object.assign(customer, { type, members });
  assert.deepEqual([answer.body.type, answer.body.status], [type, customer.status]);
  account.events.push({ topic: STATUS_TOPICS[customer.status]!, resource: customer.url });
}
