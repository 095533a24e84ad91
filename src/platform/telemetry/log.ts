// The log: lines of JSON, or formatted text on a terminal. Secrets are never logged.
import { stripVTControlCharacters, styleText } from 'node:util';
import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config/config.ts';
import { databaseError } from '../db/sql.ts';
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

type Line = { level: number; time: number; msg?: string; err?: { message?: string; stack?: string }; [name: string]: unknown };

const LEVELS: Record<number, string> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };
const WARN = 40;
/** Members that are constant, or that the message shows already. */
const OMITTED = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err', 'method', 'route', 'status', 'durationMs']);

/** Formats a parsed line, with a newline at the end. Uses colours only if the terminal supports them and NO_COLOR is not set. */
export function toText(line: Line): string {
  const { level, time, err } = line;
  const label = (LEVELS[level] ?? String(level)).padEnd(5);
  const rest = Object.entries(line)
    .filter(([name]) => !OMITTED.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const parts = [timeOf(time), level >= WARN ? styleText(level > WARN ? 'red' : 'yellow', label) : label, messageOf(line)];
  const below = err ? `\n${styleText('dim', printable(err.stack ?? err.message ?? ''))}` : '';
  return `${parts.join(' ')}${rest.length > 0 ? ` ${styleText('dim', printable(rest.join(' ')))}` : ''}${below}\n`;
}

function messageOf({ msg, method, route, status, durationMs }: Line): string {
  if (method === undefined) return printable(msg ?? '');
  return printable(`${status ?? 'aborted'} ${method} ${route} ${durationMs} ms`);
}

/** Removes control characters: a log may quote a client's input, which must not control the terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced
  return stripVTControlCharacters(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd');
}

function timeOf(ms: number): string {
  const at = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
