// Recreates the events of transfers and created resources that are missing from feed and log, as late events.
import { setTimeout as sleep } from 'node:timers/promises';
import { LATE_DIGIT } from '../../../packages/proof/src/entry.ts';
import { newId } from '../../core/ids.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { writeEvent } from '../feed/event.ts';
import { readInSlices } from '../slices.ts';
import type { Declared } from './declared.ts';
import { creationsWithoutEvents, type MissingEvent, transfersWithoutEvents } from './missing-events.ts';

/** How many events one transaction writes. */
const BATCH = 500;
/** A query on a cluster sees each server at another moment: an event on its way to the feed may seem to be missing. */
const CONFIRM_AFTER_MS = 500;
/** Any number: one command at a time recreates events. */
const LOCK = 3_303_001;

/**
 * Returns the number of events that are missing, and recreates them unless it only counts: in the order of their changes. All events
 * are settled. `restored`: events that a count leaves out, because they would be restored before.
 */
export async function recreateEvents(
  database: Database,
  declared: Declared,
  { countOnly, restored }: { countOnly: boolean; restored: Pick<MissingEvent, 'topic' | 'resourceId'>[] },
): Promise<number> {
  const known = new Set(restored.map(keyOf));
  const missing = (await findMissing(database, declared)).filter((event) => !known.has(keyOf(event)));
  missing.sort((a, b) => a.created.getTime() - b.created.getTime() || (a.id < b.id ? -1 : 1));
  if (countOnly) return missing.length;
  let written = 0;
  for (let at = 0; at < missing.length; at += BATCH)
    written += await database.transaction((tx) => writeLate(tx, missing.slice(at, at + BATCH)));
  return written;
}

async function findMissing(database: Database, declared: Declared): Promise<MissingEvent[]> {
  const find = () =>
    readInSlices(database, async (tx, range) => [
      ...(await tx<MissingEvent>`${transfersWithoutEvents(range, declared)}`),
      ...(await tx<MissingEvent>`${creationsWithoutEvents(range, declared)}`),
    ]);
  const seen = await find();
  if (seen.length === 0) return [];
  await sleep(CONFIRM_AFTER_MS);
  const keys = new Set(seen.map(keyOf));
  return (await find()).filter((event) => keys.has(keyOf(event)));
}

function keyOf({ topic, resourceId }: Pick<MissingEvent, 'topic' | 'resourceId'>): string {
  return `${topic} ${resourceId}`;
}

/** Writes those that another command has not written meanwhile. */
async function writeLate(tx: Sql, events: MissingEvent[]): Promise<number> {
  await tx`select pg_advisory_xact_lock(${LOCK})`;
  let written = 0;
  for (const event of events) {
    const { bucket, accountId, customerId, topic, resourceId, created } = event;
    if (await exists(tx, event)) continue;
    const id = newId(bucket).slice(0, -1) + LATE_DIGIT;
    await writeEvent(tx, { bucket, accountId, customerId, topic, resourceId }, created, id);
    written += 1;
  }
  return written;
}

async function exists(tx: Sql, { bucket, accountId, topic, resourceId }: MissingEvent): Promise<boolean> {
  const rows = await tx`
    select 1 from event e join event_topic t on t.account_id = e.account_id and t.number = e.topic
    where e.resource_id = ${resourceId} and e.account_id is not distinct from ${accountId} and t.topic = ${topic}
    union all
    select 1 from event_outbox where bucket = outbox_bucket(${bucket}) and ids[3][1] = ${resourceId} and topic = ${topic}`;
  return rows.length > 0;
}
