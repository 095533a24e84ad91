// Runs the transaction of a request once per Idempotency-Key: key, effect and answer are committed together.
import type { Clock } from '../clock.ts';
import { type Database, databaseError, type Sql } from '../db/sql.ts';
import type { Resource } from '../ids.ts';
import { problems, Refusal } from '../problems.ts';
import type { Sealer } from '../sealing.ts';
import type { Answer } from './answer.ts';
import { oneAtATime } from './in-flight.ts';
import { type KeyedRequest, keyOf, sealedFingerprintsOf } from './key.ts';
import { findAnswer, keysSince, storeAnswer, storeBegun } from './store.ts';

const CONFLICT = 409;
/** Longer than the ten seconds in which lanes answer, while the transaction is idle. */
const EXCLUSIVE_MAX_MS = 15_000;

/**
 * Runs work in a transaction that also stores its answer under the request's key, or returns the answer that is stored.
 * `bucket` is the customer's. If two processes use one key concurrently, one commits; the other rolls back and replays. With
 * `exclusive`, the other waits instead, for work whose effects are not all in the transaction; also on a cluster, whose servers show the
 * parts of a transaction one after the other: the other could find a record before the key. With `begin`, a transaction before stores the
 * key with the resource that `begin` returns: if the process dies during the work, the key stays that of this request.
 */
export async function idempotently(
  service: {
    config: { idempotencyTtlHours: number };
    database: Database;
    groups: { isCluster: boolean };
    sealer: Sealer;
    clock: Clock;
  },
  request: KeyedRequest,
  bucket: number,
  work: (tx: Sql) => Promise<Answer>,
  { exclusive = false, begin }: { exclusive?: boolean; begin?: (tx: Sql) => Promise<Resource> } = {},
): Promise<Answer> {
  const { database, groups, sealer, clock } = service;
  const key = keyOf(request);
  if (key === undefined) return database.transaction(work);
  const { accountId } = request.caller;
  const fingerprints = sealedFingerprintsOf(request, sealer);
  const unlessAnswered = <T>(step: (tx: Sql) => Promise<T>) =>
    database.transaction(async (tx) => {
      if (exclusive || groups.isCluster)
        await tx`
          select set_config('idle_in_transaction_session_timeout', ${`${EXCLUSIVE_MAX_MS}`}, true),
            pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
      const stored = await findAnswer(tx, { bucket, key, fingerprints, since: keysSince(service, accountId) });
      return stored ?? step(tx);
    });
  const row = { key, fingerprint: fingerprints[0]!, accountId, bucket };
  const attempt = async () => {
    const stored =
      begin && (await unlessAnswered(async (tx) => storeBegun(tx, { ...row, created: clock.now(accountId) }, await begin(tx))));
    if (stored) return stored;
    return unlessAnswered(async (tx) => {
      const answer = await work(tx);
      await storeAnswer(tx, { ...row, created: answer.made ?? clock.now(accountId) }, answer);
      return answer;
    });
  };
  return oneAtATime(key, () =>
    attempt().catch((error: unknown) => {
      if (databaseError(error)?.constraint === 'idempotency_key_pkey' || isConflict(error)) return attempt();
      throw error;
    }),
  );
}

/** Whether a record of another request is in the way. It may be that of this request, made by another process meanwhile. */
function isConflict(error: unknown): boolean {
  return error instanceof Refusal && problems[error.problem].status === CONFLICT;
}
