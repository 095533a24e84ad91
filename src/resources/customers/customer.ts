// Customers of an account: schema, queries and representation.
import type { Static } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { external, type Metadata, representExternal } from '../../platform/forms/external.ts';
import { WorldAddress } from '../../platform/forms/members.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { type Access, type AccessProblems, requireOwned } from '../../platform/http/owned.ts';
import { IdSchema } from '../../platform/http/paging.ts';

type CustomerType = (typeof TYPES)[number];
export type CustomerStatus = (typeof STATUSES)[number];
export type StatusChange = 'suspended' | 'deactivated' | 'reactivated';
export type Profile = Static<typeof ProfileSchema>;

export type Customer = {
  bucket: number;
  id: string;
  accountId: string;
  type: CustomerType;
  status: CustomerStatus;
  /** The status before a call suspended or deactivated the customer; null while it is open, or if it was created as suspended. */
  statusBefore: CustomerStatus | null;
  firstName: string;
  lastName: string;
  email: string;
  /** The other members of the form that responses include. */
  profile: Profile;
  correlationId: string | null;
  externalId: string | null;
  metadata: Metadata | null;
  created: Date;
  /** Whether the ownership of the business is certified. */
  certified: boolean;
};

const TYPES = ['personal', 'business', 'unverified'] as const;
const STATUSES = ['verified', 'retry', 'document', 'suspended', 'deactivated', 'unverified'] as const;

const StatusSchema = Type.Enum(STATUSES, { title: 'CustomerStatus' });
/** Matches any of the given statuses. */
export const StatusesSchema = Type.Array(StatusSchema, { maxItems: STATUSES.length });

const text = Type.Optional(Type.String());

const ProfileSchema = Type.Object({
  address1: text,
  address2: text,
  city: text,
  state: text,
  postalCode: text,
  phone: text,
  doingBusinessAs: text,
  website: text,
  businessName: text,
  businessType: text,
  businessClassification: text,
  controller: Type.Optional(
    Type.Object(
      { firstName: Type.String(), lastName: Type.String(), title: Type.String(), address: WorldAddress },
      { title: 'Controller' },
    ),
  ),
});

export const CustomerSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      balance: LinkSchema,
      labels: linkWhen('Present while the customer is verified.'),
      'beneficial-owners': linkWhen('Present for a business.'),
      'beneficial-ownership': linkWhen('Present for a business.'),
      documents: linkWhen('Present unless the type is unverified.'),
      edit: linkWhen('Present unless the customer is suspended or deactivated.'),
      suspend: linkWhen('Present unless the customer is suspended or deactivated.'),
      deactivate: linkWhen('Present unless the customer is deactivated.'),
      reactivate: linkWhen('Present while the customer is suspended or deactivated, unless it was created in that status.'),
      'retry-verification': linkWhen('Present while the status is retry.'),
      'verify-with-document': linkWhen('Present while the status is document.'),
      'certify-beneficial-ownership': linkWhen('Present for a business, unless it is certified, suspended or deactivated.'),
      'create-label': linkWhen('Present while the customer is verified.'),
      deposit: linkWhen('Present while the customer is verified, or is suspended or deactivated after it was verified.'),
      withdraw: linkWhen('Present while the customer is verified.'),
    }),
    id: IdSchema,
    firstName: Type.String(),
    lastName: Type.String(),
    email: Type.String(),
    type: Type.Enum(TYPES, { title: 'CustomerType' }),
    status: StatusSchema,
    correlationId: Type.Optional(Type.String()),
    ...external,
    created: Type.String({ format: 'date-time' }),
    ...ProfileSchema.properties,
  },
  { title: 'Customer' },
);

/** `bucket`: that of the customer, if it is one. On a cluster, a subquery without a constant bucket would ask every worker. */
export const customerColumns = (bucket: unknown = fragment`customer.bucket`) => fragment`
  bucket, id, account_id, type, status, status_before, first_name, last_name, email, profile, correlation_id, external_id,
  metadata, created,
  exists (select 1 from beneficial_ownership o where o.bucket = ${bucket} and o.customer_id = id and o.status = 'certified')
    as certified`;

