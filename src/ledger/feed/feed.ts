// The feed of an account: its events in commit order, each at a permanent position (migrations/0004-events.sql).
import { isLate } from '../../../packages/proof/src/entry.ts';
import { bucketOf } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { shareRuns } from '../../platform/db/shared-run.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { beforeLastPage, type Page } from '../../platform/http/paging.ts';
import { type Event, eventColumns, feed } from './event.ts';
import { settleParts } from './outbox.ts';

export const ORDERS = ['newest', 'oldest'] as const;
type Order = (typeof ORDERS)[number];

type FeedQuery = Page & {
  after?: string | undefined;
  order?: Order | undefined;
  topic?: string | undefined;
  resourceId?: string | undefined;
};

type FeedPage = {
  /** One more than the limit if there is a next page. */
  elements: Event[];
  total: number;
  order: Order;
  /** The id of the event before the last page, if the feed is long. */
  beforeLast?: string | undefined;
};

/** A range of positions without gaps, both ends included. If it is empty, `last` is `first - 1`. */
type Span = { first: bigint; last: bigint };

/** A topic in an account's feed. It has a number, and its events have separate positions within the topic. */
type TopicFeed = Span & { number: number };

/** The maximum number of events that one step settles. */
const STEP = 10_000;
/** The maximum of a total that is counted, such as that of the events of a resource. */
export const COUNT_MAX = 10_000;
/** Greater than every position. */
export const BEYOND = 2n ** 63n - 1n;

/** Assigns a position to every event committed before the call, in steps. Do not call it in a transaction. Returns the number of events. */
export async function settleEvents(sql: Sql, step = STEP): Promise<number> {
  let found = 0;
  for (;;) {
    const { settled, more } = await settleSome(sql, step);
    found += settled;
    if (!more) return found;
  }
}

const settling = new WeakMap<Sql, () => Promise<number>>();

/** Like settleEvents, shared by the callers that wait at the same time. */
function settleTogether(sql: Sql): Promise<number> {
  const settle = settling.get(sql) ?? shareRuns(() => settleEvents(sql));
  settling.set(sql, settle);
  return settle();
}

/** Assigns positions to at most `step` events of each part of the outbox, oldest first. Do not call it in a transaction that writes events. */
export async function settleSome(sql: Sql, step = STEP): Promise<{ settled: number; more: boolean }> {
  const steps = await settleParts(sql, step);
  return { settled: steps.reduce((sum, { settled }) => sum + settled, 0), more: steps.some(({ more }) => more) };
}

/** The last position of an account's feed; 0 before its first event. */
export async function headOf(sql: Sql, accountId: string): Promise<bigint> {
  const [row] = await sql<{ position: bigint }>`select position from event_head where account_id = ${accountId}`;
  return row?.position ?? 0n;
}

/**
 * A page of an account's events, including everything committed before the call. Newest first by default; with `after`, the events
 * after that one, oldest first unless `order` is set. Throws 404 if the event `after` no longer exists.
 */
export async function listEvents(sql: Sql, accountId: string, query: FeedQuery): Promise<FeedPage> {
  await settleTogether(sql);
  const order = query.order ?? (query.after === undefined ? 'newest' : 'oldest');
  const after = query.after === undefined ? undefined : await positionOf(sql, accountId, query.after);
  if (query.resourceId !== undefined) return { ...(await listAbout(sql, accountId, { ...query, order, after })), order };
  if (query.topic !== undefined) return { ...(await listTopic(sql, accountId, { ...query, order, after })), order };
  const all = await findSpan(sql, accountId);
  const span = pageOf(after === undefined ? all : beyond(all, after, order), order, query);
  const total = sizeOf(all);
  const beforeLast = await beforeLastPage(query, total, async (size) => {
    const position = positionBefore(all, order, size);
    return (await readSpan(sql, accountId, { first: position, last: position }, order))[0]?.id;
  });
  return { elements: await readSpan(sql, accountId, span, order), total, order, beforeLast };
}

/** The first position of an event created at `since` or later, or undefined. */
export async function positionSince(sql: Sql, accountId: string, since: Date): Promise<bigint | undefined> {
  const span = await findSpan(sql, accountId);
  // Creation times do not follow commit order exactly, but the difference is bounded unless an event is late: a binary search finds a
  // position that is certainly before the wanted one, and a scan continues from there.
  const certainlyBefore = new Date(since.getTime() - SKEW_MAX_MS);
  let [low, high] = [span.first, span.last + 1n];
  while (low < high) {
    const middle = (low + high) / 2n;
    const [event] = await readSpan(sql, accountId, { first: middle, last: middle }, 'oldest');
    if (event && event.created < certainlyBefore && !isLate(event)) low = middle + 1n;
    else high = middle;
  }
  const [found] = await sql<{ position: bigint }>`
    select position from event
    where account_id = ${accountId} and position >= ${low} and created >= ${since}
    order by position limit 1`;
  return found?.position;
}

// A request ends within 30 s, a batch within another 10 s.
const SKEW_MAX_MS = 60_000;

async function findSpan(sql: Sql, accountId: string): Promise<Span> {
  const [row] = await sql<{ first: bigint | null; last: bigint | null }>`
    select (select min(position) from event where account_id = ${accountId}) as first,
      (select position from event_head where account_id = ${accountId}) as last`;
  const last = row?.last ?? 0n;
  return { first: row?.first ?? last + 1n, last };
}

