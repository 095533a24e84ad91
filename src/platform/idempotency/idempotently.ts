// Runs the transaction of a request once per Idempotency-Key: key, effect and answer are committed together.
import type { Clock } from '../../core/clock.ts';
import { bucketOf, type Resource } from '../../core/ids.ts';
import { problems, Refusal } from '../../core/problems.ts';
import { lockName } from '../db/name-lock.ts';
import { type Database, databaseError, type Sql } from '../db/sql.ts';
import type { Sealer } from '../keys/sealing.ts';
import { type KeyedRequest, keyOf, sealedFingerprintsOf } from './key.ts';
import { oneAtATime } from './key-mutex.ts';
import { findAnswer, keysSince, releaseKey, reserveKey, storeAnswer } from './store.ts';
import type { StoredResponse } from './stored-response.ts';

const CONFLICT = 409;
const SERVER_ERROR = 500;

type Used = {
  config: { idempotencyTtlHours: number };
  database: Pick<Database, 'transaction'>;
  groups: { isShownInParts: boolean };
  sealer: Sealer;
  clock: Clock;
};

/**
 * Runs work in a transaction that also stores its answer under the request's key, or returns the answer that is stored.
 * `bucket` is the customer's. If two processes use one key concurrently, one commits; the other rolls back and replays. Where the parts of
 * a transaction become visible one after the other, it waits instead: it could find a record before the key.
 */
export async function idempotently(
  service: Used,
  request: KeyedRequest,
  bucket: number,
  work: (tx: Sql) => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const key = keyOf(request);
  if (key === undefined) return service.database.transaction(work);
  const { unlessAnswered, store } = openKey(service, request, { key, bucket, exclusive: service.groups.isShownInParts });
  return runOnce(key, () => unlessAnswered(async (tx) => store(tx, await work(tx))));
}

/**
 * Like `idempotently`, for work whose effects are not all in its transaction. A transaction before it stores the key with the resource that
 * the work makes: if the process dies, the key stays that of this request, and a repetition makes the same resource. A refusal frees the
 * key, and must come before any effect. If two processes use one key concurrently, one waits for the other.
 */
export async function idempotentlyInSteps(
  service: Used,
  request: KeyedRequest,
  resource: Resource,
  work: (tx: Sql, resource: Resource) => Promise<StoredResponse>,
): Promise<StoredResponse> {
  const key = keyOf(request);
  if (key === undefined) return service.database.transaction((tx) => work(tx, resource));
  const { row, unlessAnswered, store } = openKey(service, request, { key, bucket: bucketOf(resource.id), exclusive: true });
  return runOnce(key, async () => {
    let begun = resource;
    const stored = await unlessAnswered(async (tx) => {
      begun = await reserveKey(tx, row(), resource);
      return undefined;
    });
    if (stored) return stored;
    let refusal: Refusal | undefined;
    const answer = await unlessAnswered(async (tx) => {
      const made = await work(tx, begun).catch((error: unknown) => {
        if (!(error instanceof Refusal) || problems[error.problem].status >= SERVER_ERROR) throw error;
        refusal = error;
        return undefined;
      });
      await releaseKey(tx, row());
      return made && store(tx, made);
    });
    if (!answer) throw refusal;
    return answer;
  });
}

/** `unlessAnswered` runs a step in a transaction, unless an answer is stored; `exclusive` lets one process at a time do so. */
function openKey(
  service: Used,
  request: KeyedRequest,
  { key, bucket, exclusive }: { key: string; bucket: number; exclusive: boolean },
) {
  const { database, sealer, clock } = service;
  const { accountId } = request.caller;
  const fingerprints = sealedFingerprintsOf(request, sealer);
  const row = (created = clock.now(accountId)) => ({ key, fingerprint: fingerprints[0]!, accountId, bucket, created });
  return {
    row,
    unlessAnswered: <T>(step: (tx: Sql) => Promise<T>) =>
      database.transaction(async (tx) => {
        if (exclusive) await lockName(tx, key);
        const stored = await findAnswer(tx, { bucket, key, fingerprints, since: keysSince(service, accountId) });
        return stored ?? step(tx);
      }),
    async store(tx: Sql, answer: StoredResponse): Promise<StoredResponse> {
      await storeAnswer(tx, row(answer.made), answer);
      return answer;
    },
  };
}

/** Runs an attempt, and again if another process stored a record meanwhile, whose answer it then finds. */
function runOnce<T>(key: string, attempt: () => Promise<T>): Promise<T> {
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
