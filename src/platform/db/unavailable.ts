// Classifies errors that mean the database is unavailable, and limits how long to wait for a response.
import { NoPrimaryError } from './client.ts';
import { databaseError, isUnanswered } from './sql.ts';

/**
 * SQLSTATEs: connection failure, insufficient resources (including a full disk), server shutdown or startup, statement or
 * transaction timeout, read-only server (as after a failover), a database that does not accept connections, system error.
 */
const UNAVAILABLE_STATES = /^(08|53|57P|57014|58|25006|25P03|55000)/;
const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
const BROKEN = /^(Connection terminated|Client has encountered|Client was closed|timeout exceeded|timeout expired)/;

/** The database did not respond in time. Whether the statement took effect is unknown. */
export class DatabaseTimeoutError extends Error {}

/** Whether an error means that the database is unavailable (down, unreachable, timed out, full or read-only), not that one statement failed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const known = databaseError(error);
  if (known) return UNAVAILABLE_STATES.test(known.state);
  if (!(error instanceof Error)) return false;
  if (
    error instanceof DatabaseTimeoutError ||
    error instanceof NoPrimaryError ||
    isUnanswered(error) ||
    BROKEN.test(error.message)
  )
    return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // A missing socket means that the server is down; any other missing file is a bug.
  return code === 'ENOENT' ? syscall === 'connect' : UNREACHABLE.has(code ?? '');
}

/** Awaits work, and throws a DatabaseTimeoutError after the limit. Does not cancel the work. */
export async function withTimeout<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new DatabaseTimeoutError(`The database did not respond within ${Math.round(limitMs)} ms`)),
    limitMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
