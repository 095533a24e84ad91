// The delivery worker: settles the feed, takes what is to be delivered, sends it, and writes down what came of it. Any number of them share a database.
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import { settleSome } from '../events/feed.ts';
import type { Links } from '../http/links.ts';
import type { Sealer } from '../sealing.ts';
import { type Metrics, openMetrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/trace.ts';
import { type Plan, sendAsPlanned } from './as-planned.ts';
import { type Claim, claim, type Delivery, type Place } from './claim.ts';
import { openGuard } from './guard.ts';
import { isTaken, record, release, type Sent } from './record.ts';
import { type Exchange, openSender, type Sender } from './send.ts';
import { type Header, signatureHeaders } from './sign.ts';
import { openSecrets } from './subscription.ts';
import { findOrigins, traceDelivery } from './trace.ts';
import { bodyOf, type Webhook } from './webhook.ts';

export type Worker = {
  /** Ends what is under way, gives the rest back, and lets go of the database. */
  stop(): Promise<void>;
};

/** The steps of a delivery, in their order. */
export type Step = 'settled' | 'claimed' | 'sending' | 'answered' | 'recording' | 'recorded';

type Tools = {
  /** Its own, with `CONNECTIONS` connections; closed by `stop`. */
  database: Database;
  config: Config;
  links: Links;
  sealer: Sealer;
  log: FastifyBaseLogger;
  metrics?: Metrics;
  tracing?: Tracing | undefined;
  /** What accounts of a sandbox planned for their deliveries. */
  plan?: Plan | undefined;
  /** Of leases and retries. */
  clock?: Clock;
  leaseMs?: number;
  /** Waited for at each step. */
  at?: (step: Step) => Promise<void>;
  sender?: Sender;
};

/** The deliveries of one subscription in this worker. */
type Lane = {
  url: string;
  secrets: [string, ...string[]];
  queue: Delivery[];
  running: number;
  /** In a row. */
  failures: number;
};

export const CONNECTIONS = 3;

const POLL_MS = 200;
export const LEASE_MS = 60_000;
/** What has less left of its lease is not begun: it would be taken by another worker before it ends. */
const LEASE_LEFT_MIN_MS = 15_000;
/** Most deliveries of one subscription at once. A receiver that fails gets one at a time until it takes one. */
const RUNNING_EACH = 32;
/** Most deliveries at once; beyond that each subscription still may have one. */
const RUNNING_MAX = 2_000;
const HELD_EACH = 512;
const RECORD_MAX = 500;
const PAUSE_AFTER_ERROR_MS = 1_000;
/** How long a stop waits for answers. Who has not answered by then is sent the same once more, by whoever takes it. */
const STOP_GRACE_MS = 1_000;

/** Starts a worker. */
export function openWorker(tools: Tools): Worker {
  const { database, config, links, sealer, log, clock = systemClock, leaseMs = LEASE_MS, at = async () => {} } = tools;
  const now = () => clock.now();
  const { webhooks: watched } = tools.metrics ?? openMetrics();
  // Told of from the start, with none.
  const deliveries = {
    taken: watched.deliveries({ outcome: 'taken' }),
    refused: watched.deliveries({ outcome: 'refused' }),
    failed: watched.deliveries({ outcome: 'failed' }),
  };
  const sender = tools.sender ?? openSender(openGuard(config));
  const lanes = new Map<string, Lane>();
  const sent: Sent[] = [];
  const stopping = new AbortController();
  let running = 0;
  let recording: Promise<void> | undefined;
  let after: Place | undefined;
  let wake = () => {};

  /** Waits, or less when there is something to do or the worker stops. */
  const pause = (ms: number) =>
    new Promise<void>((resume) => {
      const timer = setTimeout(resume, ms);
      wake = () => {
        clearTimeout(timer);
        resume();
      };
      if (stopping.signal.aborted) wake();
    });

  const limitOf = (lane: Lane) => (lane.failures > 0 ? 1 : RUNNING_EACH);
  const roomOf = (lane: Lane) => (lane.failures > 0 ? 1 : HELD_EACH) - lane.queue.length - lane.running;
  const isFull = (lane: Lane) => roomOf(lane) < (lane.failures > 0 ? 1 : HELD_EACH / 2);

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (!(await turn())) await pause(POLL_MS);
      } catch (error) {
        log.warn({ err: error }, 'webhook worker waits for the database');
        await pause(PAUSE_AFTER_ERROR_MS);
      }
    }
  }

  /** One turn: a step of settling, and a claim. False when there was nothing to take in any bucket. */
  async function turn(): Promise<boolean> {
    const { settled, more } = await settleSome(database.sql);
    if (settled > 0) await at('settled');
    const full = [...lanes].filter(([, lane]) => isFull(lane)).map(([id]) => id);
    const room = ({ id, failures }: { id: string; failures: number }) => {
      const lane = lanes.get(id);
      return lane ? roomOf(lane) : failures > 0 ? 1 : HELD_EACH;
    };
    const midway = after !== undefined;
    const { claims, last } = await claim(database, { now: now(), leaseMs, room, full, after });
    after = last;
    if (claims.some(({ deliveries }) => deliveries.length > 0)) await at('claimed');
    if (tools.tracing) await findOrigins(database.sql, claims);
    for (const taken of claims) enqueue(taken);
    return claims.length > 0 || midway || more;
  }

  function enqueue({ subscription, deliveries }: Claim): void {
    const { id, url, failures } = subscription;
    const lane = lanes.get(id) ?? { url, secrets: [''], queue: [], running: 0, failures };
    try {
      lane.secrets = openSecrets(sealer, subscription, now());
    } catch (error) {
      // Its deliveries fall due again; those of the others go on.
      return void log.error({ err: error, subscription: id }, 'the secret of a webhook subscription cannot be opened');
    }
    lane.url = url;
    lane.queue.push(...deliveries);
    lanes.set(id, lane);
    pump(lane);
  }

  function pump(lane: Lane): void {
    const isFree = () => lane.running < limitOf(lane) && (running < RUNNING_MAX || lane.running === 0);
    while (lane.queue.length > 0 && isFree() && !stopping.signal.aborted) {
      const delivery = lane.queue.shift()!;
      if (delivery.due.getTime() - now().getTime() < Math.min(LEASE_LEFT_MIN_MS, leaseMs / 2)) continue;
      lane.running += 1;
      running += 1;
      deliver(lane, delivery)
        .catch((error: unknown) => log.error({ err: error, webhook: delivery.webhook.id }, 'webhook could not be sent'))
        .then(() => {
          lane.running -= 1;
          running -= 1;
          if (running >= RUNNING_MAX - 1) for (const other of lanes.values()) pump(other);
          else pump(lane);
          if (!isFull(lane)) wake();
        });
    }
  }

  async function deliver(lane: Lane, delivery: Delivery): Promise<void> {
    const { url } = lane;
    const body = bodyOf(links, delivery.webhook);
    const requested = now();
    const headers = headersOf(config.mediaTypeVendor, lane.secrets, delivery.webhook, { body, sent: requested });
    const traced = tools.tracing && traceDelivery(tools.tracing, delivery, url);
    if (traced) headers.push(traced.header);
    await at('sending');
    if (delivery.attempts === 0)
      watched.delaySeconds.observe(Math.max(0, requested.getTime() - delivery.webhook.created.getTime()) / 1000);
    const sentMs = performance.now();
    const exchange = await sendAsPlanned({ plan: tools.plan, signal: stopping.signal }, delivery.webhook.accountId, () =>
      sender.send({ url, headers, body }),
    );
    watched.deliverySeconds.observe((performance.now() - sentMs) / 1000);
    await at('answered');
    // Cut off by the stop of this worker, which says nothing about the receiver.
    if (stopping.signal.aborted && exchange.error !== undefined) return void returned.push(delivery);
    deliveries[outcomeOf(exchange)].add();
    traced?.end(exchange, !isTaken(exchange));
    lane.failures = isTaken(exchange) ? 0 : lane.failures + 1;
    if (lane.failures > 0) giveBack(lane);
    sent.push({ delivery, exchange, url, headers, body, requested, responded: now() });
    recording ??= recordAll();
  }

  /** What a failing receiver is not sent now, any worker may take later. */
  const returned: Delivery[] = [];
  function giveBack(lane: Lane): void {
    returned.push(...lane.queue.splice(0));
  }

  /** Writes whatever came in while the last write ran; what cannot be written until its lease ends is delivered once more. */
  async function recordAll(): Promise<void> {
    while (sent.length > 0 || returned.length > 0) {
      try {
        await recordSome();
      } catch (error) {
        log.warn({ err: error }, 'outcomes of webhooks wait for the database');
        if (stopping.signal.aborted) break;
        await new Promise((resume) => setTimeout(resume, PAUSE_AFTER_ERROR_MS));
        const live = sent.filter(({ delivery }) => delivery.due > now());
        sent.splice(0, sent.length, ...live);
      }
    }
    recording = undefined;
  }

  async function recordSome(): Promise<void> {
    const some = sent.slice(0, RECORD_MAX);
    if (some.length > 0) {
      const paused = await record(database, some, { now: now(), chance: Math.random, before: () => at('recording') });
      sent.splice(0, some.length);
      watched.paused.add(paused.length);
      for (const id of paused)
        log.warn({ subscription: id }, 'webhook subscription paused: its receiver is gone or keeps failing');
      await at('recorded');
    }
    const back = returned.splice(0);
    if (back.length > 0) await release(database, back, now());
  }

  const loop = run();

  return {
    async stop() {
      stopping.abort();
      wake();
      await loop;
      for (const lane of lanes.values()) giveBack(lane);
      const deadline = performance.now() + STOP_GRACE_MS;
      while (running > 0 && performance.now() < deadline) await new Promise((resume) => setTimeout(resume, 10));
      sender.close();
      while (running > 0) await new Promise((resume) => setTimeout(resume, 10));
      await (recording ?? recordAll());
      await database.close();
    },
  };
}

function outcomeOf(exchange: Exchange): 'taken' | 'refused' | 'failed' {
  if (isTaken(exchange)) return 'taken';
  return exchange.error === undefined ? 'refused' : 'failed';
}

/** Every header of a webhook. */
export function headersOf(
  vendor: string,
  secrets: [string, ...string[]],
  webhook: Pick<Webhook, 'id' | 'topic'>,
  { body, sent }: { body: string; sent: Date },
): Header[] {
  const word = vendor.charAt(0).toUpperCase() + vendor.slice(1);
  return [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'Content-Length', value: String(Buffer.byteLength(body)) },
    { name: 'User-Agent', value: word },
    { name: `X-${word}-Topic`, value: webhook.topic },
    ...signatureHeaders(secrets, { id: webhook.id, body, sent }),
  ];
}
