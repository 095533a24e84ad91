// Sealed columns: counts the values of a column by key, and rewraps them under the newest key.
import { bucketOf, FIRST_ID } from '../../core/ids.ts';
import { type Fragment, fragment, identifier, type Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { SealedColumn } from '../../platform/manifest.ts';

const BATCH = 200;

/** The number of values per key id. */
export async function countByKey(sql: Sql, { table, column }: SealedColumn): Promise<{ keyId: string; count: number }[]> {
  const sealed = identifier(column);
  return sql<{ keyId: string; count: number }>`
    select encode(substring(${sealed} from 2 for 4), 'hex') as key_id, count(*)::int as count
    from ${identifier(table)} where ${sealed} is not null group by 1`;
}

/**
 * Rewraps one batch of values that other keys than the newest seal, in primary key order, after a row. Returns the row to continue
 * after, or undefined at the end. Skips a value that changes meanwhile: it is sealed under the newest key already.
 */
export async function rewrapBatch(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { table, column, context, key }: SealedColumn,
  after: string | undefined,
): Promise<{ rewrapped: number; next: string | undefined }> {
  const [from, sealed] = [identifier(table), identifier(column)];
  const newest = Buffer.from(sealer.keyIds[0], 'hex');
  const selected = key === undefined ? fragment`id, account_id` : fragment`${identifier(key)} as id, '' as account_id`;
  const rows = await sql<{ id: string; accountId: string; sealed: Buffer }>`
    select ${selected}, ${sealed} as sealed from ${from}
    where ${sealed} is not null and substring(${sealed} from 2 for 4) <> ${newest} ${beyond(key, after)}
    limit ${BATCH}`;
  let rewrapped = 0;
  for (const row of rows) {
    const value = sealer.rewrap(row.sealed, context(row));
    const updated = await sql`
      update ${from} set ${sealed} = ${value} where ${isRow(key, row.id)} and ${sealed} = ${row.sealed} returning 1`;
    rewrapped += updated.length;
  }
  return { rewrapped, next: rows.length < BATCH ? undefined : rows.at(-1)!.id };
}

/** Selects the rows after one, in primary key order. */
function beyond(key: string | undefined, after: string | undefined): Fragment {
  if (key === undefined) {
    return fragment`and id > ${after ?? FIRST_ID} order by id`;
  }
  return fragment`and ${identifier(key)} > ${after ?? ''} order by ${identifier(key)}`;
}

function isRow(key: string | undefined, id: string): Fragment {
  return key === undefined ? fragment`bucket = ${bucketOf(id)} and id = ${id}` : fragment`${identifier(key)} = ${id}`;
}
