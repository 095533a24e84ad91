// Writes the outcomes of deliveries, many in one transaction: delivered, retried later, given up, or the subscription paused.
import { later } from '../../core/clock.ts';
import { bucketOf, newId } from '../../core/ids.ts';
import type { GroupTransaction } from '../../platform/db/groups.ts';
import type { Exchange, Header } from '../../platform/http/send.ts';
import type { Delivery } from './claim.ts';

/** A delivery that was sent, with its outcome. Times are of the system clock; `aheadMs`: how far that of the account is ahead. */
export type Sent = {
  delivery: Delivery;
  exchange: Exchange;
  url: string;
  headers: Header[];
  body: string;
  requested: Date;
  responded: Date;
  aheadMs: number;
};

/** The status and the failures in a row that pause a subscription. */
export const GONE = 410;
export const FAILURES_MAX = 400;
const UNHEALTHY_MS = 24 * 3_600_000;
/** How often the time of the last success is written while all deliveries succeed. */
const HEALTHY_EVERY_MS = 60_000;

/** Whether the receiver accepted the delivery: a complete answer with a 2xx status. */
export function isAccepted({ answer, error }: Exchange): boolean {
  return error === undefined && answer !== undefined && answer.status >= 200 && answer.status < 300;
}

/** Runs work in a transaction on the group of the deliveries. */
export type Transact = <T>(work: (transaction: GroupTransaction) => Promise<T>) => Promise<T>;

/** Writes outcomes in the order given. Returns the ids of the subscriptions that this paused. */
export async function record(
  transact: Transact,
  sent: Sent[],
  { now, chance, before }: { now: Date; chance: () => number; before?: (() => Promise<void>) | undefined },
): Promise<string[]> {
  return transact(async (part) => {
    const settled = await settleDue(part, sent, chance);
    const paused = await updateHealth(part, sent, now);
    await insertAttempts(part, await unlessDeleted(part, sent, settled));
    await before?.();
    return paused;
  });
}

/** Ends the leases of deliveries that were not sent, so that other workers can claim them immediately. */
export async function release(transact: Transact, deliveries: Delivery[], now: Date): Promise<void> {
  const moved = deliveries.map((delivery) => ({ delivery, next: now, attempts: delivery.attempts, first: delivery.first }));
  await transact((part) => moveDue(part, moved));
}

/**
 * Without those whose webhook was deleted meanwhile, with what was due of it. `settled`: webhooks of which something was due, so that a
 * deletion waits for this transaction. Of others another worker may have settled it.
 */
async function unlessDeleted({ tx, table }: GroupTransaction, sent: Sent[], settled: Set<string>): Promise<Sent[]> {
  const unsure = sent.map(({ delivery }) => delivery.webhook.id).filter((id) => !settled.has(id));
  if (unsure.length === 0) return sent;
  const found = await tx<{ id: string }>`
    select w.id from unnest(${unsure.map(bucketOf)}::int[], ${unsure}::uuid[]) as a (bucket, id)
    join lateral (select id from ${table('webhook')} w where w.bucket = a.bucket and w.id = a.id limit 1) w on true`;
  const kept = new Set([...settled, ...found.map(({ id }) => id)]);
  return sent.filter(({ delivery }) => kept.has(delivery.webhook.id));
}

async function insertAttempts({ tx, table }: GroupTransaction, sent: Sent[]): Promise<void> {
  const each = <T>(column: (one: Sent) => T) => sent.map(column);
  const answered = <T>(column: (answer: NonNullable<Exchange['answer']>) => T) =>
    sent.map(({ exchange: { answer } }) => (answer ? column(answer) : null));
  const webhooks = each(({ delivery }) => delivery.webhook.id);
  const buckets = webhooks.map(bucketOf);
  await tx`
    update ${table('webhook_attempt')} a set superseded = true
    from unnest(${buckets}::int[], ${webhooks}::uuid[]) as w (bucket, webhook_id)
    where a.bucket = w.bucket and a.webhook_id = w.webhook_id and a.superseded is not true`;
  await tx`
    insert into ${table('webhook_attempt')} (bucket, webhook_id, subscription_id, delivered, id, url, requested, request_headers, request_body, responded,
      status, response_headers, response_body, error)
    select * from unnest(${buckets}::int[], ${webhooks}::uuid[], ${each(({ delivery }) => delivery.webhook.subscriptionId)}::uuid[],
      ${each(({ exchange }) => isAccepted(exchange))}::boolean[], ${buckets.map((bucket) => newId(bucket))}::uuid[], ${each(({ url }) => url)}::text[],
      ${each(({ requested, aheadMs }) => later(requested, aheadMs))}::timestamptz[], ${each(({ headers }) => JSON.stringify(headers))}::jsonb[],
      ${each(({ body }) => body)}::text[], ${each(({ exchange, responded, aheadMs }) => (exchange.answer ? later(responded, aheadMs) : null))}::timestamptz[],
      ${answered(({ status }) => status)}::smallint[], ${answered(({ headers }) => JSON.stringify(headers))}::jsonb[],
      ${answered(({ body }) => body)}::text[], ${each(({ exchange }) => exchange.error)}::text[])`;
}

