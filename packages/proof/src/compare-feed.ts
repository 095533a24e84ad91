// Compares the feed of an account with its log: the same events, with the same members, in the same order.
import { type Entry, parseEntry } from './entry.ts';
import type { Entries } from './read-entries.ts';
import { idIn, type Link, type OnShare, type Report, type Source } from './source.ts';

type Shown = Pick<Entry, 'id' | 'topic' | 'created' | 'resourceId'> & { _links: { customer?: Link } };
type FeedEvent = Pick<Entry, 'id' | 'topic' | 'created' | 'resourceId' | 'customer'>;
type Page = { _embedded: { events: Shown[] } };

const PAGE = 200;
const MEMBERS = ['topic', 'created', 'resourceId', 'customer'] as const;

/** Reports the events that differ. Returns how many entries are older than the oldest event, which retention deletes first. */
export async function compareFeed(
  source: Source,
  entries: Entries,
  { report, onShare }: { report: Report; onShare: OnShare },
): Promise<number> {
  const { size } = entries;
  const feed = readFeed(source);
  const next = async () => (await feed.next()).value as FeedEvent | undefined;
  let event = await next();
  let pruned = 0;
  let isInFeed = false;
  for await (const { index, text } of entries.read()) {
    const entry = parseEntry(text);
    const isOlder = event === undefined || entry.created <= event.created;
    if (!isInFeed && event?.id !== entry.id && isOlder) {
      pruned += 1;
      continue;
    }
    isInFeed = true;
    if (event?.id === entry.id) {
      for (const member of MEMBERS) {
        const isOld = member === 'customer' && entry.customer === undefined;
        if (!isOld && event[member] !== entry[member])
          report(
            `changed row: event ${entry.id} shows ${member} ${event[member]}, and entry ${index} of the log ${entry[member]}`,
          );
      }
      event = await next();
    } else if (await has(source, entry.id)) {
      report(
        `reordered feed: event ${entry.id} is not at the place of entry ${index}, where the feed shows ${event?.id ?? 'nothing'}`,
      );
      return pruned;
    } else report(`removed event: event ${entry.id} of entry ${index} is not in the feed`);
    if (index % PAGE === 0) onShare((2 + index / size) / 3, 'feed');
  }
  return pruned;
}

async function has(source: Source, id: string): Promise<boolean> {
  return (await source.get(`/events/${id}`)) !== undefined;
}

/** The events of the feed, oldest first. It does not rely on the links of the pages, which a removed event would end early. */
async function* readFeed(source: Source): AsyncGenerator<FeedEvent, undefined> {
  let after: string | undefined;
  for (;;) {
    const from = after === undefined ? 'order=oldest' : `after=${after}`;
    const events = (await source.get<Page>(`/events?limit=${PAGE}&${from}`))?._embedded.events ?? [];
    for (const { _links, ...event } of events) yield { ...event, customer: idIn(_links.customer) };
    after = events.at(-1)?.id;
    if (after === undefined) return undefined;
  }
}
