// Reads an account's feed by position, as the transparency log does.
import { mapYielding } from '../../core/map-yielding.ts';
import type { Sql } from '../../platform/db/sql.ts';

/** `created`: in ISO 8601, as in the entries of the log. */
export type FeedEvent = { id: string; topic: string; resourceId: string; created: string; customer: string | undefined };

/**
 * The events after a position, in order. Throws if one is missing between them. They come as one text, because `pg` takes longer for a row
 * than the database does; their topics come as numbers.
 */
export async function readFeed(
  sql: Sql,
  accountId: string,
  { after, limit }: { after: bigint; limit: number },
): Promise<FeedEvent[]> {
  const [read] = await sql<{ lines: string | null; last: bigint; topics: Record<string, string> }>`
    select string_agg(concat_ws(' ', id, topic, resource_id, (date_part('epoch', created) * 1e6)::bigint,
        customer_id), e'\n' order by position) as lines,
      max(position) as last,
      (select jsonb_object_agg(number, topic) from event_topic where account_id = ${accountId}) as topics
    from (
      select position, id, topic, resource_id, created, customer_id from event
      where account_id = ${accountId} and position > ${after}
      order by position limit ${limit}
    ) e`;
  const { lines, last, topics } = read!;
  if (lines === null) return [];
  const texts = lines.split('\n');
  if (last !== after + BigInt(texts.length))
    throw new Error(`account ${accountId}: the feed lacks events between the positions ${after} and ${last}`);
  let [microseconds, time] = ['', ''];
  return mapYielding(texts, (line) => {
    const [id, topic, resourceId, created, customer] = line.split(' ') as [string, string, string, string, string | undefined];
    if (!topics[topic]) throw new Error(`account ${accountId}: event ${id} has no topic`);
    // The events of a batch have one time.
    if (created !== microseconds) [microseconds, time] = [created, toTime(created)];
    return { id, topic: topics[topic], resourceId, created: time, customer };
  });
}

/** Microseconds since 1970 in ISO 8601. Digits after the milliseconds are cut off. */
function toTime(microseconds: string): string {
  return new Date(Math.floor(Number(microseconds) / 1e3)).toISOString();
}
