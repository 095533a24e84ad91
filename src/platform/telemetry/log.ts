// The log: lines of JSON, or formatted text on a terminal. Secrets are never logged.
import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config/config.ts';
import { databaseError } from '../db/sql.ts';
import { toText } from './log-text.ts';
import { type Output, openOutput } from './output.ts';

// A safety net: code logs only named values, never a whole request, response or body. Plain paths are cheap to redact;
// wildcard patterns would cost more than writing the line.
const SECRET = ['authorization', 'headers', 'body', 'client_secret', 'secret', 'password', 'token', 'access_token'];
/** Maximum depth of nested causes that are logged. */
const CAUSE_DEPTH = 3;

/** Opens the log, on standard output unless a stream is given. */
export function openLog(level: LogLevel, stream?: Output): Logger {
  const log: Logger = pino(
    { level, redact: SECRET, serializers: { err: (error: unknown) => describeError(error) } },
    stream ?? (process.stdout.isTTY ? terminal() : openOutput(reportDropped)),
  );
  function reportDropped(lines: number): void {
    log.warn({ lines }, 'log lines were dropped because nothing read standard output');
  }
  return log;
}

function terminal(): Output {
  return { write: (line) => void process.stdout.write(toText(JSON.parse(line))) };
}

/**
 * Serializes an error: type, message, stack and codes only. Other members are left out, as `detail` and `where` of a database
 * error quote rows, which contain personal data.
 */
function describeError(error: unknown, depth = CAUSE_DEPTH): Record<string, unknown> {
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
    ...(depth > 0 && causes.length > 0 && { causes: causes.map((nested) => describeError(nested, depth - 1)) }),
  };
}
