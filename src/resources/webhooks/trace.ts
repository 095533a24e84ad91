// Traces of deliveries: each is a separate trace. Its span and that of the request that caused it name the same event.
import type { Tracing } from '../../platform/telemetry/trace.ts';
import { writeTraceparent } from '../../platform/telemetry/trace.ts';
import type { Delivery } from './claim.ts';
import type { Exchange } from './send.ts';
import type { Header } from './sign.ts';

/** A traced delivery: its `traceparent` header, and a function that ends its span. */
type TracedDelivery = { header: Header; end(exchange: Exchange, failed: boolean): void };

/** Starts the span of a delivery; undefined if it is not sampled. */
export function traceDelivery(tracing: Tracing, { webhook, attempts }: Delivery, url: string): TracedDelivery | undefined {
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
