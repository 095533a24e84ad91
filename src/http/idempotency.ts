// Idempotency keys (draft-ietf-httpapi-idempotency-key-header): a repeated request has one effect and gets the first answer again.
// Key, effect and answer are committed in one transaction.
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { isAway } from '../db/away.ts';
import { inBatches } from '../db/in-batches.ts';
import { type Database, databaseError, type Sql } from '../db/sql.ts';
import { Refusal, refuse } from '../problems.ts';
import type { Sealer } from '../sealing.ts';
import type { Links } from './links.ts';
import { canonicalJson } from './strict-json.ts';

/** A resource by its type (`label-reallocation`) and id. */
export type Resource = { type: string; id: string };

/** Two 128-bit hashes, formatted as UUIDs: of account and key, and of the request. */
export type Idempotency = { key: string; fingerprint: string };

/** The answer to a request. `resource` is the one that Location names; `made` is its time, if that is not now. */
export type Answer = { status: number; resource: Resource; body?: unknown; replayed?: boolean; made?: Date };

type Row = { fingerprint: string; status: number; resourceType: string; resourceId: string; body: string | null };

type InFlight = { key: string; running: Promise<unknown> };

const PRUNE_BATCH = 5_000;
const KEY = /^[\x21-\x7e]{1,255}$/;
/** The draft defines the key as a quoted string; without quotes it is the same key. */
const QUOTED = /^".*"$/;
const BUCKET_DIGITS = 2;
/** Requests in flight, by the first digits of the key. Not a Map: entries are short-lived (ARCHITECTURE.md, "Short-lived memory"). */
const inFlight = Array.from({ length: 16 ** BUCKET_DIGITS }, (): InFlight[] => []);

/** Returns the key and fingerprint of a request, or undefined if it has no Idempotency-Key. */
export function idempotencyOf(request: FastifyRequest): Idempotency | undefined {
  const key = keyOf(request);
  return key === undefined ? undefined : { key, fingerprint: toUuid(hash('sha256', textOf(request), 'hex')) };
}

/** Runs one request per key at a time in this process: a repetition waits for the first, then replays. */
export function oneAtATime<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
  if (key === undefined) return work();
  const retry = () => oneAtATime(key, work);
  const bucket = inFlight[Number.parseInt(key.slice(0, BUCKET_DIGITS), 16)]!;
  const first = bucket.find((entry) => entry.key === key);
  // If the database is unavailable, fail all waiting requests. Otherwise each would wait for its own timeout in turn.
  const retryUnlessAway = (error: unknown) => {
    if (isAway(error) || (error instanceof Refusal && error.problem === 'unavailable')) throw error;
    return retry();
  };
  if (first) return first.running.then(retry, retryUnlessAway);
  const entry = { key, running: work() };
  bucket.push(entry);
  const remove = () => bucket.splice(bucket.indexOf(entry), 1);
  entry.running.then(remove, remove);
  return entry.running;
}

/**
 * Runs work in a transaction that also stores its answer under the request's key, or returns the answer that is stored.
 * `bucket` is the customer's. If two processes use one key concurrently, one commits; the other rolls back and replays.
 * The fingerprint is a keyed hash, as a body may contain data that is sealed in the database and could be guessed by brute force.
 */
export async function idempotently(
  { database, sealer, clock }: { database: Database; sealer: Sealer; clock: Clock },
  request: FastifyRequest,
  bucket: number,
  work: (tx: Sql) => Promise<Answer>,
): Promise<Answer> {
  const key = keyOf(request);
  if (key === undefined) return database.transaction(work);
  const fingerprints = sealer.macs('request', textOf(request)).map((mac) => toUuid(mac.hash.toString('hex')));
  const attempt = () =>
    database.transaction(async (tx) => {
      const stored = await findAnswer(tx, { key, fingerprints });
      if (stored) return stored;
      const answer = await work(tx);
      const { accountId } = request.caller;
      await storeAnswer(
        tx,
        { key, fingerprint: fingerprints[0]!, accountId, bucket, created: answer.made ?? clock.now(accountId) },
        answer,
      );
      return answer;
    });
  return oneAtATime(key, () =>
    attempt().catch((error: unknown) => {
      if (databaseError(error)?.constraint === 'idempotency_key_pkey') return attempt();
      throw error;
    }),
  );
}

/** Sends an answer, with Idempotent-Replayed if it is a repetition. */
export function sendAnswer(reply: FastifyReply, links: Links, answer: Answer) {
  reply.code(answer.status);
  if (answer.status === 201) reply.header('location', links.locate(answer.resource));
  if (answer.replayed) reply.header('idempotent-replayed', 'true');
  return reply.send(answer.body);
}

/** The refusal of a key that was used for another request; names the resource created under the key. */
export function keyConflict(resource: Resource) {
  return refuse('conflict', { about: resource });
}

/** Returns the answer stored under a key, or undefined. Refuses with 409 if the key was used for another request. */
export async function findAnswer(tx: Sql, wanted: { key: string; fingerprints: string[] }): Promise<Answer | undefined> {
  const [row] = await tx<Row>`
    select fingerprint, status, resource_type, resource_id, body from idempotency_key where key = ${wanted.key}`;
  if (!row) return undefined;
  const resource = { type: row.resourceType, id: row.resourceId };
  if (!wanted.fingerprints.includes(row.fingerprint)) throw keyConflict(resource);
  return { status: row.status, resource, replayed: true, ...(row.body !== null && { body: JSON.parse(row.body) }) };
}

async function storeAnswer(
  tx: Sql,
  { key, fingerprint, accountId, bucket, created }: Idempotency & { accountId: string; bucket: number; created: Date },
  { status, resource, body }: Answer,
): Promise<void> {
  await tx`
    insert into idempotency_key (key, account_id, bucket, fingerprint, status, resource_type, resource_id, body, created)
    values (${key}, ${accountId}, ${bucket}, ${fingerprint}, ${status}, ${resource.type}, ${resource.id},
      ${body === undefined ? null : JSON.stringify(body)}, ${created})`;
}

/** Deletes keys created before a time, of one account or of all, in batches. Returns how many. */
export async function pruneKeys(
  sql: Sql,
  { before, accountId = null, signal }: { before: Date; accountId?: string | null; signal?: AbortSignal },
): Promise<number> {
  return inBatches({ size: PRUNE_BATCH, signal }, async () => {
    const rows = await sql`
      with old as (
        select key from idempotency_key where created < ${before} and (${accountId}::uuid is null or account_id = ${accountId})
        limit ${PRUNE_BATCH}
      )
      delete from idempotency_key k using old where k.key = old.key
      returning k.key`;
    return rows.length;
  });
}

/** The key is hashed with the account id, so that the keys of two accounts cannot collide. */
function keyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = typeof header === 'string' && QUOTED.test(header) ? header.slice(1, -1) : header;
  if (typeof key === 'string' && KEY.test(key)) return toUuid(hash('sha256', `${request.caller.accountId} ${key}`, 'hex'));
  throw refuse('badHeader', { message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.' });
}

/** The text to fingerprint: method, path and body. */
function textOf(request: FastifyRequest): string {
  return `${request.method} ${request.url.split('?', 1)[0]} ${canonicalJson(request.body ?? null)}`;
}

/** Formats the first 128 bits of a hash as a UUID, which PostgreSQL stores in 16 bytes. */
function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
