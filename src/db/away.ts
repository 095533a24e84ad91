// Tells whether an error means that the database cannot be used now, and limits how long its answer is waited for.
import { databaseError, isUnanswered } from './sql.ts';

/**
 * SQLSTATEs: broken connections, missing resources (a full disk among them), a server that stops or starts, a statement or
 * transaction ended by its time limit, a read-only server (as after a failover), a database closed to connections, system errors.
 */
const AWAY_STATES = /^(08|53|57P|57014|58|25006|25P03|55000)/;
const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
const BROKEN = /^(Connection terminated|Client has encountered|Client was closed|timeout exceeded|timeout expired)/;

/** The database did not answer in time: whether it did what it was asked is unknown. */
export class LateError extends Error {}

/** Whether the database is down, unreachable, silent, full or read-only, as opposed to refusing one statement. */
export function isAway(error: unknown): boolean {
  const known = databaseError(error);
  if (known) return AWAY_STATES.test(known.state);
  if (!(error instanceof Error)) return false;
  if (error instanceof LateError || isUnanswered(error) || BROKEN.test(error.message)) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The socket of a server that is not there; any other missing file is a fault of ours.
  return code === 'ENOENT' ? syscall === 'connect' : UNREACHABLE.has(code ?? '');
}

/** The result of some work, or a LateError when it takes longer. The work itself goes on. */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new LateError(`The database did not answer within ${Math.round(limitMs)} ms`)),
    limitMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
