// Used ids of assertions and proofs: each is accepted once, by whichever process. Ids that arrive during a commit are stored with the next.
import { hash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { timeArray, uuidArray } from '../../platform/db/binary-array.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { openKeptIds } from './kept-ids.ts';

/** `client`: who has made the id, such as a key. `applicationId`: for whose use of the memory it counts. */
type Used = { applicationId: string; client: string; jti: string; expiresMs: number };

export type Replays = {
  /**
   * Stores that an id of a client was used. Returns false if it was used before. Rejects if that cannot be known, and refuses with
   * `tooManyRequests` while the application has as many ids as are kept.
   */
  use(used: Used): Promise<boolean>;
};

type Waiting = Pick<Used, 'applicationId' | 'expiresMs'> & {
  hash: string;
  resolve(isFirst: boolean): void;
  reject(error: unknown): void;
};

/** Clocks of machines differ: an id is kept for this long after it has expired by the clock of this one. */
const KEEP_MS = 60_000;
const BATCH_MAX = 500;
const PRUNE_EVERY_MS = 5_000;
/** Expired rows that are deleted for each new one: the table has at most the rows of a few seconds more than are needed. */
const PRUNED_PER_ROW = 2;
const UUID_DIGITS = 32;

/** `keptMax`: how many ids of one application this process keeps at the same time. */
export function openReplays({ sql, clock, keptMax }: { sql: Sql; clock: Clock; keptMax: number }): Replays {
  const kept = openKeptIds(keptMax);
  const waiting: Waiting[] = [];
  let isWriting = false;
  let stored = 0;
  let prunedMs = performance.now();

  async function write(): Promise<void> {
    while (waiting.length > 0) await storeWaiting(waiting.splice(0, BATCH_MAX));
    isWriting = false;
    if (performance.now() - prunedMs > PRUNE_EVERY_MS) prune();
  }

  async function storeWaiting(batch: Waiting[]): Promise<void> {
    try {
      const isNew = await storeBatch(sql, batch);
      stored += isNew.size;
      for (const one of batch) {
        // True for the first of two in this batch only.
        const isFirst = isNew.delete(one.hash);
        if (isFirst) kept.add(one, clock.now().getTime());
        one.resolve(isFirst);
      }
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  function prune(): void {
    prunedMs = performance.now();
    const limit = stored * PRUNED_PER_ROW + 1;
    stored = 0;
    // What stays now is deleted with later rows.
    deleteExpired(sql, clock.now(), limit).catch(() => {});
  }

  return {
    use({ applicationId, client, jti, expiresMs }) {
      kept.refuseIfFull(applicationId, clock.now().getTime());
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      // 128 bits, whatever the client sent.
      const digits = hash('sha256', `${client} ${jti}`).slice(0, UUID_DIGITS);
      waiting.push({ hash: digits, applicationId, expiresMs: expiresMs + KEEP_MS, resolve, reject });
      if (!isWriting) {
        isWriting = true;
        // After the requests that have arrived with this one.
        setImmediate(write);
      }
      return promise;
    },
  };
}

/** Sorted, so that two processes never wait for each other in a circle. Returns the new hashes. */
async function storeBatch(sql: Sql, batch: Waiting[]): Promise<Set<string>> {
  const sorted = batch.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  const hashes = uuidArray(sorted.map((one) => one.hash));
  const expires = timeArray(sorted.map((one) => one.expiresMs));
  const rows = await sql<{ hash: string }>`
    insert into used_proof (hash, expires) select * from unnest(${hashes}::uuid[], ${expires}::timestamptz[])
    on conflict do nothing returning hash`;
  return new Set(rows.map((row) => row.hash.replaceAll('-', '')));
}

async function deleteExpired(sql: Sql, now: Date, limit: number): Promise<void> {
  await sql`
    delete from used_proof where hash = any(array(
      select hash from used_proof where expires < ${now} order by expires limit ${limit} for update skip locked))`;
}
