// JSON as money needs it (RFC 8259, and RFC 8785 §3.1 on what I-JSON forbids): UTF-8 only, no duplicate keys, no `__proto__`, bounded depth.

const MAX_DEPTH = 32;
// In valid JSON a string followed by a colon is a member's name and nothing else is.
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a body; throws a SyntaxError for anything that is not strict JSON. */
export function parseStrictJson(body: Buffer): unknown {
  const text = decode(body);
  const value: unknown = JSON.parse(text);
  let named = 0;
  for (const match of text.matchAll(STRINGS)) if (match[1] !== undefined) named++;
  if (countMembers(value, 1) !== named) throw new SyntaxError('duplicate key');
  return value;
}

/** JSON with members in one order at every level, so that two spellings of one value are the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new SyntaxError('not UTF-8');
  }
}

/** The number of members in all objects of a value: fewer than were named in its text means that a name came twice. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) throw new SyntaxError('text that cannot be stored');
    return 0;
  }
  if (value === null || typeof value !== 'object') return 0;
  if (depth > MAX_DEPTH) throw new SyntaxError('nested too deep');
  let members = 0;
  for (const name of Object.keys(value)) {
    if (name === '__proto__') throw new SyntaxError('__proto__');
    if (!Array.isArray(value)) members++;
    members += countMembers((value as Record<string, unknown>)[name], depth + 1);
  }
  return members;
}
