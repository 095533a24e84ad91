// Certification of ownership: a business states that its list of beneficial owners is complete and true.
import type { Static } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { type Customer, isClosed } from '../customers/customer.ts';
import { lockBusiness } from './business.ts';

type OwnershipStatus = (typeof STATUSES)[number];

const STATUSES = ['uncertified', 'certified', 'recertify'] as const;

export const Certification = Type.Object({ status: Type.Enum(['certified']) }, { title: 'CertificationRequest' });

export const OwnershipSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      'beneficial-owners': LinkSchema,
      certify: linkWhen('Present unless the ownership is certified.'),
    }),
    status: Type.Enum(STATUSES),
  },
  {
    title: 'BeneficialOwnership',
    description: 'The status `certified` becomes `recertify` when an owner is created, changed or removed.',
  },
);

export async function findOwnership(sql: Sql, customerId: string): Promise<OwnershipStatus> {
  const [row] = await sql<{ status: OwnershipStatus }>`
    select status from beneficial_ownership where bucket = ${bucketOf(customerId)} and customer_id = ${customerId}`;
  return row?.status ?? 'uncertified';
}

/**
 * Certifies the owners of a business, whatever their status. A business without owners can certify too: nobody may own a quarter.
 * Refuses with InvalidResourceState for a customer of another type, or a closed one.
 */
export async function certify(tx: Sql, caller: { accountId: string }, customerId: string, now: Date): Promise<Customer> {
  const customer = await lockBusiness(tx, caller, customerId);
  await tx`
    insert into beneficial_ownership (bucket, customer_id, status, changed)
    values (${customer.bucket}, ${customerId}, 'certified', ${now})
    on conflict (bucket, customer_id) do update set status = excluded.status, changed = excluded.changed
    where beneficial_ownership.status <> 'certified'`;
  return customer;
}

/** Sets a certified ownership to `recertify` after a change of owners. The customer's row must be locked. */
export async function withdrawCertification(tx: Sql, customerId: string, now: Date): Promise<void> {
  await tx`
    update beneficial_ownership set status = 'recertify', changed = ${now}
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and status = 'certified'`;
}

export function representOwnership(links: Links, customer: Customer, status: OwnershipStatus): Static<typeof OwnershipSchema> {
  const self = links.link(`/customers/${customer.id}/beneficial-ownership`, 'beneficial-ownership');
  return {
    _links: {
      self,
      customer: links.to('customer', customer.id),
      'beneficial-owners': links.link(`/customers/${customer.id}/beneficial-owners`, 'beneficial-owner'),
      ...(status !== 'certified' && !isClosed(customer) && { certify: self }),
    },
    status,
  };
}
