// Exports spans to a collector by OTLP/HTTP 1.x with JSON, in batches and in the background. Drops spans rather than slow down requests.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { VERSION } from '../../core/version.ts';
import type { TracingConfig } from '../config/config.ts';
import type { Registry } from './registry.ts';
import type { Attributes, SpanContext, SpanData, SpanKind } from './trace.ts';

type Span = SpanContext & SpanData;

type Exporter = {
  /** Queues a span, or drops it if the queue is full. */
  add(span: Span): void;
  close(): Promise<void>;
};

const WAITING_MAX = 8192;
const BATCH_MAX = 512;
const EVERY_MS = 1_000;
const TIMEOUT_MS = 10_000;
const CLOSE_MS = 3_000;
const PAUSES_MS = [1_000, 2_000, 4_000];
/** The retryable statuses of OTLP/HTTP. */
const RETRYABLE = new Set([429, 502, 503, 504]);
const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };
const ERROR = 2;

export function openExporter(config: TracingConfig, { registry, log }: { registry: Registry; log: FastifyBaseLogger }): Exporter {
  const dropped = registry.counter(
    'earmark_spans_dropped_total',
    'Spans dropped because the collector did not accept them or the queue was full.',
  );
  const exported = registry.counter('earmark_spans_exported_total', 'Spans accepted by the collector.');
  const closing = new AbortController();
  const waiting: Span[] = [];
  let sending: Promise<void> | undefined;

  async function send(spans: Span[]): Promise<void> {
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      const failure = await post(config, spans);
      if (failure === undefined) return exported.add(spans.length);
      if (!failure.isRetryable || pauseMs === undefined || closing.signal.aborted) {
        dropped.add(spans.length);
        return log.warn({ reason: failure.reason, spans: spans.length }, 'the collector does not accept traces');
      }
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) await send(waiting.splice(0, BATCH_MAX));
  }

  function start(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  const timer = setInterval(start, EVERY_MS).unref();
  return {
    add(span) {
      if (waiting.length >= WAITING_MAX) dropped.add();
      else if (waiting.push(span) === BATCH_MAX) start();
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      const limit = sleep(CLOSE_MS, undefined, { ref: false });
      while (sending || waiting.length > 0) {
        if ((await Promise.race([start().then(() => 'sent'), limit])) !== 'sent') return;
      }
    },
  };
}

/** Returns undefined on success, else the reason and whether a retry can help. */
async function post(config: TracingConfig, spans: Span[]): Promise<{ reason: string; isRetryable: boolean } | undefined> {
  try {
    const response = await fetch(config.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...config.headers },
      body: JSON.stringify(toOtlp(config.serviceName, spans)),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok ? undefined : { reason: `status ${response.status}`, isRetryable: RETRYABLE.has(response.status) };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    return { reason: cause?.code ?? message, isRetryable: true };
  }
}

/** An ExportTraceServiceRequest in the JSON mapping of OTLP: ids in hexadecimal, times in nanoseconds as text. */
function toOtlp(serviceName: string, spans: Span[]): unknown {
  const resource = { attributes: toAttributes({ 'service.name': serviceName, 'service.version': VERSION }) };
  const scope = { name: 'earmark', version: VERSION };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(toSpan) }] }] };
}

function toSpan({ traceId, spanId, parent, name, kind, beganMs, endedMs, attributes, links, error }: Span) {
  return {
    traceId,
    spanId,
    ...(parent && { parentSpanId: parent.spanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanoseconds(beganMs),
    endTimeUnixNano: toNanoseconds(endedMs),
    attributes: toAttributes(attributes ?? {}),
    ...(links && { links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })) }),
    status: error === undefined ? {} : { code: ERROR, message: error },
  };
}

function toAttributes(attributes: Attributes) {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } }));
}

/** As text, because nanoseconds since 1970 exceed the precision of a number. Whole microseconds do not. */
function toNanoseconds(ms: number): string {
  return `${Math.round((performance.timeOrigin + ms) * 1000)}000`;
}
