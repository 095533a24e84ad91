// Trace contexts: the tracing interface, and the `traceparent` header (W3C Trace Context, version 00).

/** The ids of a sampled span, in lower-case hexadecimal. */
export type SpanContext = { traceId: string; spanId: string };

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Record<string, string | number | undefined>;

/** The data of a span; times are those of `performance.now()`. */
export type SpanData = {
  name: string;
  kind: SpanKind;
  beganMs: number;
  endedMs: number;
  parent?: SpanContext | undefined;
  links?: SpanContext[];
  attributes?: Attributes;
  /** The error message of a failed span. */
  error?: string | undefined;
};

export type Tracing = {
  /** Starts a span in the trace of a `traceparent`, or in a new one; undefined when it is not sampled. */
  enter(traceparent: string | undefined): { span: SpanContext; parent: SpanContext | undefined } | undefined;
  /** Returns a new span in the parent's trace, or in a new trace. */
  within(parent: SpanContext | undefined): SpanContext;
  /** Queues a finished span for export. */
  record(span: SpanContext, data: SpanData): void;
  /** Exports the queued spans, within a few seconds. */
  close(): Promise<void>;
};

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Parses a `traceparent` (§3.2); undefined if it is invalid. Later versions may append fields. */
export function readTraceparent(text: string | undefined): { context: SpanContext; sampled: boolean } | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { context: { traceId, spanId }, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function writeTraceparent({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}