/** Deletes the due rows of deliveries that were accepted or given up, and reschedules those that failed. Returns the webhooks that had one. */
async function settleDue(part: GroupTransaction, sent: Sent[], chance: () => number): Promise<Set<string>> {
  const outcomes = sent.map(({ delivery, exchange, requested, responded }) => {
    const [attempts, first] = [delivery.attempts + 1, delivery.first ?? requested];
    const header = exchange.answer?.headers.find(({ name }) => name.toLowerCase() === 'retry-after')?.value;
    const retryAfterMs = readRetryAfter(header, responded);
    const next = isAccepted(exchange)
      ? undefined
      : nextAttempt({ attempts, first, now: responded, chance: chance(), retryAfterMs });
    return { delivery, next, attempts, first };
  });
  const done = outcomes.filter(({ next }) => next === undefined).map(({ delivery }) => delivery);
  const deleted = done.length > 0 ? await deleteDue(part, done) : [];
  const retries = outcomes.flatMap(({ next, ...rest }) => (next ? [{ ...rest, next }] : []));
  const moved = retries.length > 0 ? await moveDue(part, retries) : [];
  return new Set([...deleted, ...moved].map(({ webhookId }) => webhookId));
}

async function deleteDue({ tx, table }: GroupTransaction, done: Delivery[]): Promise<{ webhookId: string }[]> {
  const ids = done.map(({ webhook }) => webhook.id);
  return tx<{ webhookId: string }>`
    delete from ${table('webhook_due')} d
    using unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[], ${done.map(({ due }) => due)}::timestamptz[]) as w (bucket, webhook_id, due)
    where d.bucket = w.bucket and d.due = w.due and d.webhook_id = w.webhook_id
    returning d.webhook_id`;
}

async function moveDue(
  { tx, table }: GroupTransaction,
  moved: { delivery: Delivery; next: Date; attempts: number; first: Date | null }[],
): Promise<{ webhookId: string }[]> {
  const ids = moved.map(({ delivery }) => delivery.webhook.id);
  return tx<{ webhookId: string }>`
    update ${table('webhook_due')} d set due = w.next, attempts = w.attempts, first = w.first
    from unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[], ${moved.map(({ delivery }) => delivery.due)}::timestamptz[],
      ${moved.map(({ next }) => next)}::timestamptz[],
      ${moved.map(({ attempts }) => attempts)}::smallint[], ${moved.map(({ first }) => first)}::timestamptz[])
      as w (bucket, webhook_id, due, next, attempts, first)
    where d.bucket = w.bucket and d.due = w.due and d.webhook_id = w.webhook_id
    returning d.webhook_id`;
}

/** Counts failures in a row, and pauses a subscription that returned 410 or has failed for too long. */
async function updateHealth({ tx, table }: GroupTransaction, sent: Sent[], now: Date): Promise<string[]> {
  const groups = Map.groupBy(sent, ({ delivery }) => delivery.webhook.subscriptionId);
  // Sorted, so that two workers cannot deadlock.
  const ids = [...groups.keys()].sort();
  const health = ids.map((id) => {
    const outcomes = groups.get(id)!;
    const lastAccepted = outcomes.findLastIndex(({ exchange }) => isAccepted(exchange));
    const gone = outcomes.some(({ exchange }) => exchange.answer?.status === GONE);
    return { accepted: lastAccepted >= 0, failures: outcomes.length - 1 - lastAccepted, gone };
  });
  const rows = await tx<{ id: string; paused: boolean }>`
    update ${table('webhook_subscription')} s
    set failures = case when w.accepted then w.failures else s.failures + w.failures end,
      healthy = case when w.accepted then ${now} else s.healthy end,
      paused = w.gone or s.paused
        or (not w.accepted and s.failures + w.failures >= ${FAILURES_MAX} and s.healthy <= ${new Date(now.getTime() - UNHEALTHY_MS)})
    from unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[], ${health.map(({ accepted }) => accepted)}::boolean[], ${health.map(({ failures }) => failures)}::int[],
      ${health.map(({ gone }) => gone)}::boolean[]) as w (bucket, id, accepted, failures, gone)
    where s.bucket = w.bucket and s.id = w.id
      and (not w.accepted or w.failures > 0 or s.failures > 0 or s.healthy <= ${new Date(now.getTime() - HEALTHY_EVERY_MS)})
    returning s.id, s.paused`;
  return rows.filter(({ paused }) => paused).map(({ id }) => id);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Relative to the first attempt. */
const RETRIES_MS = [15 * MINUTE_MS, ...[1, 3, 6, 12, 24, 48, 72].map((hours) => hours * HOUR_MS)];
/** Spreads deliveries that failed together. */
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * The time of the next attempt after `attempts` attempts (1 or more), the first at `first`; undefined after the last attempt.
 * `chance` is a random number in [0, 1). Waits at least as long as the receiver's Retry-After, up to a day.
 */
export function nextAttempt(made: {
  attempts: number;
  first: Date;
  now: Date;
  chance: number;
  retryAfterMs?: number | undefined;
}): Date | undefined {
  const { attempts, first, now, chance, retryAfterMs = 0 } = made;
  const times = RETRIES_MS.slice(attempts - 1).map((afterMs) => first.getTime() + afterMs * (1 + JITTER * (2 * chance - 1)));
  // Skips times in the past: a retry on request came after them.
  const scheduled = times.find((time) => time > now.getTime());
  if (scheduled === undefined) return undefined;
  return new Date(Math.max(scheduled, now.getTime() + Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)));
}

/** The milliseconds to wait according to a Retry-After header (RFC 9110 §10.2.3: seconds or a date), or undefined. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
