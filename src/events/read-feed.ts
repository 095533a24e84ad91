// Reads an account's feed by position, as the transparency log does.
import type { Sql } from '../db/sql.ts';
import { feed } from './event.ts';

/** `created`: in ISO 8601, as in the entries of the log. */
export type FeedEvent = { position: bigint; id: string; topic: string; resourceId: string; created: string };

/** The events after a position, in order. They come as one text, because `pg` takes longer for a row than the database does. */
export async function readFeed(
  sql: Sql,
  accountId: string,
  { after, limit }: { after: bigint; limit: number },
): Promise<FeedEvent[]> {
  const [read] = await sql<{ lines: string | null }>`
    select string_agg(concat_ws(' ', position, id, topic, resource_id, date_part('epoch', created)), e'\n' order by position) as lines
    from (
      select e.position, e.id, t.topic, e.resource_id, e.created from ${feed}
      where e.account_id = ${accountId} and e.position > ${after}
      order by e.position limit ${limit}
    ) e`;
  let [seconds, time] = ['', ''];
  return (read!.lines?.split('\n') ?? []).map((line) => {
    const [position, id, topic, resourceId, created] = line.split(' ') as [string, string, string, string, string];
    // The events of a batch have one time.
    if (created !== seconds) [seconds, time] = [created, toTime(created)];
    return { position: BigInt(position), id, topic, resourceId, created: time };
  });
}

/** Seconds since 1970 in ISO 8601. Digits after the milliseconds are cut off, after the microseconds they are rounding errors. */
function toTime(seconds: string): string {
  return new Date(Math.floor(Math.round(Number(seconds) * 1e6) / 1e3)).toISOString();
}
