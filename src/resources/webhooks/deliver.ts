// Sends one delivery: builds and signs the request, measures and traces it, and hands its outcome to the recorder.
import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Links } from '../../platform/http/links.ts';
import type { Exchange, Header, Sender } from '../../platform/http/send.ts';
import type { PlannedFault } from '../../platform/sandbox/fault.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { type Tracing, writeTraceparent } from '../../platform/telemetry/trace.ts';
import type { Delivery, Step } from './claim.ts';
import type { Target } from './dispatch.ts';
import { isAccepted } from './outcome.ts';
import type { Recorder } from './recorder.ts';
import { requestHeaders } from './sign.ts';
import { bodyOf } from './webhook.ts';

type Options = {
  config: Pick<Config, 'mediaTypeVendor'>;
  links: Links;
  sender: Sender;
  recorder: Recorder;
  /** The keys of the service that sign, newest first. */
  privateKeys: () => Promise<KeyObject[]>;
  metrics: Metrics['webhooks'];
  tracing?: Tracing | undefined;
  plan?: FaultPlan | undefined;
  /** Reads the system clock for the request, as receivers do, and that of the account for the record of the attempt. */
  clock: Clock;
  at: (step: Step) => Promise<void>;
  signal: AbortSignal;
};

/** Returns the function that delivers: true when the receiver accepted, undefined when the signal cut the delivery off. */
export function openDelivery(options: Options): (target: Target, delivery: Delivery) => Promise<boolean | undefined> {
  const { config, links, sender, recorder, metrics, tracing, plan, clock, at, signal } = options;
  // Every outcome is registered now, so that each series starts at 0.
  const outcomes = {
    taken: metrics.deliveries({ outcome: 'taken' }),
    refused: metrics.deliveries({ outcome: 'refused' }),
    failed: metrics.deliveries({ outcome: 'failed' }),
  };

  return async ({ url, secrets }, delivery) => {
    const privateKeys = await options.privateKeys();
    const { webhook, attempts } = delivery;
    const body = bodyOf(links, webhook);
    const requested = clock.now();
    const aheadMs = clock.aheadMs?.(webhook.accountId) ?? 0;
    const headers = requestHeaders(config.mediaTypeVendor, { secrets, privateKeys }, webhook, { body, sent: requested });
    const traced = tracing && traceDelivery(tracing, delivery, url);
    if (traced) headers.push(traced.header);
    await at('sending');
    if (attempts === 0)
      metrics.delaySeconds.observe(Math.max(0, requested.getTime() + aheadMs - webhook.created.getTime()) / 1000);
    const startedMs = performance.now();
    const send = () => sender.send({ url, headers, body });
    const exchange = await sendWithFault({ plan, signal }, webhook.accountId, send);
    metrics.deliverySeconds.observe((performance.now() - startedMs) / 1000);
    await at('answered');
    if (signal.aborted && exchange.error !== undefined) {
      // The stop of this worker says nothing about the receiver.
      recorder.release([delivery]);
      return undefined;
    }
    outcomes[outcomeOf(exchange)].add();
    traced?.end(exchange, !isAccepted(exchange));
    recorder.add({ delivery, exchange, url, headers, body, requested, responded: clock.now(), aheadMs });
    return isAccepted(exchange);
  };
}

function outcomeOf(exchange: Exchange): 'taken' | 'refused' | 'failed' {
  if (isAccepted(exchange)) return 'taken';
  return exchange.error === undefined ? 'refused' : 'failed';
}

type Injected = Pick<PlannedFault, 'status' | 'cut' | 'delayMs' | 'effect'>;

/** Takes the fault planned for an account's next delivery, if there is one. */
export type FaultPlan = (accountId: string, operation: 'deliverWebhook') => Promise<Injected | undefined>;

const STOPPED = 'The worker was stopped.';
const CUT = 'The connection was cut by a planned fault.';

/** Sends, with the fault planned for this delivery, if there is one. The signal ends a planned delay. */
async function sendWithFault(
  { plan, signal }: { plan: FaultPlan | undefined; signal: AbortSignal },
  accountId: string,
  send: () => Promise<Exchange>,
): Promise<Exchange> {
  const fault = await plan?.(accountId, 'deliverWebhook');
  if (!fault) return send();
  const stopped = fault.delayMs > 0 && (await sleep(fault.delayMs, false, { signal }).catch(() => true));
  if (stopped) return { error: STOPPED };
  if (fault.effect || (fault.status === null && !fault.cut)) {
    const exchange = await send();
    if (fault.status === null && !fault.cut) return exchange;
  }
  return fault.status === null ? { error: CUT } : { answer: { status: fault.status, headers: [], body: '' } };
}

/** A traced delivery: its `traceparent` header, and a function that ends its span. */
type TracedDelivery = { header: Header; end(exchange: Exchange, failed: boolean): void };

/** Starts the span of a delivery; undefined if it is not sampled. */
function traceDelivery(tracing: Tracing, { webhook, attempts }: Delivery, url: string): TracedDelivery | undefined {
  const span = tracing.enter(undefined)?.span;
  if (!span) return undefined;
  const beganMs = performance.now();
  return {
    header: { name: 'traceparent', value: writeTraceparent(span) },
    end({ answer, error }, failed) {
      tracing.record(span, {
        name: `webhook ${webhook.topic}`,
        kind: 'client',
        beganMs,
        endedMs: performance.now(),
        attributes: {
          'http.request.method': 'POST',
          'http.response.status_code': answer?.status,
          'http.request.resend_count': attempts,
          'server.address': new URL(url).hostname,
          'earmark.webhook': webhook.id,
          'earmark.topic': webhook.topic,
          'earmark.event_id': webhook.eventId ?? undefined,
        },
        error: failed ? (error ?? `status ${answer?.status}`) : undefined,
      });
    },
  };
}
