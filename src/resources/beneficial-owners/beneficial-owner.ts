// Beneficial owners of business customers: schema, queries and representation.
import type { Static } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import { begins } from '../../platform/db/begins.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { type CustomerStatus, isClosed, lockCustomer } from '../customers/customer.ts';
import { OwnerAddress } from './form.ts';

export type OwnerStatus = (typeof OWNER_STATUSES)[number];

export type Owner = {
  bucket: number;
  id: string;
  accountId: string;
  customerId: string;
  /** Status of the customer; owners of a closed customer cannot change. */
  customerStatus: CustomerStatus;
  firstName: string;
  lastName: string;
  address: OwnerAddress;
  verificationStatus: OwnerStatus;
  created: Date;
  removed: Date | null;
};

const OWNER_STATUSES = ['verified', 'document', 'incomplete'] as const;

export const OwnerSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      documents: LinkSchema,
      'verify-with-document': linkWhen('Present while the owner needs a document.'),
      edit: linkWhen('Present while the owner is incomplete.'),
      retry: linkWhen('Present while the owner is incomplete.'),
      remove: linkWhen('Present unless the owner is removed, or the customer is suspended or deactivated.'),
    }),
    id: IdSchema,
    firstName: Type.String(),
    lastName: Type.String(),
    address: OwnerAddress,
    verificationStatus: Type.Enum(OWNER_STATUSES, { title: 'BeneficialOwnerStatus' }),
    created: Type.String({ format: 'date-time' }),
  },
  { title: 'BeneficialOwner' },
);

const selected = fragment`
  select o.bucket, o.id, o.account_id, o.customer_id, c.status as customer_status, o.first_name, o.last_name, o.address,
    o.status as verification_status, o.created, o.removed
  from beneficial_owner o
  join customer c on c.bucket = o.bucket and c.id = o.customer_id`;

/** Returns an owner, or undefined when it does not exist or was removed. */
export const findOwner = lookUp<Owner>(
  ({ bucket, id }) => fragment`${selected} where o.bucket = ${bucket} and o.id = ${id} and o.removed is null`,
);

/** Returns an owner of the caller's account. Refuses as requireOwned does. */
export async function requireOwner(sql: Sql, caller: { accountId: string }, id: string): Promise<Owner> {
  return requireOwned(await findOwner(sql, id), caller);
}

/** Locks the row of the customer, then that of the owner, until the end of the transaction, and returns the owner; undefined when missing. */
export async function lockOwner(tx: Sql, id: string): Promise<Owner | undefined> {
  const bucket = bucketOf(id);
  const owner = await findOwner(tx, id);
  if (!owner) return undefined;
  await lockCustomer(tx, owner.customerId);
  await tx`select 1 from beneficial_owner where bucket = ${bucket} and id = ${id} for update`;
  return findOwner(tx, id);
}

/** Lists the owners of a customer, newest first. */
export async function listOwners(sql: Sql, customerId: string): Promise<Owner[]> {
  return sql<Owner>`
    ${selected}
    where o.bucket = ${bucketOf(customerId)} and o.customer_id = ${customerId} and o.removed is null
    order by o.id desc`;
}

/** Owners of all customers whose last names begin with a text, and whose first names begin with another one. */
export async function findOwnersByName(
  sql: Sql,
  { first, last, limit }: { first: string; last: string; limit: number },
): Promise<Pick<Owner, 'id' | 'bucket' | 'accountId' | 'customerId' | 'firstName' | 'lastName'>[]> {
  return sql`
    select id, bucket, account_id, customer_id, first_name, last_name from beneficial_owner
    where last_name <> '' and ${begins(fragment`lower(last_name)`, last)} and starts_with(lower(first_name), lower(${first}))
    limit ${limit}`;
}

/** Sets the status of a locked owner. The caller writes the events. */
export async function setOwnerStatus(tx: Sql, owner: Owner, status: OwnerStatus, now: Date): Promise<void> {
  await tx`
    update beneficial_owner set status = ${status}, changed = ${now}
    where bucket = ${owner.bucket} and id = ${owner.id}`;
}

export function represent(links: Links, owner: Owner): Static<typeof OwnerSchema> {
  const { id, firstName, lastName, address, verificationStatus } = owner;
  const self = links.to('beneficial-owner', id);
  const documents = links.link(`/beneficial-owners/${id}/documents`, 'document');
  const changeable = !owner.removed && !isClosed({ status: owner.customerStatus });
  return {
    _links: {
      self,
      customer: links.to('customer', owner.customerId),
      documents,
      ...(changeable && verificationStatus === 'document' && { 'verify-with-document': documents }),
      ...(changeable && verificationStatus === 'incomplete' && { edit: self, retry: self }),
      ...(changeable && { remove: self }),
    },
    id,
    firstName,
    lastName,
    address,
    verificationStatus,
    created: owner.created.toISOString(),
  };
}