async function findTopic(sql: Sql, accountId: string, topic: string): Promise<TopicFeed | undefined> {
  const [row] = await sql<{ number: number; first: bigint | null; last: bigint }>`
    select t.number, t.position as last,
      (select min(e.topic_position) from event e where e.account_id = t.account_id and e.topic = t.number) as first
    from event_topic t
    where t.account_id = ${accountId} and t.topic = ${topic}`;
  return row && { ...row, first: row.first ?? row.last + 1n };
}

function sizeOf({ first, last }: Span): number {
  return Number(last - first + 1n);
}

async function positionOf(sql: Sql, accountId: string, eventId: string): Promise<bigint> {
  const [row] = await sql<{ position: bigint }>`
    select position from event
    where bucket = ${bucketOf(eventId)} and id = ${eventId} and account_id = ${accountId}`;
  if (!row) throw refuse('eventGone');
  return row.position;
}

function beyond(span: Span, position: bigint, order: Order): Span {
  return order === 'newest' ? { ...span, last: position - 1n } : { ...span, first: position + 1n };
}

/** The positions of a page and of one more event. */
function pageOf({ first, last }: Span, order: Order, { offset, limit }: Page): Span {
  const [skip, count] = [BigInt(offset), BigInt(limit)];
  if (order === 'newest') return { first: max(first, last - skip - count), last: last - skip };
  return { first: first + skip, last: min(last, first + skip + count) };
}

/** The position before the last `size` events in an order. */
function positionBefore({ first, last }: Span, order: Order, size: number): bigint {
  return order === 'newest' ? first + BigInt(size) : last - BigInt(size);
}

/** The events at a range of positions. */
async function readSpan(sql: Sql, accountId: string, { first, last }: Span, order: Order): Promise<Event[]> {
  const rows = await sql<Event>`
    select ${eventColumns} from ${feed}
    where e.account_id = ${accountId} and e.position between ${first} and ${last}
    order by e.position`;
  return order === 'newest' ? rows.reverse() : rows;
}

type Listing = Page & { topic?: string | undefined; resourceId?: string | undefined; order: Order; after: bigint | undefined };
type Listed = Pick<FeedPage, 'elements' | 'total' | 'beforeLast'>;

async function listTopic(sql: Sql, accountId: string, query: Listing): Promise<Listed> {
  const { order, after } = query;
  const feed = await findTopic(sql, accountId, query.topic!);
  if (!feed) return { elements: [], total: 0 };
  let span: Span = feed;
  if (after !== undefined) {
    // With `newest` this also leaves out the event itself, if it has the topic.
    const first = await firstOfTopic(sql, accountId, feed, order === 'newest' ? after : after + 1n);
    span = order === 'newest' ? { ...feed, last: first - 1n } : { ...feed, first };
  }
  const elements = await readTopic(sql, accountId, feed.number, pageOf(span, order, query));
  const total = sizeOf(feed);
  const beforeLast = await beforeLastPage(query, total, async (size) => {
    const position = positionBefore(feed, order, size);
    return (await readTopic(sql, accountId, feed.number, { first: position, last: position }))[0]?.id;
  });
  return { elements: order === 'newest' ? elements.reverse() : elements, total, beforeLast };
}

/** The events at a range of positions within a topic, oldest first. */
async function readTopic(sql: Sql, accountId: string, topic: number, { first, last }: Span): Promise<Event[]> {
  return sql<Event>`
    select ${eventColumns} from ${feed}
    where e.account_id = ${accountId} and e.topic = ${topic} and e.topic_position between ${first} and ${last}
    order by e.topic_position`;
}

/** The topic position of the topic's first event at or after a feed position. A binary search, because both positions increase together. */
async function firstOfTopic(sql: Sql, accountId: string, topic: TopicFeed, position: bigint): Promise<bigint> {
  const [row] = await sql<{ first: bigint }>`
    with recursive half (low, high) as (
      select ${topic.first}::bigint, ${topic.last + 1n}::bigint
      union all
      select case when f.before then (low + high) / 2 + 1 else low end, case when f.before then high else (low + high) / 2 end
      from half, lateral (
        select position < ${position} as before from event
        where account_id = ${accountId} and topic = ${topic.number} and topic_position = (low + high) / 2 limit 1
      ) f
      where low < high
    )
    select low as first from half where low = high`;
  return row?.first ?? topic.first;
}

async function listAbout(sql: Sql, accountId: string, query: Listing): Promise<Listed> {
  const { resourceId, topic, order, after, offset, limit } = query;
  const number = topic === undefined ? null : ((await findTopic(sql, accountId, topic))?.number ?? 0);
  // `is not distinct from` uses no index: that of the account would read the whole feed.
  const about = fragment`e.resource_id = ${resourceId} and e.account_id is not distinct from ${accountId} and e.topic = coalesce(${number}, e.topic)`;
  const page =
    order === 'newest'
      ? fragment`e.position < coalesce(${after}, ${BEYOND}::bigint) order by e.position desc`
      : fragment`e.position > coalesce(${after}, 0::bigint) order by e.position`;
  const elements = await sql<Event>`
    select ${eventColumns} from ${feed} where ${about} and ${page} limit ${limit + 1} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`
    select count(*) as total from (select 1 from event e where ${about} limit ${COUNT_MAX}) counted`;
  return { elements, total: Number(count?.total) };
}

/** The ids of an account's settled events of a resource: the newest `COUNT_MAX`. */
export async function eventsAbout(sql: Sql, accountId: string, resourceId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select id from event
    where resource_id = ${resourceId} and account_id is not distinct from ${accountId}
    order by position desc
    limit ${COUNT_MAX}`;
  return rows.map(({ id }) => id);
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
