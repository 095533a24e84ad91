// The business that beneficial owners belong to: found for reading, or held for a change.
import { type Customer, isClosed, requireCustomer } from '../customers/customer.ts';
import type { Sql } from '../db/sql.ts';
import { bucketOf } from '../ids.ts';
import { refuse } from '../problems.ts';

/** A business customer that the caller may see: else 404, 403 Forbidden, or 403 InvalidResourceState for another type. */
export async function requireBusiness(sql: Sql, caller: { accountId: string }, customerId: string): Promise<Customer> {
  const customer = await requireCustomer(sql, caller, customerId);
  if (customer.type !== 'business') throw refuse('notABusiness');
  return customer;
}

/**
 * The same, with its row held to the end of the transaction, so that owners and certification change one after another.
 * InvalidResourceState also for a suspended or deactivated one.
 */
export async function lockBusiness(tx: Sql, caller: { accountId: string }, customerId: string): Promise<Customer> {
  await tx`select 1 from customer where bucket = ${bucketOf(customerId)} and id = ${customerId} for update`;
  const customer = await requireBusiness(tx, caller, customerId);
  if (isClosed(customer)) throw refuse('customerClosed');
  return customer;
}
