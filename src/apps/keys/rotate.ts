// Rotates encryption keys: rewraps all sealed data under the newest key, after which older keys can be removed.
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { resources } from '../service/resources.ts';
import { countByKey, rewrapBatch } from './sealed-column.ts';

type KeyUse = { keyId: string; content: string; count: number };

const sealedColumns = resources.flatMap(({ sealed = [] }) => sealed);

/**
 * Rewraps the data keys of all sealed values under the newest key, in batches and one value per statement, so that it does not block a
 * running service and can be resumed. Content is not changed. Returns the number of values per column. Throws KeyError if a value is
 * sealed under a missing key.
 */
export async function rotateKeys({ sql }: Database, sealer: Sealer): Promise<{ content: string; rewrapped: number }[]> {
  const results: { content: string; rewrapped: number }[] = [];
  for (const column of sealedColumns) {
    let total = 0;
    let after: string | undefined;
    do {
      const { rewrapped, next } = await rewrapBatch({ sql, sealer }, column, after);
      total += rewrapped;
      after = next;
    } while (after !== undefined);
    results.push({ content: column.content, rewrapped: total });
  }
  return results;
}

/**
 * The number of values that each key seals, by kind. Hashes of application secrets cannot be rewrapped: `earmark application rotate`
 * replaces them.
 */
export async function listKeyUses(sql: Sql): Promise<KeyUse[]> {
  const uses: KeyUse[] = [];
  for (const column of sealedColumns) {
    for (const { keyId, count } of await countByKey(sql, column)) uses.push({ keyId, content: column.content, count });
  }
  const secrets = await sql<{ key: string; count: number }>`
    select key_id as key, count(*)::int as count from application_secret
    where expires is null or expires > ${new Date()}
    group by key_id`;
  return [...uses, ...secrets.map(({ key, count }) => ({ keyId: key, content: 'application secrets (hashed)', count }))];
}
