// An event: what happened to a resource, written in the transaction of what it tells.

import type { Sql } from '../db/sql.ts';
import { newId } from '../ids.ts';

export type Topic = `customer_${string}`;

export type NewEvent = { bucket: number; accountId: string; customerId: string; topic: Topic; resourceId: string };

/** Writes an event. `created` is the time of the change it tells. */
export async function writeEvent(tx: Sql, event: NewEvent, created: Date): Promise<void> {
  await tx`
    insert into event (bucket, id, account_id, customer_id, topic, resource_id, created)
    values (${event.bucket}, ${newId(event.bucket)}, ${event.accountId}, ${event.customerId}, ${event.topic}, ${event.resourceId}, ${created})`;
}
