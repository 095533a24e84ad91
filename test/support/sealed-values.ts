// Checks in the whole suite that no sealed value which a test sent appears in an answer, log line, webhook or command output.
import assert from 'node:assert/strict';

const SEALED = ['dateOfBirth', 'ssn', 'ein', 'passport', 'secret'];
// Shorter values, such as the last four digits of an ssn, appear in ids by chance.
const LENGTH_MIN = 8;
// Forms are not nested deeper; some refused bodies are.
const DEPTH_MAX = 8;

// Shared by all services of a process; each test file runs in its own.
const values = new Set<string>();
let pattern: RegExp | undefined;

/** Remembers the values of a body that the service seals, with and without hyphens. */
export function watchBody(body: unknown): void {
  const given = typeof body === 'string' || Buffer.isBuffer(body) ? parsed(body) : body;
  for (const value of sealedIn(given, false, DEPTH_MAX)) watchValue(value);
}

export function watchValue(value: string): void {
  if (value.length < LENGTH_MIN || values.has(value)) return;
  values.add(value).add(value.replaceAll('-', ''));
  pattern = undefined;
}

/** Fails when a text contains a remembered value. A match inside a longer number or hash is ignored as chance. */
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
