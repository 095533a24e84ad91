// The name and status of a customer for people.
import type { Html } from '../../platform/pages/html.ts';
import { badge } from '../../platform/pages/parts.ts';
import type { Customer, CustomerStatus } from '../../resources/customers/customer.ts';

/** Every status, in the order of the filter. */
export const statusTones = {
  verified: 'good',
  document: 'warn',
  retry: 'warn',
  unverified: 'neutral',
  suspended: 'bad',
  deactivated: 'bad',
} as const satisfies Record<CustomerStatus, string>;

export function statusBadge(status: CustomerStatus): Html {
  return badge(status, statusTones[status]);
}

/** The business, or else the person. */
export function nameOf(
  customer: Pick<Customer, 'firstName' | 'lastName'> & { businessName?: string | null | undefined },
): string {
  return customer.businessName || `${customer.firstName} ${customer.lastName}`.trim() || 'without a name';
}
