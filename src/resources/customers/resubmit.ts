// Resubmits a customer with complete data: a customer in retry is verified again, an unverified one becomes personal or business.
import { invalid, refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { freezeCustomer } from '../../ledger/transfers/balance.ts';
import type { Mode } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { memberOf, withoutBlanks } from '../../platform/forms/check.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { isForm, requireForm } from './check.ts';
import { decideStatus, STATUS_TOPICS, sealForm } from './create.ts';
import { type Customer, type CustomerStatus, isClosed } from './customer.ts';
import { searchColumnsOf } from './folding.ts';
import type { CustomerForm } from './form.ts';

/** Members used for verification. They change only with the complete data. */
export const IDENTITY = [
  ...['type', 'firstName', 'lastName', 'dateOfBirth', 'ssn', 'passport'],
  ...['businessName', 'businessType', 'businessClassification', 'ein', 'controller'],
];

/**
 * Returns the complete data in the body of a change, or undefined for any other change. Refuses with ValidationError when the data is
 * incomplete or has another type than the customer in retry, and with InvalidResourceState for complete data of a customer that is
 * neither in retry nor unverified.
 */
export function findForm(customer: Customer, body: object): CustomerForm | undefined {
  if ('status' in body) return undefined;
  const given = withoutBlanks(body) as object;
  const type = memberOf(given, 'type') ?? customer.type;
  if (customer.status === 'retry' && IDENTITY.some((name) => name in given)) {
    if (type !== customer.type) throw invalid({ code: 'ReadOnly', message: 'Type cannot be changed.', path: '/type' });
    return requireForm({ ...given, type });
  }
  if (type === 'unverified') return undefined;
  if (customer.status === 'unverified') return requireForm(given);
  if (isForm({ ...given, type })) throw refuse(isClosed(customer) ? 'customerClosed' : 'customerSettled');
  return undefined;
}

/** Replaces all data of a locked customer, decides its status and writes the event that reports it. */
export async function resubmit(
  tx: Sql,
  { mode, sealer }: { mode: Mode; sealer: Sealer },
  customer: Customer,
  form: CustomerForm,
  now: Date,
): Promise<Customer> {
  const { bucket, id } = customer;
  const { type, firstName, lastName, email } = form;
  const metadata = form.metadata ?? customer.metadata;
  const { profile, sealed } = sealForm(sealer, id, form);
  const { accountId } = customer;
  const { searchText, searchGrams } = searchColumnsOf({ accountId, firstName, lastName, email, profile });
  const status = statusAfter(customer, decideStatus(form, mode));
  await tx`
    update customer set type = ${type}, status = ${status}, first_name = ${firstName}, last_name = ${lastName}, email = ${email},
      profile = ${profile}, sealed = ${sealed}, metadata = ${metadata}, search_text = ${searchText}, search_grams = ${searchGrams}
    where bucket = ${bucket} and id = ${id}`;
  await freezeCustomer(tx, id, status !== 'verified');
  const topic = STATUS_TOPICS[status];
  if (topic) await writeEvent(tx, { ...customer, customerId: id, resourceId: id, topic }, now);
  return { ...customer, type, status, firstName, lastName, email, profile, metadata };
}

/** A customer has one retry; after a second failure it needs a document. */
function statusAfter(customer: Customer, decided: CustomerStatus): CustomerStatus {
  return customer.status === 'retry' && decided === 'retry' ? 'document' : decided;
}
