// Tracing: creates, samples and exports spans (OpenTelemetry, OTLP/HTTP with JSON). Loaded only if it is configured.
import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { TracingConfig } from '../config/config.ts';
import { openExporter } from './otlp.ts';
import type { Registry } from './registry.ts';
import { readTraceparent, type SpanContext, type Tracing } from './trace.ts';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/** Opens tracing. The caller's `traceparent` decides whether a request is sampled; without one, the configured ratio does. */
export function openTracing(config: TracingConfig, tools: { registry: Registry; log: FastifyBaseLogger }): Tracing {
  const exporter = openExporter(config, tools);
  const within = (parent: SpanContext | undefined): SpanContext => ({
    traceId: parent?.traceId ?? hex(TRACE_ID_BYTES),
    spanId: hex(SPAN_ID_BYTES),
  });
  return {
    enter(traceparent) {
      const remote = readTraceparent(traceparent);
      if (!(remote ? remote.sampled : Math.random() < config.ratio)) return undefined;
      return { span: within(remote?.context), parent: remote?.context };
    },
    within,
    record: (span, data) => exporter.add({ ...span, ...data }),
    close: exporter.close,
  };
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
