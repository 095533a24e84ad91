// Formats a log line for a terminal: time, level, message, other members as name=value, and the stack of an error below.
import { stripVTControlCharacters, styleText } from 'node:util';

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
