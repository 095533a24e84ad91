// JSON as money needs it (RFC 8259, and RFC 8785 §3.1 on what I-JSON forbids): UTF-8 only, no duplicate keys, no `__proto__`, bounded depth.

const MAX_DEPTH = 32;
const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a body; throws a SyntaxError for anything that is not strict JSON. */
export function parseStrictJson(body: Buffer): unknown {
  const text = decode(body);
  const value: unknown = JSON.parse(text);
  if (countMembers(value, 1) !== countNames(text)) throw new SyntaxError('duplicate key');
  return value;
}

/** JSON with members in one order at every level, so that two spellings of one value are the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(ordered(value));
}

function ordered(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(ordered);
  const members = value as Record<string, unknown>;
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) made[name] = ordered(members[name]);
  return made;
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new SyntaxError('not UTF-8');
  }
}

/** How many members are named in valid JSON: each has one colon, and outside of strings there are no others. */
function countNames(json: string): number {
  let names = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) inString = !inString;
    else if (unit === BACKSLASH) at++;
    else if (unit === COLON && !inString) names++;
  }
  return names;
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
