// Lists the customers of an account, filtered and by pages.
import { bucketOf } from '../../core/ids.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/paging.ts';
import { type Customer, type CustomerStatus, customerColumns } from './customer.ts';
import { hasText } from './search.ts';

type CustomerFilter = {
  search?: string | undefined;
  email?: string | undefined;
  status?: CustomerStatus[] | undefined;
  correlationId?: string | undefined;
  externalId?: string | undefined;
};

/**
 * Lists a page of an account's customers, newest first, with the total number of matches. `search` matches a part of a name or the
 * email without regard to case, accents and kinds of punctuation, `email` the whole email without regard to case. `status` matches any of
 * the given statuses.
 */
export async function listCustomers(
  sql: Sql,
  accountId: string,
  query: Page & CustomerFilter,
): Promise<{ elements: Customer[]; total: number }> {
  const { search = '', email, status = null, correlationId, externalId = null, limit, offset } = query;
  const matches = fragment`
    from customer c
    where ${search === '' ? fragment`account_id = ${accountId}` : hasText({ text: search, inEmail: true, accountId })}
      and lower(email) = lower(coalesce(${email}, email))
      and (${status}::text[] is null or status = any(${status}))
      and correlation_id is not distinct from coalesce(${correlationId}, correlation_id)
      and (${externalId}::text is null or external_id = ${externalId})`;
  const elements =
    search === ''
      ? await sql<Customer>`select ${customerColumns(fragment`c.bucket`)} ${matches} order by id desc limit ${limit} offset ${offset}`
      : await elementsWithText(sql, matches, { limit, offset });
  const [count] = await sql<{ total: bigint }>`select count(*) as total ${matches}`;
  return { elements, total: Number(count?.total) };
}

/** The search is evaluated first: no plan then walks the customers in the order of ids until a page is full. */
async function elementsWithText(sql: Sql, matches: Fragment, { limit, offset }: Page): Promise<Customer[]> {
  const rows = await sql<{ id: string }>`
    with matching as materialized (select c.id ${matches}) select id from matching order by id desc limit ${limit} offset ${offset}`;
  const ids = rows.map(({ id }) => id);
  return sql<Customer>`
    select ${customerColumns()} from customer where bucket = any(${ids.map(bucketOf)}) and id = any(${ids}) order by id desc`;
}
