// Labels by their names, for the people who run the service.
import { bucketOf } from '../../core/ids.ts';
import { begins } from '../../platform/db/begins.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';

export type FoundLabel = { id: string; customerId: string; name: string | null; currency: string; balance: bigint };

const columns = fragment`id, customer_id, name, currency, balance`;

/** Labels of all customers whose names begin with a text. */
export async function findLabelsByName(sql: Sql, text: string, limit: number): Promise<FoundLabel[]> {
  return sql<FoundLabel>`
    select ${columns} from ledger_account
    where name is not null and ${begins(fragment`lower(name)`, text)} and removed is null
    limit ${limit}`;
}

/** Labels of some customers with a text in their names, the newest first. */
export async function findLabelsOf(
  sql: Sql,
  customerIds: string[],
  { text, limit }: { text: string; limit: number },
): Promise<FoundLabel[]> {
  return sql<FoundLabel>`
    select ${columns} from ledger_account
    where bucket = any(${customerIds.map(bucketOf)}) and customer_id = any(${customerIds}) and kind = 'label' and removed is null
      and position(lower(${text}) in lower(coalesce(name, ''))) > 0
    order by id desc limit ${limit}`;
}
