// Reads an account's feed by position, as the transparency log does.
import type { Sql } from '../db/sql.ts';
import { feed } from './event.ts';

export type FeedEvent = { position: bigint; id: string; topic: string; resourceId: string; created: Date };

/** The events after a position, in order. */
export async function readFeed(
  sql: Sql,
  accountId: string,
  { after, limit }: { after: bigint; limit: number },
): Promise<FeedEvent[]> {
  return sql<FeedEvent>`
    select e.position, e.id, t.topic, e.resource_id, e.created from ${feed}
    where e.account_id = ${accountId} and e.position > ${after}
    order by e.position limit ${limit}`;
}
