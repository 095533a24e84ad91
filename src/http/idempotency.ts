// Idempotency keys: the first answer again for the same request, and one effect however often it is sent.
// After draft-ietf-httpapi-idempotency-key-header; key, effect and answer are committed in one transaction.
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

/** A resource by its kind (`label-reallocation`) and id. */
export type Resource = { type: string; id: string };

/** Both are 128-bit hashes, spelled as UUIDs: of the account with its key, and of the request. */
export type Idempotency = { key: string; fingerprint: string };

/** What a request made: its status, the resource that Location names, a body where there is one, and when, where that is not now. */
export type Answer = { status: number; resource: Resource; body?: unknown; replayed?: boolean; made?: Date };

type Row = { fingerprint: string; status: number; resource_type: string; resource_id: string; body: string | null };

type UnderWay = { key: string; running: Promise<unknown> };

const PRUNE_BATCH = 5_000;
const KEY = /^[\x21-\x7e]{1,255}$/;
/** As the draft writes a key: it is the same without the quotes. */
const QUOTED = /^".*"$/;
const PLACE_DIGITS = 2;
/** By the first digits of the key. No Map: entries leave it all the time (ARCHITECTURE.md, "Short-lived memory"). */
const underWay = Array.from({ length: 16 ** PLACE_DIGITS }, (): UnderWay[] => []);

/** The key and fingerprint of a request, or undefined when it carries no Idempotency-Key. */
export function idempotencyOf(request: FastifyRequest): Idempotency | undefined {
  const key = keyOf(request);
  return key === undefined ? undefined : { key, fingerprint: toUuid(hash('sha256', textOf(request), 'hex')) };
}

/** Runs work while no other request of this process with the same key runs: a repetition waits for the first, then replays. */
export function oneAtATime<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
  if (key === undefined) return work();
  const again = () => oneAtATime(key, work);
  const near = underWay[Number.parseInt(key.slice(0, PLACE_DIGITS), 16)]!;
  const first = near.find((one) => one.key === key);
  // Those behind a request that the database did not answer would each wait as long again.
  const unlessAway = (error: unknown) => {
    if (isAway(error) || (error instanceof Refusal && error.problem === 'unavailable')) throw error;
    return again();
  };
  if (first) return first.running.then(again, unlessAway);
  const entry = { key, running: work() };
  near.push(entry);
  const leave = () => near.splice(near.indexOf(entry), 1);
  entry.running.then(leave, leave);
  return entry.running;
}

/**
 * Runs work in a transaction that also keeps its answer under the request's key, or gives the answer that is kept.
 * `bucket` is the customer's. Two processes at once with one key: one commits, the other rolls back and replays.
 * The fingerprint is a keyed hash: a body may hold what is sealed elsewhere, and few enough values of it to try them all.
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
      const kept = await findAnswer(tx, { key, fingerprints });
      if (kept) return kept;
      const made = await work(tx);
      const { accountId } = request.caller;
      await keepAnswer(
        tx,
        { key, fingerprint: fingerprints[0]!, accountId, bucket, created: made.made ?? clock.now(accountId) },
        made,
      );
      return made;
    });
  return oneAtATime(key, () =>
    attempt().catch((error: unknown) => {
      if (databaseError(error)?.constraint === 'idempotency_key_pkey') return attempt();
      throw error;
    }),
  );
}

/** Sends an answer, marked when it is a repetition. */
export function sendAnswer(reply: FastifyReply, links: Links, answer: Answer) {
  reply.code(answer.status);
  if (answer.status === 201) reply.header('location', links.locate(answer.resource));
  if (answer.replayed) reply.header('idempotent-replayed', 'true');
  return reply.send(answer.body);
}

/** The refusal of a key that stands for another request, naming the resource the key made. */
export function keyConflict(resource: Resource) {
  return refuse('conflict', { about: resource });
}

/** The answer kept under a key, or undefined. Refused with 409 when the key stands for another request. */
export async function findAnswer(tx: Sql, wanted: { key: string; fingerprints: string[] }): Promise<Answer | undefined> {
  const [row] = await tx<Row>`
    select fingerprint, status, resource_type, resource_id, body from idempotency_key where key = ${wanted.key}`;
  if (!row) return undefined;
  const resource = { type: row.resource_type, id: row.resource_id };
  if (!wanted.fingerprints.includes(row.fingerprint)) throw keyConflict(resource);
  return { status: row.status, resource, replayed: true, ...(row.body !== null && { body: JSON.parse(row.body) }) };
}

async function keepAnswer(
  tx: Sql,
  { key, fingerprint, accountId, bucket, created }: Idempotency & { accountId: string; bucket: number; created: Date },
  { status, resource, body }: Answer,
): Promise<void> {
  await tx`
    insert into idempotency_key (key, account_id, bucket, fingerprint, status, resource_type, resource_id, body, created)
    values (${key}, ${accountId}, ${bucket}, ${fingerprint}, ${status}, ${resource.type}, ${resource.id},
      ${body === undefined ? null : JSON.stringify(body)}, ${created})`;
}

/** Forgets the keys made before a time, of one account or of all, a batch at a time. Returns how many. */
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

/** A key is the account's: two accounts do not collide. */
function keyOf(request: FastifyRequest): string | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  const key = typeof given === 'string' && QUOTED.test(given) ? given.slice(1, -1) : given;
  if (typeof key === 'string' && KEY.test(key)) return toUuid(hash('sha256', `${request.caller.accountId} ${key}`, 'hex'));
  throw refuse('badHeader', { message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.' });
}

/** What makes two requests the same: method, path and body. */
function textOf(request: FastifyRequest): string {
  return `${request.method} ${request.url.split('?', 1)[0]} ${canonicalJson(request.body ?? null)}`;
}

/** The first 128 bits of a hash, spelled as a UUID so that PostgreSQL keeps them in 16 bytes. */
function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
