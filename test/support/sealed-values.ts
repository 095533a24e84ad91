// Holds the whole suite to it: no value that services seal, once a test has sent it, stands in an answer, a log line, a webhook or what a command prints.
import assert from 'node:assert/strict';

const SEALED = ['dateOfBirth', 'ssn', 'ein', 'passport', 'secret'];
// Shorter ones (the last four of an ssn) are found in any id by chance.
const LENGTH_MIN = 8;
// No form is deeper; some tests are, to see it refused.
const DEPTH_MAX = 8;

// Of all services of this process, as each test file has one of its own.
const values = new Set<string>();
let pattern: RegExp | undefined;

/** Remembers what a service seals of a body, given as it is or as JSON, with and without hyphens. */
export function watchBody(body: unknown): void {
  const given = typeof body === 'string' || Buffer.isBuffer(body) ? parsed(body) : body;
  for (const value of sealedIn(given, false, DEPTH_MAX)) watchValue(value);
}

export function watchValue(value: string): void {
  if (value.length < LENGTH_MIN || values.has(value)) return;
  values.add(value).add(value.replaceAll('-', ''));
  pattern = undefined;
}

/** Fails when a text holds any value that is watched. Within a longer number or hash it is there by chance. */
export function assertNothingSealed(text: string): void {
  if (values.size === 0) return;
  pattern ??= new RegExp(`(?<![0-9a-f])(?:${[...values].map(RegExp.escape).join('|')})(?![0-9a-f])`, 'i');
  const found = pattern.exec(text);
  if (found) assert.fail(`a sealed value, ${found[0]}, is in: ${text.slice(Math.max(0, found.index - 500), found.index + 500)}`);
}

function parsed(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

function sealedIn(value: unknown, isSealed: boolean, depth: number): string[] {
  if (typeof value === 'string' || typeof value === 'number') return isSealed ? [String(value)] : [];
  if (value === null || typeof value !== 'object' || depth === 0) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    sealedIn(member, SEALED.includes(name) || (isSealed && name === 'number'), depth - 1),
  );
}
