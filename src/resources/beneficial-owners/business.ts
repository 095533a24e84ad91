// Find or lock the business customer of beneficial owners.
import { refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type Customer, isClosed, lockCustomer, requireCustomer } from '../customers/customer.ts';

/** Returns a business customer of the caller's account. Refuses with 404, 403 Forbidden, or 403 InvalidResourceState for another type. */
export async function requireBusiness(sql: Sql, caller: { accountId: string }, customerId: string): Promise<Customer> {
  const customer = await requireCustomer(sql, caller, customerId);
  if (customer.type !== 'business') throw refuse('notABusiness');
  return customer;
}

/**
 * As requireBusiness, and locks the customer's row until the end of the transaction: changes of owners and certification are
 * serialized. Also refuses a suspended or deactivated customer, with InvalidResourceState.
 */
export async function lockBusiness(tx: Sql, caller: { accountId: string }, customerId: string): Promise<Customer> {
  await lockCustomer(tx, customerId);
  const customer = await requireBusiness(tx, caller, customerId);
  if (isClosed(customer)) throw refuse('customerClosed');
  return customer;
}
