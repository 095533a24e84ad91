// Events: queries of the feed, and how one is written, in the same transaction as the change that it reports.
import assert from 'node:assert/strict';
import { bucketOf, newId } from '../../core/ids.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { noteEvent } from '../../platform/telemetry/current.ts';

/** `topic`: from the manifest of a resource. */
type NewEvent = { bucket: number; accountId: string; customerId: string | null; topic: string; resourceId: string };

export type Event = {
  id: string;
  accountId: string;
  customerId: string | null;
  topic: string;
  resourceId: string;
  created: Date;
  /** Of an announced checkpoint only. */
  checkpoint: string | null;
};

/** The feed: `event e` with its topic `t`. A checkpoint is read for the events of its topic only. */
export const feed = fragment`event e
  join lateral (select topic from event_topic t where t.account_id = e.account_id and t.number = e.topic limit 1) t on true`;
export const eventColumns = fragment`e.id, e.account_id, e.customer_id, t.topic, e.resource_id, e.created,
  case t.topic when 'account_checkpoint_created' then
    (select x.checkpoint from log_announcement x where x.event_id = e.id) end as checkpoint`;

/**
 * Writes an event and returns its id. `created` is the time of the change it reports. The time of writing is that of the server that has
 * the customer: a cluster evaluates the values of an insert on the coordinator, but those of a select where its row is.
 */
export async function writeEvent(tx: Sql, event: NewEvent, created: Date, id = newId(event.bucket)): Promise<string> {
  const { bucket, accountId, customerId, topic, resourceId } = event;
  const ids = fragment`array[[${id}], [${customerId}], [${resourceId}]]::uuid[]`;
  const values = fragment`outbox_bucket(${bucket}), ${accountId}::uuid, ${topic}, ${created}::timestamptz, clock_timestamp(), ${ids}`;
  const rows = await tx`
    insert into event_outbox (bucket, account_id, topic, created, written, ids)
    ${customerId === null ? fragment`values (${values})` : fragment`select ${values} from customer where bucket = ${bucket} and id = ${customerId}`}
    returning 1`;
  assert.equal(rows.length, 1, 'the customer of an event exists');
  noteEvent(id);
  return id;
}

/** Writes an event about an account itself. */
export function writeAccountEvent(tx: Sql, event: Pick<NewEvent, 'accountId' | 'topic'>, created: Date): Promise<string> {
  const { accountId } = event;
  return writeEvent(tx, { ...event, bucket: bucketOf(accountId), customerId: null, resourceId: accountId }, created);
}

/** The event with this id, or undefined if it does not exist, is not settled yet, or was deleted. */
export const findEvent = lookUp<Event>(
  ({ bucket, id }) => fragment`select ${eventColumns} from ${feed} where e.bucket = ${bucket} and e.id = ${id}`,
);
