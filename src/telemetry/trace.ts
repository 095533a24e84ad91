// Where a piece of work stands in a trace, and how that is told from one program to the next (W3C Trace Context, version 00).
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Registry } from './registry.ts';

/** A span that is recorded; of what is not sampled there is none. Lower-case hexadecimal. */
export type SpanContext = { traceId: string; spanId: string };

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Record<string, string | number | undefined>;

/** A piece of work; times are of `performance.now()`. */
export type Work = {
  name: string;
  kind: SpanKind;
  beganMs: number;
  endedMs: number;
  parent?: SpanContext | undefined;
  links?: SpanContext[];
  attributes?: Attributes;
  /** In words, where it failed. */
  error?: string | undefined;
};

export type Tracing = {
  /** The span of a request that came with this `traceparent`, if any; undefined when it is not sampled. */
  enter(traceparent: string | undefined): { span: SpanContext; parent: SpanContext | undefined } | undefined;
  /** A span of the same trace, or of a new one. */
  within(parent: SpanContext | undefined): SpanContext;
  /** Has the work of a span told, later and on the side. */
  record(span: SpanContext, work: Work): void;
  /** Sends what is left, within a few seconds. */
  close(): Promise<void>;
};

/** Opens tracing where it is configured; where it is not, nothing of it is even loaded. */
export async function openTracingOf(
  { tracing }: Config,
  tools: { registry: Registry; log: FastifyBaseLogger },
): Promise<Tracing | undefined> {
  if (!tracing) return undefined;
  const { openTracing } = await import('./tracing.ts');
  return openTracing(tracing, tools);
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** What a `traceparent` says (§3.2); undefined where it says nothing that can be followed. Later versions may have more at the end. */
export function readTraceparent(text: string | undefined): { context: SpanContext; sampled: boolean } | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { context: { traceId, spanId }, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function writeTraceparent({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}