export const findCustomer = lookUp<Customer>(
  ({ bucket, id }) => fragment`select ${customerColumns(bucket)} from customer where bucket = ${bucket} and id = ${id}`,
);

/** Returns a customer of the caller's account. Refuses as requireOwned does. */
export async function requireCustomer(sql: Sql, caller: Access, id: string, problems?: AccessProblems): Promise<Customer> {
  const customer = await findCustomer(sql, id);
  requireOwned(customer && { accountId: customer.accountId, customerId: customer.id }, caller, problems);
  return customer!;
}

/** Locks the row of a customer until the end of the transaction: other changes of it, and new labels, wait. Returns whether it exists. */
export async function lockCustomer(tx: Sql, id: string): Promise<boolean> {
  const rows = await tx`select 1 from customer where bucket = ${bucketOf(id)} and id = ${id} for update`;
  return rows.length > 0;
}

/** Whether a customer is suspended or deactivated. Of a closed customer only the status can change. */
export function isClosed({ status }: Pick<Customer, 'status'>): boolean {
  return status === 'suspended' || status === 'deactivated';
}

/** Whether deposits may be recorded: the customer is verified, or was until it was suspended or deactivated. */
export function mayReceive({ status, statusBefore }: Customer): boolean {
  return status === 'verified' || statusBefore === 'verified';
}

/** The legal changes of status. A customer created as suspended cannot be reactivated, because it has no earlier status. */
export function legalStatusChanges(customer: Customer): StatusChange[] {
  const legal: Record<StatusChange, boolean> = {
    suspended: !isClosed(customer),
    deactivated: customer.status !== 'deactivated',
    reactivated: isClosed(customer) && customer.statusBefore !== null,
  };
  return (Object.keys(legal) as StatusChange[]).filter((change) => legal[change]);
}

export function represent(links: Links, customer: Customer): Static<typeof CustomerSchema> {
  const { id, firstName, lastName, email, type, status, correlationId, profile } = customer;
  return {
    _links: linksOf(links, customer),
    id,
    firstName,
    lastName,
    email,
    type,
    status,
    ...(correlationId !== null && { correlationId }),
    ...representExternal(customer),
    created: customer.created.toISOString(),
    ...profile,
  };
}

function linksOf(links: Links, customer: Customer): Static<typeof CustomerSchema>['_links'] {
  const self = links.to('customer', customer.id);
  const below = (path: string, resourceType: string) => links.link(`/customers/${customer.id}/${path}`, resourceType);
  const legal = legalStatusChanges(customer);
  return {
    self,
    balance: below('balance', 'balance'),
    ...(customer.type === 'business' && {
      'beneficial-owners': below('beneficial-owners', 'beneficial-owner'),
      'beneficial-ownership': below('beneficial-ownership', 'beneficial-ownership'),
    }),
    ...(customer.type !== 'unverified' && { documents: below('documents', 'document') }),
    ...(!isClosed(customer) && { edit: self }),
    ...(legal.includes('suspended') && { suspend: self }),
    ...(legal.includes('deactivated') && { deactivate: self }),
    ...(legal.includes('reactivated') && { reactivate: self }),
    ...(customer.status === 'retry' && { 'retry-verification': self }),
    ...(customer.status === 'document' && { 'verify-with-document': below('documents', 'document') }),
    ...(customer.type === 'business' &&
      !customer.certified &&
      !isClosed(customer) && { 'certify-beneficial-ownership': below('beneficial-ownership', 'beneficial-ownership') }),
    ...(customer.status === 'verified' && {
      labels: below('labels', 'label'),
      'create-label': below('labels', 'label'),
      withdraw: below('withdrawals', 'withdrawal'),
    }),
    ...(mayReceive(customer) && { deposit: below('deposits', 'deposit') }),
  };
}
