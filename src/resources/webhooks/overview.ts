// Subscriptions of all accounts for people: their rates of success, failures by answer, and progress in the feed.
import { bucketOf, firstIdOf, LAST_ID } from '../../core/ids.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { COUNT_MAX } from './list.ts';
import { countWithStatus, idsWithStatus, type Range } from './status.ts';
import { type Subscription, subscriptionColumns } from './subscription.ts';

/** `failures`: since the last success. `behind`: events of the account's feed that are not webhooks yet. */
export type SubscriptionReport = Subscription & { accountName: string; failures: number; behind: bigint };

/** Counted up to `COUNT_MAX` each. */
export type Rates = { delivered: number; failed: number; pending: number };

/** How many failed webhooks got an answer: a status, or an error. */
export type AnswerCount = { status: number | null; error: string | null; count: number; newest: string };

/** Failures by answer are those of the newest failed webhooks, at most this many. */
export const GROUPED_MAX = 1_000;

const REPORTS_MAX = 500;
/** So many subscriptions are counted together. */
const RATED_MAX = 50;

/** Subscriptions that are not removed, the failing first: all, or the one with this id. */
export async function reportSubscriptions(sql: Sql, id?: string): Promise<SubscriptionReport[]> {
  const one = id === undefined ? fragment`` : fragment`and bucket = ${bucketOf(id)} and id = ${id}`;
  const found = await sql<Subscription & { failures: number; position: bigint }>`
    select ${subscriptionColumns}, failures, position
    from webhook_subscription
    where removed is null ${one}
    order by paused, failures desc, created desc, id desc limit ${REPORTS_MAX}`;
  const accounts = await sql<{ id: string; name: string; head: bigint }>`
    select a.id, a.name, coalesce(h.position, 0) as head
    from account a left join event_head h on h.account_id = a.id
    where a.id = any (${found.map(({ accountId }) => accountId)})`;
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return found.map(({ position, ...subscription }) => {
    const { name, head } = byId.get(subscription.accountId)!;
    return { ...subscription, accountName: name, behind: head > position ? head - position : 0n };
  });
}

/** The webhooks of events since a time, by their last attempt. */
export async function ratesSince(sql: Sql, subscription: Subscription, since: Date): Promise<Rates> {
  const range = { start: firstIdOf(since, subscription.bucket), end: LAST_ID, limit: COUNT_MAX };
  const [delivered, failed, pending] = await Promise.all([
    countWithStatus(sql, subscription, 'delivered', range),
    countWithStatus(sql, subscription, 'failed', range),
    countWithStatus(sql, subscription, 'pending', range),
  ]);
  return { delivered, failed, pending };
}

/** The webhooks of all active subscriptions since a time, the failing subscriptions first: at most those of `RATED_MAX`. */
export async function ratesOfAll(sql: Sql, since: Date): Promise<Rates> {
  const sum: Rates = { delivered: 0, failed: 0, pending: 0 };
  for (const subscription of (await reportSubscriptions(sql)).filter(({ paused }) => !paused).slice(0, RATED_MAX)) {
    const { delivered, failed, pending } = await ratesSince(sql, subscription, since);
    sum.delivered += delivered;
    sum.failed += failed;
    sum.pending += pending;
  }
  return sum;
}

/** The newest failed webhooks in a range of ids, grouped by the answer of the last attempt. The largest group comes first. */
export async function failuresByAnswer(sql: Sql, subscription: Subscription, range: Range): Promise<AnswerCount[]> {
  const ids = await idsWithStatus(sql, subscription, 'failed', { ...range, limit: GROUPED_MAX, offset: 0 });
  return sql<AnswerCount>`
    with last as (
      select distinct on (webhook_id) webhook_id, status, error from webhook_attempt
      where bucket = ${subscription.bucket} and webhook_id = any (${ids}) order by webhook_id, id desc
    )
    select status, error, count(*)::int as count, max(webhook_id::text)::uuid as newest from last
    group by status, error order by count desc, newest desc`;
}
