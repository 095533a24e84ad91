// Writers and readers of the event feed, on connections of the tests.
import { newId } from '../../src/ids.ts';
import type { TestService } from './service.ts';

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
  { sql, client }: Pick<TestService, 'sql' | 'client'>,
  topics: string[],
  resource?: string,
): Promise<string[]> {
  const ids = topics.map(() => newId(1));
  await sql`
    insert into event (bucket, id, account_id, customer_id, topic, resource_id, created)
    select 1, id, ${client.account_id}, coalesce(${resource}, id), topic, coalesce(${resource}, id), ${new Date()}
    from unnest(${ids}::uuid[], ${topics}::text[]) as e (id, topic)`;
  return ids;
}
