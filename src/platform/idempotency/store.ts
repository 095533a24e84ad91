// Stored answers: the rows of `idempotency_key`, and the transfers that were made with a key.
import { type Clock, hoursBefore } from '../../core/clock.ts';
import type { Idempotency, Resource } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';

import { inBatches } from '../db/in-batches.ts';
import type { Sql } from '../db/sql.ts';
import type { StoredResponse } from './stored-response.ts';

type Row = { fingerprint: string; status: number | null; resourceType: string; resourceId: string; body: string | null };

type Stored = Idempotency & { accountId: string; bucket: number; created: Date };

/** What tells the age of a key: the retention period, and the clock of its account. */
type Retention = { config: { idempotencyTtlHours: number }; clock: Clock };

const PRUNE_BATCH = 5_000;

/**
 * Keys created before this time have expired, by the account's clock or by that of the service. A clock that is known to be ahead frees no
 * keys.
 */
export function keysSince({ config, clock }: Retention, accountId?: string): Date {
  return hoursBefore(clock.now(accountId), config.idempotencyTtlHours);
}

/** The refusal of a key that was used for another request; names the resource created under the key. */
export function keyConflict(resource: Resource) {
  return refuse('conflict', { about: resource });
}

/**
 * Returns the answer stored under a key, or undefined, also if the request has only begun. Refuses with 409 if the key was used for another
 * request. `since`: of keysSince.
 */
export async function findAnswer(
  tx: Sql,
  wanted: { bucket: number; key: string; fingerprints: string[]; since: Date },
): Promise<StoredResponse | undefined> {
  const [row] = await tx<Row>`
    select fingerprint, status, resource_type, resource_id, body from idempotency_key
    where bucket = ${wanted.bucket} and key = ${wanted.key}
    union all
    select fingerprint, status, resource_type, resource_id, null from transfer_answer
    where bucket = ${wanted.bucket} and key = ${wanted.key} and created >= ${wanted.since}`;
  if (!row) return undefined;
  const resource = { type: row.resourceType, id: row.resourceId };
  if (!wanted.fingerprints.includes(row.fingerprint)) throw keyConflict(resource);
  if (row.status === null) return undefined;
  return { status: row.status, resource, replayed: true, ...(row.body !== null && { body: JSON.parse(row.body) }) };
}

/** Stores the key of a request whose answer is not known yet, with the resource that it makes, or returns the resource of an earlier attempt. */
export async function reserveKey(
  tx: Sql,
  { key, fingerprint, accountId, bucket, created }: Stored,
  { type, id }: Resource,
): Promise<Resource> {
  const [row] = await tx<{ id: string }>`
    insert into idempotency_key (key, account_id, bucket, fingerprint, resource_type, resource_id, created)
    values (${key}, ${accountId}, ${bucket}, ${fingerprint}, ${type}, ${id}, ${created})
    on conflict (bucket, key) do update set created = excluded.created where idempotency_key.status is null
    returning resource_id as id`;
  // No row if another request stored its answer meanwhile, which the next step finds.
  return { type, id: row?.id ?? id };
}

/** Frees a key of reserveKey. */
export async function releaseKey(tx: Sql, { bucket, key }: { bucket: number; key: string }): Promise<void> {
  await tx`delete from idempotency_key where bucket = ${bucket} and key = ${key} and status is null`;
}

/** Stores an answer under its key. Fails with a violation of `idempotency_key_pkey` if another process stored one. */
export async function storeAnswer(
  tx: Sql,
  { key, fingerprint, accountId, bucket, created }: Stored,
  { status, resource, body }: StoredResponse,
): Promise<void> {
  await tx`
    insert into idempotency_key (key, account_id, bucket, fingerprint, status, resource_type, resource_id, body, created)
    values (${key}, ${accountId}, ${bucket}, ${fingerprint}, ${status}, ${resource.type}, ${resource.id},
      ${body === undefined ? null : JSON.stringify(body)}, ${created})`;
}

/**
 * Erases the stored representations of a customer and what belongs to it, which link to it. The keys stay: repetitions have no effect,
 * and get the representation of then. Other bodies, such as a certification, have no texts.
 */
export async function eraseBodies(tx: Sql, { bucket, id }: { bucket: number; id: string }): Promise<void> {
  await tx`
    update idempotency_key set body = null
    where bucket = ${bucket} and strpos(body, ${id}) > 0 and body::jsonb #>> '{_links,self,href}' like '%/' || resource_id`;
}

/** Deletes keys created before a time, of one account or of all, in batches. Returns how many. The keys of transfers stay with them. */
export async function pruneKeys(
  sql: Sql,
  { before, accountId = null, signal }: { before: Date; accountId?: string | null; signal?: AbortSignal },
): Promise<number> {
  return inBatches({ size: PRUNE_BATCH, signal }, async () => {
    const rows = await sql`
      with old as (
        select bucket, key from idempotency_key where created < ${before} and (${accountId}::uuid is null or account_id = ${accountId})
        limit ${PRUNE_BATCH}
      )
      delete from idempotency_key k using old where k.bucket = old.bucket and k.key = old.key
      returning 1`;
    return rows.length;
  });
}
