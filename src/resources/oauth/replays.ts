// Used ids of assertions and proofs: each is accepted once, by whichever process. Ids that arrive during a commit are stored with the next.
import { hash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';

export type Replays = {
  /** Stores that an id of a client was used. Returns false if it was used before. Rejects if that cannot be known. */
  use(used: { client: string; jti: string; expiresMs: number }): Promise<boolean>;
};

type Waiting = { hash: string; expires: Date; resolve(isFirst: boolean): void; reject(error: unknown): void };

/** Clocks of machines differ: an id is kept for this long after it has expired by the clock of this one. */
const KEEP_MS = 60_000;
const BATCH_MAX = 500;
const PRUNE_EVERY_MS = 5_000;
/** Expired rows that are deleted for each new one: the table has at most the rows of a few seconds more than are needed. */
const PRUNED_PER_ROW = 2;
const UUID_DIGITS = 32;

export function openReplays({ sql, clock }: { sql: Sql; clock: Clock }): Replays {
  const waiting: Waiting[] = [];
  let isWriting = false;
  let stored = 0;
  let prunedMs = performance.now();

  async function write(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) await storeBatch(sql, waiting.splice(0, BATCH_MAX)).then(count);
    isWriting = false;
    if (performance.now() - prunedMs > PRUNE_EVERY_MS) prune();
  }

  function count(rows: number): void {
    stored += rows;
  }

  function prune(): void {
    prunedMs = performance.now();
    const limit = stored * PRUNED_PER_ROW + 1;
    stored = 0;
    // What stays now is deleted with later rows.
    deleteExpired(sql, clock.now(), limit).catch(() => {});
  }

  return {
    use({ client, jti, expiresMs }) {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      // 128 bits, whatever the client sent.
      const digits = hash('sha256', `${client} ${jti}`).slice(0, UUID_DIGITS);
      waiting.push({ hash: digits, expires: new Date(expiresMs + KEEP_MS), resolve, reject });
      if (!isWriting) write();
      return promise;
    },
  };
}

/** Sorted, so that two processes never wait for each other in a circle. Returns the number of rows. */
async function storeBatch(sql: Sql, batch: Waiting[]): Promise<number> {
  const sorted = batch.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  const [hashes, expires] = [sorted.map((one) => one.hash), sorted.map((one) => one.expires)];
  try {
    const rows = await sql<{ hash: string }>`
      insert into used_proof (hash, expires) select * from unnest(${hashes}::uuid[], ${expires}::timestamptz[])
      on conflict do nothing returning hash`;
    const isNew = new Set(rows.map((row) => row.hash.replaceAll('-', '')));
    // `delete` is true for the first of two in this batch only.
    for (const one of batch) one.resolve(isNew.delete(one.hash));
    return rows.length;
  } catch (error) {
    for (const one of batch) one.reject(error);
    return 0;
  }
}

async function deleteExpired(sql: Sql, now: Date, limit: number): Promise<void> {
  await sql`
    delete from used_proof where hash = any(array(
      select hash from used_proof where expires < ${now} order by expires limit ${limit} for update skip locked))`;
}
