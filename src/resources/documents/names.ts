// What documents are called: their type, and the person whom each has to show.
import { bucketOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { DocumentType } from './reason.ts';

type Named = { id: string; type: DocumentType; firstName: string; lastName: string };

export async function findDocumentNames(sql: Sql, ids: string[]): Promise<Named[]> {
  return sql<Named>`
    select d.id, d.type, coalesce(o.first_name, c.first_name) as first_name, coalesce(o.last_name, c.last_name) as last_name
    from document d
    join customer c on c.bucket = d.bucket and c.id = d.customer_id
    left join beneficial_owner o on o.bucket = d.bucket and o.id = d.owner_id
    where d.bucket = any(${ids.map(bucketOf)}) and d.id = any(${ids})`;
}
