// The request that is being served, as far as whatever works for it has to know: what its log line says, and where it stands in a trace.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanContext } from './trace.ts';

export type Current = {
  /** The application that calls, where it is known by other means than a token. */
  application: string | undefined;
  /** How many transfers shared the commit of the one that was asked for. */
  batchSize: number | undefined;
  /** Undefined where it is not traced. */
  span: SpanContext | undefined;
};

const storage = new AsyncLocalStorage<Current>();

export function serving<T>(current: Current, work: () => T): T {
  return storage.run(current, work);
}

/** Undefined where no request is being served. */
export function currentRequest(): Current | undefined {
  return storage.getStore();
}
