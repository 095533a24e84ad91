// Writers and readers of the event feed, on connections of the tests.
import { newId } from '../../src/core/ids.ts';
import { settleEvents } from '../../src/ledger/feed/feed.ts';
import { type Fragment, fragment, type Sql } from '../../src/platform/db/sql.ts';
import type { TestService } from './service.ts';

/**
 * All events committed before the call, as a table for queries. Settles them first: on a cluster, a query of the outbox and the feed
 * does not see both at one time.
 */
export async function allEvents(sql: Sql): Promise<Fragment> {
  await settleEvents(sql);
  return fragment`(
    select e.bucket, e.id, e.account_id, e.customer_id, e.created, t.topic, e.resource_id
    from event e join event_topic t on t.account_id = e.account_id and t.number = e.topic
  ) event`;
}

type Listed = { id: string; topic: string; resourceId: string };

export const eventsOf = (body: { _embedded: { events: Listed[] } }) => body._embedded.events;

/** Follows the feed from an event, or from the start. */
export async function follow(service: TestService, after?: string): Promise<string[]> {
  const seen: string[] = [];
  let path: string | undefined = `/events?limit=3&${after ? `after=${after}` : 'order=oldest'}`;
  while (path) {
    const { body } = await service.call('GET', path);
    seen.push(...eventsOf(body).map(({ id }) => id));
    path = body._links.next?.href;
  }
  return seen;
}

/** Writes events of an account in one transaction, one for each topic in order, all about `resource` or each about another. */
export async function insertEvents(
  { sql, client }: Pick<TestService, 'sql'> & { client: { account_id: string } },
  topics: string[],
  resource?: string,
): Promise<string[]> {
  const ids = topics.map(() => newId(1));
  await sql`
    insert into event_outbox (bucket, ids, account_id, topic, created)
    select outbox_bucket(1), array[array[id], array[coalesce(${resource}, id)], array[coalesce(${resource}, id)]], ${client.account_id}, topic, ${new Date()}
    from unnest(${ids}::uuid[], ${topics}::text[]) as e (id, topic)`;
  return ids;
}
