// Every column that holds something sealed: read by the key that seals it, and sealed anew under the newest.
import type { Sql } from '../db/sql.ts';
import { bucketOf } from '../ids.ts';
import type { Sealer } from '../sealing.ts';

export type SealedColumn = {
  /** What is in it, in words. */
  holds: string;
  /** How many values each key seals, by the key's id. */
  count(sql: Sql): Promise<Map<string, number>>;
  /**
   * Rewraps one batch of what other keys than the newest seal, in the order of the primary key, after a place. Returns the next
   * place, or undefined at the end. A value that changes meanwhile is left alone: it was sealed under the newest key just now.
   */
  rewrap(sql: Sql, sealer: Sealer, after: string | undefined): Promise<{ rewrapped: number; next: string | undefined }>;
};

type Place = {
  table: string;
  column: string;
  holds: string;
  /** The context it is sealed to; an error of authentication says when this and its room disagree. */
  context(row: { id: string; accountId: string }): string;
  /** The primary key, `id` behind the bucket unless said. */
  key?: 'kid';
};

const BATCH = 200;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const places: Place[] = [
  { table: 'customer', column: 'sealed', holds: 'customers', context: ({ id }) => `customer:${id}` },
  { table: 'beneficial_owner', column: 'sealed', holds: 'beneficial owners', context: ({ id }) => `beneficial-owner:${id}` },
  {
    table: 'document',
    column: 'original_key',
    holds: 'documents, originals',
    context: ({ id, accountId }) => `document:${accountId}:${id}:original`,
  },
  {
    table: 'document',
    column: 'copy_key',
    holds: 'documents, copies',
    context: ({ id, accountId }) => `document:${accountId}:${id}:copy`,
  },
  {
    table: 'webhook_subscription',
    column: 'secret',
    holds: 'webhook secrets',
    context: ({ id }) => `webhook-subscription:${id}`,
  },
  {
    table: 'webhook_subscription',
    column: 'secret_before',
    holds: 'webhook secrets, former',
    context: ({ id }) => `webhook-subscription:${id}`,
  },
  { table: 'signing_key', column: 'private_jwk', holds: 'signing keys', context: ({ id }) => `signing_key:${id}`, key: 'kid' },
];

export const sealedColumns: SealedColumn[] = places.map(openColumn);

function openColumn({ table, column, holds, context, key }: Place): SealedColumn {
  const selected = key ? `${key} as id, '' as "accountId"` : 'id, account_id as "accountId"';
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
    holds,
    async count(sql) {
      const rows = await sql<{ key: string; count: number }>(counting);
      return new Map(rows.map(({ key, count }) => [key, count]));
    },
    async rewrap(sql, sealer, after) {
      const newest = Buffer.from(sealer.keyIds[0], 'hex');
      const place = after === undefined ? first : keyOf(after);
      const rows = await sql<{ id: string; accountId: string; sealed: Buffer }>(listing, newest, ...place, BATCH);
      let rewrapped = 0;
      for (const row of rows) {
        const anew = sealer.rewrap(row.sealed, context(row));
        rewrapped += (await sql(replacing, anew, ...keyOf(row.id), row.sealed)).length;
      }
      return { rewrapped, next: rows.length < BATCH ? undefined : rows.at(-1)!.id };
    },
  };
}

/** A statement as `sql` takes it; made once for each column, from the names above only. */
function template(text: string): TemplateStringsArray {
  const parts = text.split('?');
  return Object.assign(parts, { raw: parts });
}
