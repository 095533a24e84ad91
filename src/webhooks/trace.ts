// Traces of deliveries: each is a span in the trace of the request that caused its event.
import type { Sql } from '../db/sql.ts';
import { findTraces } from '../events/trace.ts';
import type { SpanContext, Tracing } from '../telemetry/trace.ts';
import { writeTraceparent } from '../telemetry/trace.ts';
import type { Claim, Delivery } from './claim.ts';
import type { Exchange } from './send.ts';
import type { Header } from './sign.ts';

/** A traced delivery: its `traceparent` header, and a function that ends its span. */
export type TracedDelivery = { header: Header; end(exchange: Exchange, failed: boolean): void };

/** Sets `origin` on each delivery of a traced event. If the query fails, the deliveries are not traced. */
export async function findOrigins(sql: Sql, claims: Claim[]): Promise<void> {
  const deliveries = claims.flatMap((claim) => claim.deliveries);
  const eventIds = deliveries.flatMap(({ webhook: { eventId } }) => eventId ?? []);
  if (eventIds.length === 0) return;
  const found = await findTraces(sql, eventIds).catch(() => new Map<string, SpanContext>());
  for (const delivery of deliveries) delivery.origin = found.get(delivery.webhook.eventId ?? '');
}

/** Starts the span of a delivery. Undefined if its event is not traced. */
export function traceDelivery(
  tracing: Tracing,
  { webhook, attempts, origin }: Delivery,
  url: string,
): TracedDelivery | undefined {
  if (!origin) return undefined;
  const span = tracing.within(origin);
  const beganMs = performance.now();
  return {
    header: { name: 'traceparent', value: writeTraceparent(span) },
    end({ answer, error }, failed) {
      tracing.record(span, {
        name: `webhook ${webhook.topic}`,
        kind: 'client',
        beganMs,
        endedMs: performance.now(),
        parent: origin,
        attributes: {
          'http.request.method': 'POST',
          'http.response.status_code': answer?.status,
          'http.request.resend_count': attempts,
          'server.address': new URL(url).hostname,
          'earmark.webhook': webhook.id,
          'earmark.topic': webhook.topic,
        },
        error: failed ? (error ?? `status ${answer?.status}`) : undefined,
      });
    },
  };
}
