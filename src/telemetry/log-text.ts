// A line of the log as people read it: time, what happened, and the rest as name=value; errors with their stack below.
import { stripVTControlCharacters, styleText } from 'node:util';

type Line = { level: number; time: number; msg?: string; err?: { message?: string; stack?: string }; [name: string]: unknown };

const LEVELS: Record<number, string> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };
const WARN = 40;
/** The same on each line, or told in words of their own. */
const LEFT_OUT = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err', 'method', 'route', 'status', 'durationMs']);

/** A parsed line as text that ends the line. Colours only where the terminal has them (and NO_COLOR is not set). */
export function toText(line: Line): string {
  const { level, time, err } = line;
  const label = (LEVELS[level] ?? String(level)).padEnd(5);
  const rest = Object.entries(line)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const words = [timeOf(time), level >= WARN ? styleText(level > WARN ? 'red' : 'yellow', label) : label, happened(line)];
  const below = err ? `\n${styleText('dim', printable(err.stack ?? err.message ?? ''))}` : '';
  return `${words.join(' ')}${rest.length > 0 ? ` ${styleText('dim', printable(rest.join(' ')))}` : ''}${below}\n`;
}

function happened({ msg, method, route, status, durationMs }: Line): string {
  if (method === undefined) return printable(msg ?? '');
  return printable(`${status ?? 'hung up'} ${method} ${route} ${durationMs} ms`);
}

/** A log may quote what a stranger sent: on a terminal it must move no cursor. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return stripVTControlCharacters(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\ufffd');
}

function timeOf(ms: number): string {
  const at = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
