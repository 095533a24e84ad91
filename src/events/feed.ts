// The feed of an account: its events in the order of their commits, each at a position that stays (migrations/0009-event-feed.sql).
import type { Sql } from '../db/sql.ts';
import type { Page } from '../http/paging.ts';
import { bucketOf } from '../ids.ts';
import { refuse } from '../problems.ts';
import type { Event } from './event.ts';

export const ORDERS = ['newest', 'oldest'] as const;
export type Order = (typeof ORDERS)[number];

export type FeedQuery = Page & {
  after?: string | undefined;
  order?: Order | undefined;
  topic?: string | undefined;
  resourceId?: string | undefined;
};

export type FeedPage = {
  /** One more than the limit says that there is a next page. */
  elements: Event[];
  total: number;
  order: Order;
  /** Where to go on when the search for a topic stopped before it filled the page. */
  searched?: string;
};

/** Positions without gaps, from the oldest kept to the newest; `last` is one less than `first` when there is none. */
type Span = { first: bigint; last: bigint };

type Placed = Event & { position: bigint };

/** Most events that one page looks through for a topic, and that its total is counted among. */
export const SEARCH_MAX = 10_000;

/** Gives every event that is committed by now its place. Not within a transaction that writes events. Returns how many it found. */
export async function settleEvents(sql: Sql): Promise<number> {
  const [row] = await sql<{ settled: bigint }>`select settle_events() as settled`;
  return Number(row?.settled);
}

/** The last position of an account's feed; 0 before its first event. */
export async function headOf(sql: Sql, accountId: string): Promise<bigint> {
  const [row] = await sql<{ position: bigint }>`select position from event_head where account_id = ${accountId}`;
  return row?.position ?? 0n;
}

/**
 * A page of an account's events, with everything that was committed before the call. Newest first; `after` an event, unless
 * `order` says otherwise, the ones that came after it, oldest first. Refused with 404 when `after` is not there any more.
 */
export async function listEvents(sql: Sql, accountId: string, query: FeedQuery): Promise<FeedPage> {
  await settleEvents(sql);
  const order = query.order ?? (query.after === undefined ? 'newest' : 'oldest');
  const kept = await findSpan(sql, accountId);
  const span = query.after === undefined ? kept : beyond(kept, await positionOf(sql, accountId, query.after), order);
  if (query.resourceId !== undefined) return { ...(await aboutResource(sql, accountId, span, order, query)), order };
  if (query.topic !== undefined) return { ...(await withTopic(sql, accountId, { kept, span }, order, query)), order };
  const offset = BigInt(query.offset);
  const wanted = order === 'newest' ? { ...span, last: span.last - offset } : { ...span, first: span.first + offset };
  return { elements: await readSpan(sql, accountId, wanted, order, query.limit + 1), total: sizeOf(kept), order };
}

/** The first position whose event is of `since` or later, or undefined. */
export async function positionSince(sql: Sql, accountId: string, since: Date): Promise<bigint | undefined> {
  const span = await findSpan(sql, accountId);
  // Times follow positions but for moments, as requests of many processes are told in the order of their commits: half by
  // half to a place surely before it, then one by one.
  const surely = new Date(since.getTime() - SKEW_MAX_MS);
  let [low, high] = [span.first, span.last + 1n];
  while (low < high) {
    const middle = (low + high) / 2n;
    const [event] = await readSpan(sql, accountId, { first: middle, last: span.last }, 'oldest', 1);
    if (event && event.created < surely) low = middle + 1n;
    else high = middle;
  }
  const [found] = await sql<{ position: bigint }>`
    select f.position
    from event_feed f join event e on e.bucket = f.bucket and e.id = f.event_id
    where f.account_id = ${accountId} and f.position >= ${low} and e.created >= ${since}
    order by f.position limit 1`;
  return found?.position;
}

// A request ends within 30 s, a batch within 10 more.
const SKEW_MAX_MS = 60_000;

async function findSpan(sql: Sql, accountId: string): Promise<Span> {
  const [row] = await sql<{ first: bigint | null; last: bigint | null }>`
    select (select min(position) from event_feed where account_id = ${accountId}) as first,
      (select position from event_head where account_id = ${accountId}) as last`;
  const last = row?.last ?? 0n;
  return { first: row?.first ?? last + 1n, last };
}

function sizeOf({ first, last }: Span): number {
  return Number(last - first + 1n);
}

