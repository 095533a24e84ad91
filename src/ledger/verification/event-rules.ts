// The rules of events: transfers and created resources have one, and each event of a transfer has its transfer. In a part of a range, the
// events of the rows are looked up by what they are about.
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach } from '../breach.ts';
import type { Declared } from './declared.ts';
import {
  creationsWithoutEvents,
  eventsBetween,
  type Only,
  reportedCreations,
  reportedTransfers,
  transfersWithoutEvents,
} from './missing-events.ts';
import { type Part, within } from './parts.ts';

type Reported = { id: string; resourceId: string };

/** How many created resources are compared at once. */
const CREATIONS = 10_000;

export async function findMissingOfTransfers(sql: Sql, part: Part, declared: Declared): Promise<Breach[]> {
  if (!isDivided(part)) return findMissing(sql, transfersWithoutEvents(part, declared));
  const rows = await sql<Reported>`
    select id, resource_id from (${reportedTransfers(within(part, 'transfers', 't'), declared)}) reported`;
  return rows.length === 0 ? [] : findMissing(sql, transfersWithoutEvents(part, declared, onlyOf(rows)));
}

/** A customer has few resources beside their transfers: the first part stands for all. On a cluster, each type is read by itself. */
export async function findMissingOfCreations(sql: Sql, part: Part, declared: Declared): Promise<Breach[]> {
  if (!isDivided(part)) return findMissing(sql, creationsWithoutEvents(part, declared));
  const breaches: Breach[] = [];
  if (part.after) return breaches;
  for (const creation of declared.creations) {
    const ofType = { ...declared, creations: [creation] };
    const [reported] = reportedCreations(fragment`bucket between ${part.first} and ${part.last}`, ofType);
    const rows = await sql<Reported>`select id, resource_id from (${reported}) reported`;
    for (let at = 0; at < rows.length && breaches.length < BREACHES_MAX; at += CREATIONS) {
      const only = onlyOf(rows.slice(at, at + CREATIONS));
      breaches.push(...(await findMissing(sql, creationsWithoutEvents(part, ofType, only))));
    }
  }
  return breaches.slice(0, BREACHES_MAX);
}

export async function findEventBreaches(sql: Sql, part: Part, { transferTopics }: Declared): Promise<Breach[]> {
  const about = isDivided(part) ? await resourcesOf(sql, part) : undefined;
  return sql<Breach>`
    select e.bucket, e.id, e.topic || case when t.id is null then ' of a missing transfer' else ' occurs twice' end as detail
    from (
      select bucket, topic, resource_id, min(id::text)::uuid as id, count(*) as events,
        overlay(resource_id::text placing '0' from 36)::uuid as transfer_id
      from (${eventsBetween(part, about)}) event
      where topic = any(${transferTopics})
      group by bucket, topic, resource_id
    ) e
    left join transfer t on t.bucket = e.bucket and t.id = e.transfer_id
    where t.id is null or e.events > 1 limit ${BREACHES_MAX}`;
}

/** What the events of a part are about; the last part has those of the outbox, too. */
async function resourcesOf(sql: Sql, part: Part): Promise<string[]> {
  const settled = await sql<{ resourceId: string }>`select distinct resource_id from event where ${within(part, 'events')}`;
  const { first, last, upTo } = part;
  const waiting = upTo
    ? []
    : await sql<{ resourceId: string }>`
    select distinct w.resource_id
    from (
      select ('x' || substr(ids[1][nth]::text, 16, 3))::bit(12)::int as bucket, ids[3][nth] as resource_id
      from (select ids, generate_subscripts(ids, 2) as nth from event_outbox) o
    ) w
    where w.bucket between ${first} and ${last}`;
  return [...new Set([...settled, ...waiting].map(({ resourceId }) => resourceId))];
}

function isDivided({ after, upTo }: Part): boolean {
  return after !== undefined || upTo !== undefined;
}

function onlyOf(rows: Reported[]): Only {
  return { ids: rows.map(({ id }) => id), resourceIds: rows.map(({ resourceId }) => resourceId) };
}

function findMissing(sql: Sql, missing: Fragment): Promise<Breach[]> {
  return sql<Breach>`
    select bucket, id, what || ' without its event' as detail from (${missing}) missing limit ${BREACHES_MAX}`;
}
