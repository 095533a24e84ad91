// The current request, kept in async context: data for its log line, and its span.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanContext } from './trace.ts';

export type Current = {
  /** The X-Request-Id. */
  id: string;
  /** The calling application, if it was identified without a token. */
  application: string | undefined;
  /** Number of transfers in the batch that committed this request's transfer. */
  batchSize: number | undefined;
  /** Undefined if the request is not sampled. */
  span: SpanContext | undefined;
  /** The events that the request wrote, for its span. */
  eventIds: string[] | undefined;
};

const storage = new AsyncLocalStorage<Current>();

export function runWithRequest<T>(current: Current, work: () => T): T {
  return storage.run(current, work);
}

/** Returns undefined outside of a request. */
export function currentRequest(): Current | undefined {
  return storage.getStore();
}

/** Names an event in the span of a request, if it has one: the span of a webhook names it too. */
export function noteEvent(eventId: string, current = currentRequest()): void {
  if (current?.span) current.eventIds = [...(current.eventIds ?? []), eventId];
}
