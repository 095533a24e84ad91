// Restores events that the feed lacks and the transparency log has: at their positions, with their ids.
import { type Entry, readEntry } from '../../../packages/proof/src/entry.ts';
import { bucketOf } from '../../core/ids.ts';
import { UserError } from '../../core/user-error.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { findEntry } from './tile.ts';
import { type Log, listLogs } from './transparency-log.ts';

/** Positions without an event, both ends included. */
type Gap = { first: bigint; last: bigint };
type Lost = { position: bigint; entry: Entry };

/** How many events are restored by one statement. */
const BATCH = 1_000;

/** What tells an event of a change from those of others. */
type Reported = Pick<Entry, 'topic' | 'resourceId'>;

/** Returns the events that are missing, and restores them unless it only counts. Throws a UserError if the log does not have one. */
export async function restoreFromLogs(database: Database, { countOnly }: { countOnly: boolean }): Promise<Reported[]> {
  const found: Reported[] = [];
  for (const log of await listLogs(database.sql))
    for (const event of await database.transaction((tx) => restoreFromLog(tx, log, countOnly))) found.push(event);
  return found;
}

async function restoreFromLog(tx: Sql, log: Log, countOnly: boolean): Promise<Reported[]> {
  const { accountId } = log;
  const [head] = await tx<{ pruned: Date | null }>`
    select pruned from event_head where account_id = ${accountId} for update`;
  const found: Reported[] = [];
  for (const gap of head ? await findGaps(tx, log) : []) {
    const lost = await readLost(tx, log, gap, head!.pruned);
    for (const { entry } of lost) found.push({ topic: entry.topic, resourceId: entry.resourceId });
    for (let at = 0; at < lost.length && !countOnly; at += BATCH) await insertLost(tx, accountId, lost.slice(at, at + BATCH));
  }
  if (found.length > 0 && !countOnly) await numberWithinTopics(tx, accountId);
  return found;
}

async function findGaps(tx: Sql, { accountId, start }: Log): Promise<Gap[]> {
  return tx<Gap>`
    select position + 1 as first, next - 1 as last
    from (
      select position, lead(position, 1, (select position + 1 from event_head where account_id = ${accountId})) over (order by position) as next
      from (select ${start}::bigint as position union all select position from event where account_id = ${accountId} and position > ${start}) stored
    ) neighbor
    where next > position + 1
    order by position`;
}

/** The events of a gap, without those that retention deleted. */
async function readLost(tx: Sql, { accountId, start, size }: Log, { first, last }: Gap, pruned: Date | null): Promise<Lost[]> {
  const end = start + BigInt(size);
  if (last > end)
    throw new UserError(
      `The feed of account ${accountId} lacks positions ${first > end ? first : end + 1n} to ${last}, which its log does not have either: restore a backup.`,
    );
  const lost: Lost[] = [];
  for (let position = first; position <= last; position++) {
    const text = await findEntry(tx, accountId, Number(position - start) - 1);
    const entry = text && readEntry(text);
    if (!entry || 'fault' in entry)
      throw new UserError(`Entry ${position - start - 1n} of the log of account ${accountId} cannot be read: restore a backup.`);
    if (pruned === null || Date.parse(entry.created) >= pruned.getTime()) lost.push({ position, entry });
  }
  return lost;
}

/** Positions within topics are unique: these get negative ones, until all have their neighbors. */
async function insertLost(tx: Sql, accountId: string, lost: Lost[]): Promise<void> {
  const of = <T>(value: (entry: Entry) => T): T[] => lost.map(({ entry }) => value(entry));
  const rows = await tx`
    insert into event (account_id, position, id, customer_id, resource_id, created, topic_position, topic, bucket)
    select ${accountId}::uuid, w.position, w.id, w.customer, w.resource, w.created, -w.position, t.number, w.bucket
    from unnest(${lost.map(({ position }) => String(position))}::bigint[], ${of(({ id }) => id)}::uuid[], ${of(({ customer }) => customer ?? null)}::uuid[],
      ${of(({ resourceId }) => resourceId)}::uuid[], ${of(({ created }) => created)}::timestamptz[], ${of(({ topic }) => topic)}::text[],
      ${of(({ id }) => bucketOf(id))}::int[]) as w (position, id, customer, resource, created, topic, bucket)
    join event_topic t on t.account_id = ${accountId} and t.topic = w.topic
    returning 1`;
  if (rows.length < lost.length) throw new UserError(`Topics of the feed of account ${accountId} are lost: restore a backup.`);
}

/** Positions within a topic have no gaps and end with that of the topic. */
async function numberWithinTopics(tx: Sql, accountId: string): Promise<void> {
  await tx`
    update event e set topic_position = n.place
    from (
      select e.position, t.position + 1 - row_number() over (partition by e.topic order by e.position desc) as place
      from event e join event_topic t on t.account_id = e.account_id and t.number = e.topic
      where e.account_id = ${accountId}
    ) n
    where e.account_id = ${accountId} and e.position = n.position and e.topic_position < 0`;
}
