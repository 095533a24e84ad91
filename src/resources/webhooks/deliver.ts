// Sends one delivery: builds and signs the request, measures and traces it, and hands its outcome to the recorder.
import type { Clock } from '../../core/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Links } from '../../platform/http/links.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Tracing } from '../../platform/telemetry/trace.ts';
import type { Delivery } from './claim.ts';
import type { Target } from './dispatch.ts';
import { isAccepted } from './outcome.ts';
import type { Recorder } from './recorder.ts';
import type { Exchange, Sender } from './send.ts';
import { type FaultPlan, sendWithFault } from './send-with-fault.ts';
import { requestHeaders } from './sign.ts';
import type { Step } from './step.ts';
import { traceDelivery } from './trace.ts';
import { bodyOf } from './webhook.ts';

type Options = {
  config: Pick<Config, 'mediaTypeVendor'>;
  links: Links;
  sender: Sender;
  recorder: Recorder;
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
    const { webhook, attempts } = delivery;
    const body = bodyOf(links, webhook);
    const requested = clock.now();
    const aheadMs = clock.aheadMs?.(webhook.accountId) ?? 0;
    const headers = requestHeaders(config.mediaTypeVendor, secrets, webhook, { body, sent: requested });
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
