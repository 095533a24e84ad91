// Labels by their names, for the people who run the service.
import { bucketOf } from '../../core/ids.ts';
import { begins } from '../../platform/db/begins.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { Label } from './label.ts';

export type FoundLabel = Pick<
  Label,
  'id' | 'customerId' | 'name' | 'currency' | 'balance' | 'version' | 'held' | 'heldUntil' | 'created'
>;

const columns = fragment`id, customer_id, name, currency, balance, version, held, held_until, created`;

/** Labels of all customers whose names begin with a text. */
export async function findLabelsByName(sql: Sql, text: string, limit: number): Promise<FoundLabel[]> {
  return sql<FoundLabel>`
    select ${columns} from ledger_account
    where name is not null and ${begins(fragment`lower(name)`, text)} and removed is null
    limit ${limit}`;
}

/** Labels of some customers with a text in their names, the newest first. `after`: the last label of the page before. */
export async function findLabelsOf(
  sql: Sql,
  customerIds: string[],
  { text, after, limit }: { text: string; after?: string | undefined; limit: number },
): Promise<FoundLabel[]> {
  return sql<FoundLabel>`
    select ${columns} from ledger_account
    where bucket = any(${customerIds.map(bucketOf)}) and customer_id = any(${customerIds}) and kind = 'label' and removed is null
      and position(lower(${text}) in lower(coalesce(name, ''))) > 0
      ${after === undefined ? fragment`` : fragment`and id < ${after}`}
    order by id desc limit ${limit}`;
}
