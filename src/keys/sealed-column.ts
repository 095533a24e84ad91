// The columns with sealed data: counts values by key, and rewraps them under the newest key.
import type { Sql } from '../db/sql.ts';
import { bucketOf, FIRST_ID } from '../ids.ts';
import type { Sealer } from '../sealing.ts';

type SealedColumn = {
  /** A name of the content, for people. */
  content: string;
  /** The number of values per key id. */
  count(sql: Sql): Promise<Map<string, number>>;
  /**
   * Rewraps one batch of values that other keys than the newest seal, in primary key order, after a row. Returns the row to continue
   * after, or undefined at the end. Skips a value that changes meanwhile: it is sealed under the newest key already.
   */
  rewrap(sql: Sql, sealer: Sealer, after: string | undefined): Promise<{ rewrapped: number; next: string | undefined }>;
};

type ColumnSpec = {
  table: string;
  column: string;
  content: string;
  /** The sealing context. It must equal the one that the resource uses, or opening fails. */
  context(row: { id: string; accountId: string }): string;
  /** The primary key; `(bucket, id)` by default. */
  key?: 'kid';
};

const BATCH = 200;

const columns: ColumnSpec[] = [
  { table: 'customer', column: 'sealed', content: 'customers', context: ({ id }) => `customer:${id}` },
  { table: 'beneficial_owner', column: 'sealed', content: 'beneficial owners', context: ({ id }) => `beneficial-owner:${id}` },
  {
    table: 'document',
    column: 'original_key',
    content: 'documents, originals',
    context: ({ id, accountId }) => `document:${accountId}:${id}:original`,
  },
  {
    table: 'document',
    column: 'copy_key',
    content: 'documents, copies',
    context: ({ id, accountId }) => `document:${accountId}:${id}:copy`,
  },
  {
    table: 'webhook_subscription',
    column: 'secret',
    content: 'webhook secrets',
    context: ({ id }) => `webhook-subscription:${id}`,
  },
  {
    table: 'webhook_subscription',
    column: 'secret_before',
    content: 'webhook secrets, former',
    context: ({ id }) => `webhook-subscription:${id}`,
  },
  { table: 'signing_key', column: 'private_jwk', content: 'signing keys', context: ({ id }) => `signing_key:${id}`, key: 'kid' },
];

export const sealedColumns: SealedColumn[] = columns.map(openColumn);

function openColumn({ table, column, content, context, key }: ColumnSpec): SealedColumn {
  const selected = key ? `${key} as id, '' as account_id` : 'id, account_id';
  const order = key ?? 'bucket, id';
  const beyond = key ? `${key} > ?` : '(bucket, id) > (?, ?)';
  const one = key ? `${key} = ?` : 'bucket = ? and id = ?';
  const counting = template(`
    select encode(substring(${column} from 2 for 4), 'hex') as key, count(*)::int as count
    from ${table} where ${column} is not null group by 1`);
  const listing = template(`
    select ${selected}, ${column} as sealed from ${table}
    where ${column} is not null and substring(${column} from 2 for 4) <> ? and ${beyond}
    order by ${order} limit ?`);
  const replacing = template(`update ${table} set ${column} = ? where ${one} and ${column} = ? returning 1`);
  const keyOf = (id: string) => (key ? [id] : [bucketOf(id), id]);
  const first = key ? [''] : [-1, FIRST_ID];

  return {
    content,
    async count(sql) {
      const rows = await sql<{ key: string; count: number }>(counting);
      return new Map(rows.map(({ key, count }) => [key, count]));
    },
    async rewrap(sql, sealer, after) {
      const newest = Buffer.from(sealer.keyIds[0], 'hex');
      const position = after === undefined ? first : keyOf(after);
      const rows = await sql<{ id: string; accountId: string; sealed: Buffer }>(listing, newest, ...position, BATCH);
      let rewrapped = 0;
      for (const row of rows) {
        const rewrappedValue = sealer.rewrap(row.sealed, context(row));
        rewrapped += (await sql(replacing, rewrappedValue, ...keyOf(row.id), row.sealed)).length;
      }
      return { rewrapped, next: rows.length < BATCH ? undefined : rows.at(-1)!.id };
    },
  };
}

/** Converts text with `?` to a template for `sql`. The text must contain only the names above, never input. */
function template(text: string): TemplateStringsArray {
  const parts = text.split('?');
  return Object.assign(parts, { raw: parts });
}
