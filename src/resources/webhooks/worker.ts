// The delivery worker. Any number of workers share a database.
//
// Three activities run side by side:
//   loops     settle the feed, claim deliveries of each group by leases, and
//             read the subscriptions with queued deliveries again             (this file)
//   dispatch  queues deliveries by subscription and sends them concurrently   (dispatch.ts, deliver.ts)
//   record    writes outcomes in batches and releases what was not sent       (recorder.ts)
//
// Each delivery is sent at least once: the leases of a worker that died expire, and another worker claims the deliveries.
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, systemClock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { type Loop, startLoop } from '../../core/loop.ts';
import { settleSome } from '../../ledger/feed/feed.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import { createAddressPolicy } from '../../platform/http/address-policy.ts';
import type { Links } from '../../platform/http/links.ts';
import { openSender, type Sender } from '../../platform/http/send.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { type Metrics, openMetrics } from '../../platform/telemetry/metrics.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { registerPoolMetrics } from '../../platform/telemetry/pool.ts';
import type { Tracing } from '../../platform/telemetry/trace.ts';
import { claim, type Delivery, findLive, LEASE_MS, type LiveSubscription, type Step, type SubscriptionKey } from './claim.ts';
import { type Connections, openConnections } from './connections.ts';
import { type FaultPlan, openDelivery } from './deliver.ts';
import { openDispatcher } from './dispatch.ts';
import { openRecorder } from './recorder.ts';
import { openSigners } from './signers.ts';
import { openSecrets } from './subscription.ts';

type Worker = {
  /** Finishes or releases every claimed delivery, then closes the database. */
  stop(): Promise<void>;
};

/** `stop` closes the connections. */
type Options = Connections & {
  config: Config;
  links: Links;
  sealer: Sealer;
  log: FastifyBaseLogger;
  metrics?: Metrics;
  tracing?: Tracing | undefined;
  /** Planned faults of sandbox accounts. */
  plan?: FaultPlan | undefined;
  /** Dates leases, retries and attempts. */
  clock?: Clock;
  /** Reads the clocks of accounts before claimed deliveries are sent: one that was just advanced may have made them due. */
  refreshClocks?: (() => Promise<void>) | undefined;
  leaseMs?: number;
  /** Awaited at each step. */
  at?: (step: Step) => Promise<void>;
  sender?: Sender;
};

/** How long `stop` waits for answers. What is unanswered by then is sent again later. */
const STOP_GRACE_MS = 1_000;
const STOP_POLL_MS = 10;
const POLL_MS = 200;
/** Events of a busy service are settled and claimed together: bench/NOTES.md has what small steps cost. */
const STEP_LEAST_MS = 50;
/** So that subscriptions with queued deliveries are current (dispatch.ts) even if a reading takes long. */
const READ_EVERY_MS = 500;
/**
 * With a feed apart, where each look costs milliseconds of CPU for each group: the pause after ten seconds in which no subscription was
 * behind. The builder of the log settles too, and whoever reads the feed.
 */
const IDLE = { afterMs: 10_000, pollMs: 1_000 };

