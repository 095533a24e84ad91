// A customer of an account: who holds money, verified or not.
import Type, { type Static } from 'typebox';
import type { Sql } from '../db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../http/links.ts';
import { IdSchema, type Page } from '../http/paging.ts';
import { bucketOf } from '../ids.ts';
import { type ProblemName, refuse } from '../problems.ts';
import { WorldAddress } from './form.ts';

export type CustomerType = (typeof TYPES)[number];
export type CustomerStatus = (typeof STATUSES)[number];
export type StatusChange = 'suspended' | 'deactivated' | 'reactivated';
export type Profile = Static<typeof ProfileSchema>;

export type Customer = {
  bucket: number;
  id: string;
  accountId: string;
  type: CustomerType;
  status: CustomerStatus;
  /** What it was before it was suspended or deactivated by a call; null while it is neither, or was suspended from the start. */
  statusBefore: CustomerStatus | null;
  firstName: string;
  lastName: string;
  email: string;
  /** The answerable rest of the form. */
  profile: Profile;
  correlationId: string | null;
  created: Date;
  /** Whether the ownership of the business is certified. */
  certified: boolean;
};

export type CustomerFilter = {
  search?: string | undefined;
  email?: string | undefined;
  status?: CustomerStatus[] | undefined;
  correlationId?: string | undefined;
};

const TYPES = ['personal', 'business', 'unverified'] as const;
const STATUSES = ['verified', 'retry', 'document', 'suspended', 'deactivated', 'unverified'] as const;

export const StatusSchema = Type.Enum(STATUSES, { title: 'CustomerStatus' });
/** Any of some statuses. */
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
    created: Type.String({ format: 'date-time' }),
    ...ProfileSchema.properties,
  },
  { title: 'Customer' },
);

export async function findCustomer(sql: Sql, id: string): Promise<Customer | undefined> {
  const [customer] = await sql<Customer>`
    select bucket, id, account_id as "accountId", type, status, status_before as "statusBefore",
      first_name as "firstName", last_name as "lastName", email, profile, correlation_id as "correlationId", created,
      exists (select from beneficial_ownership o where o.bucket = customer.bucket and o.customer_id = id and o.status = 'certified')
        as certified
    from customer
    where bucket = ${bucketOf(id)} and id = ${id}`;
  return customer;
}

/** A customer that the caller may see: else 404, or 403 for another account's, or the `problems` of that meaning. */
export async function requireCustomer(
  sql: Sql,
  caller: { accountId: string },
  id: string,
  problems: { missing?: ProblemName; forbidden?: ProblemName } = {},
): Promise<Customer> {
  const customer = await findCustomer(sql, id);
  if (!customer) throw refuse(problems.missing ?? 'notFound');
  if (customer.accountId !== caller.accountId) throw refuse(problems.forbidden ?? 'forbidden');
  return customer;
}

/**
 * A page of an account's customers, newest first, with how many match in all. `search` is a part of a name or of the email,
 * `email` the whole of it; capitals do not matter to either. `status` is any of those given.
 */
export async function listCustomers(
  sql: Sql,
  accountId: string,
  query: Page & CustomerFilter,
): Promise<{ elements: Customer[]; total: number }> {
  const { email, status = null, correlationId, limit, offset } = query;
  const pattern = `%${(query.search ?? '').replace(/[\\%_]/g, '\\$&')}%`;
  const elements = await sql<Customer>`
    select bucket, id, account_id as "accountId", type, status, status_before as "statusBefore",
      first_name as "firstName", last_name as "lastName", email, profile, correlation_id as "correlationId", created,
      exists (select from beneficial_ownership o where o.bucket = customer.bucket and o.customer_id = id and o.status = 'certified')
        as certified
    from customer
    where account_id = ${accountId}
      and concat_ws(' ', first_name, last_name, email, profile ->> 'businessName') ilike ${pattern}
      and lower(email) = lower(coalesce(${email}, email))
      and (${status}::text[] is null or status = any(${status}))
      and correlation_id is not distinct from coalesce(${correlationId}, correlation_id)
    order by id desc
    limit ${limit} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`
    select count(*) as total
    from customer
    where account_id = ${accountId}
      and concat_ws(' ', first_name, last_name, email, profile ->> 'businessName') ilike ${pattern}
      and lower(email) = lower(coalesce(${email}, email))
      and (${status}::text[] is null or status = any(${status}))
      and correlation_id is not distinct from coalesce(${correlationId}, correlation_id)`;
  return { elements, total: Number(count?.total) };
}

/** Whether a customer is suspended or deactivated: then nothing of it changes but the status. */
export function isClosed({ status }: Pick<Customer, 'status'>): boolean {
  return status === 'suspended' || status === 'deactivated';
}

/** Whether money that arrived may be recorded: of a customer that is verified, or was until it was suspended or deactivated. */
export function mayReceive({ status, statusBefore }: Customer): boolean {
  return status === 'verified' || statusBefore === 'verified';
}

/** The changes of status that are legal now. Who was suspended from the start has no status to come back to. */
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
    created: customer.created.toISOString(),
    ...profile,
  };
}

function linksOf(links: Links, customer: Customer): Static<typeof CustomerSchema>['_links'] {
  const self = links.to('customer', customer.id);
  const below = (place: string, resourceType: string) => links.link(`/customers/${customer.id}/${place}`, resourceType);
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
