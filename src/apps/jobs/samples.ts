// Figures of the whole service, sampled every five minutes and kept for three days: what the console plots beside the day before.
import { later } from '../../core/clock.ts';
import { countEvents } from '../../ledger/feed/count.ts';
import { heldByCurrency } from '../../ledger/transfers/balance.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { reviewQueue } from '../../resources/documents/queue.ts';
import { callsBetween } from '../../resources/oauth/calls.ts';
import { webhookBacklog } from '../../resources/webhooks/backlog.ts';
import { ratesOfAll } from '../../resources/webhooks/overview.ts';

/** Counts are those since the sample before. */
export type Figures = {
  reallocations: number;
  /** Since the beginning. */
  reallocationsInAll: number;
  calls: number;
  /** Calls that were refused. */
  refusals: number;
  /** Webhooks of the last hour by their last attempt. */
  delivered: number;
  failed: number;
  /** For how long the oldest event has waited to become a webhook. */
  webhookDelaySeconds: number;
  /** For how long the oldest document has waited for a reviewer. */
  reviewAgeSeconds: number;
  /** Money that all customers have, in minor units, by currency. */
  held: Record<string, string>;
};
export type Sample = { at: Date; figures: Figures };

export const SAMPLE_SECONDS = 300;
const KEPT_MS = 3 * 86_400_000;
const HOUR_MS = 3_600_000;
const REALLOCATED = 'customer_label_reallocation_created';

/** Samples the figures at a time. Several processes that do so within five minutes leave one sample. */
export async function sampleFigures(database: Database, now: Date): Promise<number> {
  const { sql } = database;
  const at = new Date(Math.floor(now.getTime() / (SAMPLE_SECONDS * 1000)) * SAMPLE_SECONDS * 1000);
  const [last] = await sql<Sample>`select at, figures from figure_sample where at < ${at} order by at desc limit 1`;
  const figures = await readFigures(database, { last, at, now });
  const stored = await sql`
    insert into figure_sample (at, figures) values (${at}, ${JSON.stringify(figures)}::jsonb) on conflict (at) do nothing returning 1`;
  await sql`delete from figure_sample where at < ${later(now, -KEPT_MS)}`;
  return stored.length;
}

/** The samples since a time, oldest first. */
export async function listSamples(sql: Sql, since: Date): Promise<Sample[]> {
  return sql<Sample>`select at, figures from figure_sample where at >= ${since} order by at`;
}

/** The calls until `at` and the reallocations, both since the last sample, and everything else now. */
async function readFigures(
  database: Database,
  { last, at, now }: { last: Sample | undefined; at: Date; now: Date },
): Promise<Figures> {
  const { sql } = database;
  // After a longer outage, the calls of the last hour.
  const since = new Date(Math.max(last?.at.getTime() ?? 0, at.getTime() - HOUR_MS));
  const [inAll, calls, backlog, queue, held, rates] = await Promise.all([
    countEvents(sql, REALLOCATED),
    callsBetween(sql, since, at),
    webhookBacklog(sql),
    reviewQueue(sql),
    heldByCurrency(database),
    ratesOfAll(sql, later(now, -HOUR_MS)),
  ]);
  const secondsSince = (time: Date | undefined) => (time ? Math.max(0, Math.round((now.getTime() - time.getTime()) / 1000)) : 0);
  return {
    // Fewer than before: an account of a sandbox was reset.
    reallocations: Math.max(0, inAll - (last?.figures.reallocationsInAll ?? inAll)),
    reallocationsInAll: inAll,
    calls: Number(calls.calls),
    refusals: Number(calls.refusals),
    delivered: rates.delivered,
    failed: rates.failed,
    webhookDelaySeconds: secondsSince(backlog.oldest),
    reviewAgeSeconds: secondsSince(queue.oldest),
    held: Object.fromEntries(held.map(({ currency, held }) => [currency, String(held)])),
  };
}
