// Finds customers of all accounts, for the people who run the service.
import { bucketOf } from '../../core/ids.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import type { Customer, CustomerStatus } from './customer.ts';
import { fold, gramsOf, NAMES_END } from './folding.ts';

export type FoundCustomer = Pick<
  Customer,
  'id' | 'accountId' | 'type' | 'status' | 'firstName' | 'lastName' | 'email' | 'created'
> & {
  businessName: string | null;
  accountName: string;
};

type Search = {
  /** By default of all accounts. */
  accountId?: string | undefined;
  /** Only this customer. */
  id?: string | undefined;
  /** A part of a name; with `inEmail` also of the e-mail. */
  text: string;
  inEmail: boolean;
  status: CustomerStatus | undefined;
  /** The id of the last customer of the page before. */
  after: string | undefined;
  limit: number;
};

/** A page of matching customers, newest first. */
export async function searchCustomers(sql: Sql, search: Search): Promise<FoundCustomer[]> {
  const { text, limit } = search;
  const ids = text === '' ? undefined : await idsWithText(sql, search);
  const listed = ids === undefined ? matching(search) : fragment`c.bucket = any(${ids.map(bucketOf)}) and c.id = any(${ids})`;
  const found = await sql<Omit<FoundCustomer, 'accountName'>>`
    select c.id, c.account_id, c.type, c.status, c.first_name, c.last_name, c.email, c.created,
      c.profile ->> 'businessName' as business_name
    from customer c where ${listed}
    order by c.id desc limit ${limit}`;
  const accounts = await sql<{ id: string; name: string }>`
    select id, name from account where id = any(${[...new Set(found.map(({ accountId }) => accountId))]})`;
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return found.map((customer) => ({ ...customer, accountName: names.get(customer.accountId) ?? '' }));
}

/** The condition is evaluated first, so that no plan walks the customers in the order of ids until a page is full. */
async function idsWithText(sql: Sql, search: Search): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    with matching as materialized (select c.id from customer c where ${matching(search)} and ${hasText(search)})
    select id from matching order by id desc limit ${search.limit}`;
  return rows.map(({ id }) => id);
}

/**
 * The condition of customers `c`, of an account or of all, with a text in their name; with `inEmail` also in the e-mail address. Trigrams
 * use their index and leave the planner no other. A text of one or two letters has none: it is compared with each customer.
 */
export function hasText({
  text,
  inEmail,
  accountId,
}: {
  text: string;
  inEmail: boolean;
  accountId?: string | undefined;
}): Fragment {
  const folded = fold(text);
  const hasGrams = gramsOf(folded, undefined).length > 0;
  const pattern = `%${folded.replace(/[\\%_]/g, '\\$&')}%`;
  const searched = inEmail ? fragment`c.search_text` : fragment`split_part(c.search_text, ${NAMES_END}, 1)`;
  const ofAccount = accountId === undefined ? fragment`true` : fragment`c.account_id = ${accountId}`;
  const found = hasGrams
    ? fragment`c.search_grams @> ${gramsOf(folded, accountId)}::int[] and (${ofAccount}) is true`
    : ofAccount;
  return fragment`${found} and ${searched} like ${pattern}`;
}

function matching({ accountId, id, status, after }: Search): Fragment {
  return fragment`${accountId === undefined ? fragment`true` : fragment`(c.account_id = ${accountId}) is true`}
    and ${id === undefined ? fragment`true` : fragment`c.bucket = ${bucketOf(id)} and c.id = ${id}`}
    and ${status === undefined ? fragment`true` : fragment`c.status = ${status}`}
    and ${after === undefined ? fragment`true` : fragment`c.id < ${after}`}`;
}

/** The names of customers, by id. */
export async function findNames(
  sql: Sql,
  ids: string[],
): Promise<Map<string, Pick<FoundCustomer, 'firstName' | 'lastName' | 'businessName'>>> {
  const wanted = [...new Set(ids)];
  const rows = await sql<Pick<FoundCustomer, 'id' | 'firstName' | 'lastName' | 'businessName'>>`
    select id, first_name, last_name, profile ->> 'businessName' as business_name from customer
    where bucket = any(${wanted.map(bucketOf)}) and id = any(${wanted})`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** How many customers of all accounts were created after one, up to a number. */
export async function countCustomers(sql: Sql, { after, most }: { after: string; most: number }): Promise<number> {
  const [row] = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from customer where id > ${after} limit ${most}) c`;
  return row!.count;
}
