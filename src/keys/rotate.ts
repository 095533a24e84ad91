// Rotates encryption keys: everything sealed comes under the newest, after which an older one can be taken away.
import type { Database, Sql } from '../db/sql.ts';
import type { Sealer } from '../sealing.ts';
import { sealedColumns } from './sealed-column.ts';

export type KeyUse = { keyId: string; holds: string; count: number };

/**
 * Seals the data keys of everything sealed under the newest key, a batch at a time and each value by itself, so that a running
 * service is never held up and an interrupted rotation is gone on with. Contents are not touched. Returns how many, by what they are.
 * Throws a KeyError when something is sealed under a key that is not here.
 */
export async function rotateKeys({ sql }: Database, sealer: Sealer): Promise<{ holds: string; rewrapped: number }[]> {
  const done: { holds: string; rewrapped: number }[] = [];
  for (const column of sealedColumns) {
    let total = 0;
    let after: string | undefined;
    do {
      const { rewrapped, next } = await column.rewrap(sql, sealer, after);
      total += rewrapped;
      after = next;
    } while (after !== undefined);
    done.push({ holds: column.holds, rewrapped: total });
  }
  return done;
}

/**
 * What each key is in use for. Secrets of applications are kept as hashes, which nobody can put under another key: one moves with
 * `earmark application rotate`.
 */
export async function listKeyUses(sql: Sql): Promise<KeyUse[]> {
  const uses: KeyUse[] = [];
  for (const { holds, count } of sealedColumns) {
    for (const [keyId, values] of await count(sql)) uses.push({ keyId, holds, count: values });
  }
  const secrets = await sql<{ key: string; count: number }>`
    select key_id as key, count(*)::int as count from application_secret
    where expires is null or expires > ${new Date()}
    group by key_id`;
  return [...uses, ...secrets.map(({ key, count }) => ({ keyId: key, holds: 'application secrets (hashed)', count }))];
}