/** Starts a worker. */
export function openWorker(options: Options): Worker {
  const {
    feed,
    isFeedApart,
    groups,
    config,
    sealer,
    log,
    clock = systemClock,
    leaseMs = LEASE_MS,
    at = async () => {},
  } = options;
  const now = () => clock.now();
  const { webhooks: metrics } = options.metrics ?? openMetrics();
  const outage = openOutage(log, 'webhook worker waits for the database');
  const sender = options.sender ?? openSender(createAddressPolicy(config));
  const stopping = new AbortController();
  const recorder = openRecorder(groups, { log, now, metrics, at, signal: stopping.signal });
  const privateKeys = openSigners({ sql: feed, sealer, onError: outage.note });
  const deliver = openDelivery({ ...options, sender, recorder, privateKeys, metrics, clock, at, signal: stopping.signal });
  const dispatcher = openDispatcher({
    deliver,
    release: recorder.release,
    hasCapacity: (id) => loops[groups.of(bucketOf(id))]!.wake(),
    now,
    leaseMs,
    log,
    signal: stopping.signal,
  });

  let latest = performance.now();
  async function settle(): Promise<{ settled: number; more: boolean }> {
    const found = await settleSome(feed);
    await at('settled');
    return found;
  }

  /** Claims from the next subscriptions of a group at each call, which returns false when there was nothing to claim in any. */
  function claimFrom(group: number): () => Promise<boolean> {
    let after: SubscriptionKey | undefined;
    return async () => {
      if (groups.outages?.isAway(group)) return false;
      const continued = after !== undefined;
      const { capacity, full } = dispatcher;
      const { claims, last } = await claim(options, { group, now: now(), leaseMs, capacity, full: full(), after });
      const readMs = performance.now();
      after = last;
      if (claims.length > 0) latest = readMs;
      if (claims.some(({ deliveries }) => deliveries.length > 0)) {
        await at('claimed');
        await options.refreshClocks?.().catch(outage.note);
      }
      for (const { subscription, deliveries } of claims) enqueue(subscription, readMs, deliveries);
      return claims.length > 0 || continued;
    };
  }

  /** Reads the subscriptions of a group with queued deliveries again: their URLs and secrets count, and some may be paused or removed. */
  function readFrom(group: number): () => Promise<boolean> {
    return async () => {
      const ids = dispatcher.waiting().filter((id) => groups.of(bucketOf(id)) === group);
      if (ids.length === 0 || groups.outages?.isAway(group)) return false;
      const readMs = performance.now();
      const live = new Map((await groups.transaction(group, (part) => findLive(part, ids))).map((one) => [one.id, one]));
      for (const subscription of live.values()) enqueue(subscription, readMs);
      recorder.release(dispatcher.removeQueued(ids.filter((id) => !live.has(id))));
      return false;
    };
  }

  function enqueue(subscription: LiveSubscription, readMs: number, deliveries: Delivery[] = []): void {
    try {
      const { id, url, failures } = subscription;
      dispatcher.enqueue({ id, url, failures, readMs, secrets: openSecrets(sealer, subscription, now()) }, deliveries);
    } catch (error) {
      // The leases of these deliveries expire; other subscriptions are not affected.
      dispatcher.removeQueued([subscription.id]);
      log.error({ err: error, subscription: subscription.id }, 'the secret of a webhook subscription cannot be opened');
    }
  }

  const pollMs = () => (isFeedApart && performance.now() - latest > IDLE.afterMs ? IDLE.pollMs : POLL_MS);
  const repeat = (step: () => Promise<boolean>) =>
    startLoop({ pollMs, leastMs: STEP_LEAST_MS, step, onError: outage.note, signal: stopping.signal });
  /** One loop, in which a claim takes what was just settled. */
  function startOne(): Loop[] {
    const claimNext = claimFrom(0);
    return [
      repeat(async () => {
        const { more } = await settle();
        return (await claimNext()) || more;
      }),
    ];
  }

  /** A loop for each group, so that none waits for the server of another, and one that settles. */
  function startForEachGroup(): Loop[] {
    const loops = Array.from({ length: groups.count }, (_, group) => repeat(claimFrom(group)));
    const settling = repeat(async () => {
      const { settled, more } = await settle();
      if (settled > 0) for (const loop of loops) loop.wake();
      return more;
    });
    return [...loops, settling];
  }

  /** The loop that claims from a group is at its number. */
  const loops = isFeedApart ? startForEachGroup() : startOne();
  const readings = Array.from({ length: groups.count }, (_, group) =>
    startLoop({ pollMs: () => READ_EVERY_MS, step: readFrom(group), onError: outage.note, signal: stopping.signal }),
  );

  return {
    async stop() {
      stopping.abort();
      await Promise.all([...loops, ...readings].map((loop) => loop.ended));
      recorder.release(dispatcher.removeQueued());
      const deadline = performance.now() + STOP_GRACE_MS;
      while (dispatcher.running() > 0 && performance.now() < deadline) await sleep();
      sender.close();
      while (dispatcher.running() > 0) await sleep();
      await recorder.flush();
      await options.close();
    },
  };
}

function sleep(): Promise<void> {
  return new Promise((resume) => setTimeout(resume, STOP_POLL_MS));
}

/** Requires the public URL to be known, because deliveries contain links. */
export async function startWorker(
  databaseUrl: string,
  tools: {
    database: Database;
    config: Config;
    links: Links;
    sealer: Sealer;
    log: FastifyBaseLogger;
    clock: Clock;
    metrics: Metrics;
    tracing: Tracing | undefined;
    plan?: FaultPlan | undefined;
    refreshClocks?: (() => Promise<void>) | undefined;
  },
): Promise<Worker> {
  const onError = openOutage(tools.log, 'database connection lost').note;
  const connections = await openConnections(tools.database.sql, { databaseUrl, log: tools.log, onError });
  registerPoolMetrics(tools.metrics, 'webhooks', connections);
  return openWorker({ ...tools, ...connections });
}
