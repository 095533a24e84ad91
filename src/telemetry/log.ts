// The log: lines of JSON, or on a terminal lines for people; what is secret is never in it.
import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config.ts';
import { databaseError } from '../db/sql.ts';
import { toText } from './log-text.ts';
import { type Output, openOutput } from './output.ts';

// A net under the rule that only named values are logged, never a request, an answer or a body. Names of whole paths cost
// next to nothing; patterns would cost more than the line.
const SECRET = ['authorization', 'headers', 'body', 'client_secret', 'secret', 'password', 'token', 'access_token'];
/** Causes of causes that are told. */
const DEPTH = 3;

/** Opens the log, on standard output unless the caller has a stream of its own. */
export function openLog(level: LogLevel, stream?: Output): Logger {
  const log: Logger = pino(
    { level, redact: SECRET, serializers: { err: (error: unknown) => describeError(error) } },
    stream ?? (process.stdout.isTTY ? terminal() : openOutput(reportDropped)),
  );
  function reportDropped(lines: number): void {
    log.warn({ lines }, 'log lines were dropped while nothing read standard output');
  }
  return log;
}

function terminal(): Output {
  return { write: (line) => void process.stdout.write(toText(JSON.parse(line))) };
}

/**
 * An error by its name, words, place and code. Whatever else it carries stays where it is: `detail` and `where` of a database
 * error quote the row, and with it a person.
 */
function describeError(error: unknown, depth = DEPTH): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const causes = error instanceof AggregateError ? error.errors : cause === undefined ? [] : [cause];
  return {
    type: name,
    message,
    stack,
    code,
    syscall,
    constraint: databaseError(error)?.constraint,
    ...(depth > 0 && causes.length > 0 && { causes: causes.map((one) => describeError(one, depth - 1)) }),
  };
}