async function positionOf(sql: Sql, accountId: string, eventId: string): Promise<bigint> {
  const [row] = await sql<{ position: bigint }>`
    select position from event_feed
    where bucket = ${bucketOf(eventId)} and event_id = ${eventId} and account_id = ${accountId}`;
  if (!row) throw refuse('eventGone');
  return row.position;
}

function beyond(span: Span, position: bigint, order: Order): Span {
  return order === 'newest' ? { ...span, last: position - 1n } : { ...span, first: position + 1n };
}

/** The events at some positions. Each is found by its key: `lateral … limit 1` leaves the planner no other way. */
async function readSpan(sql: Sql, accountId: string, { first, last }: Span, order: Order, limit: number): Promise<Placed[]> {
  const count = BigInt(limit);
  const from = order === 'newest' ? max(first, last - count + 1n) : first;
  const to = order === 'newest' ? last : min(last, first + count - 1n);
  const rows = await sql<Placed>`
    select e.id, e.account_id as "accountId", e.customer_id as "customerId", e.topic, e.resource_id as "resourceId", e.created, f.position
    from event_feed f
    join lateral (select * from event e where e.bucket = f.bucket and e.id = f.event_id limit 1) e on true
    where f.account_id = ${accountId} and f.position between ${from} and ${to}
    order by f.position`;
  return order === 'newest' ? rows.reverse() : rows;
}

/** A resource's id carries the bucket of its events: one in 4096 of all is looked at. */
async function aboutResource(
  sql: Sql,
  accountId: string,
  span: Span,
  order: Order,
  { resourceId, topic, offset, limit }: FeedQuery,
): Promise<Pick<FeedPage, 'elements' | 'total'>> {
  const bucket = bucketOf(resourceId!);
  const all = await sql<Placed>`
    select e.id, e.account_id as "accountId", e.customer_id as "customerId", e.topic, e.resource_id as "resourceId", e.created, f.position
    from event e
    join event_feed f on f.bucket = e.bucket and f.event_id = e.id
    where e.bucket = ${bucket} and e.resource_id = ${resourceId} and e.account_id = ${accountId} and e.topic = coalesce(${topic}, e.topic)
    order by f.position`;
  const inSpan = all.filter(({ position }) => position >= span.first && position <= span.last);
  if (order === 'newest') inSpan.reverse();
  return { elements: inSpan.slice(offset, offset + limit + 1), total: all.length };
}

/** Looks through a stretch of the feed for a topic. A page that found less than it may is not the last: `searched` leads on. */
async function withTopic(
  sql: Sql,
  accountId: string,
  { kept, span }: { kept: Span; span: Span },
  order: Order,
  { topic, offset, limit }: FeedQuery,
): Promise<Omit<FeedPage, 'order'>> {
  const most = BigInt(SEARCH_MAX);
  const stretch =
    order === 'newest'
      ? { first: max(span.first, span.last - most + 1n), last: span.last }
      : { first: span.first, last: min(span.last, span.first + most - 1n) };
  const newest = { first: max(kept.first, kept.last - most + 1n), last: kept.last };
  const [elements, [count]] = await Promise.all([
    findTopic(sql, accountId, stretch, order, { topic, offset, limit: limit + 1 }),
    sql<{ total: bigint }>`
      select count(*) as total
      from event_feed f
      join lateral (select topic from event e where e.bucket = f.bucket and e.id = f.event_id limit 1) e on true
      where f.account_id = ${accountId} and f.position between ${newest.first} and ${newest.last} and e.topic = ${topic}`,
  ]);
  const whole = stretch.first === span.first && stretch.last === span.last;
  const [edge] =
    elements.length > limit || whole
      ? []
      : await readSpan(
          sql,
          accountId,
          order === 'newest' ? { ...stretch, last: stretch.first } : { ...stretch, first: stretch.last },
          order,
          1,
        );
  return { elements, total: Number(count?.total), ...(edge && { searched: edge.id }) };
}

async function findTopic(
  sql: Sql,
  accountId: string,
  { first, last }: Span,
  order: Order,
  { topic, offset, limit }: { topic: string | undefined; offset: number; limit: number },
): Promise<Event[]> {
  const direction = order === 'newest' ? -1n : 1n;
  return sql<Event>`
    select e.id, e.account_id as "accountId", e.customer_id as "customerId", e.topic, e.resource_id as "resourceId", e.created
    from event_feed f
    join lateral (select * from event e where e.bucket = f.bucket and e.id = f.event_id limit 1) e on true
    where f.account_id = ${accountId} and f.position between ${first} and ${last} and e.topic = ${topic}
    order by f.position * ${direction}
    limit ${limit} offset ${offset}`;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
