// Strict JSON (RFC 8259, and I-JSON as in RFC 8785 §3.1): UTF-8 only, no duplicate keys, no `__proto__`, bounded depth.

const MAX_DEPTH = 32;
const [QUOTE, COLON, BACKSLASH] = [0x22, 0x3a, 0x5c];
const utf8 = new TextDecoder('utf-8', { fatal: true });

// Messages of V8. Others may contain parts of the body, which may be secret.
const WITH_PLACE = /^(?<what>.+) (?:in|after) JSON at position \d+ \(line (?<line>\d+) column (?<column>\d+)\)$/;
const TOKEN = /^Unexpected token '.'/su;
const AT_END = 'Unexpected end of JSON input';

/** Parses a body. Throws a SyntaxError that says what is wrong if it is not strict JSON. */
export function parseStrictJson(body: Buffer): unknown {
  const text = decode(body);
  const value = parse(text);
  if (countMembers(value, 1) !== countNames(text)) throw new SyntaxError('an object has a member twice');
  return value;
}

/** Serializes a value with sorted members at every level, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(ordered(value));
}

function ordered(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(ordered);
  const members = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) sorted[name] = ordered(members[name]);
  return sorted;
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new SyntaxError('it is not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    if (message === AT_END) throw new SyntaxError('it ends too early');
    const { what, line, column } = WITH_PLACE.exec(message)?.groups ?? {};
    throw new SyntaxError(what ? `${what}, line ${line}, column ${column}` : (TOKEN.exec(message)?.[0] ?? 'it is not JSON'));
  }
}

/** Counts the member names in valid JSON: outside of strings, each has exactly one colon. */
function countNames(json: string): number {
  let names = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const unit = json.charCodeAt(index);
    if (unit === QUOTE) inString = !inString;
    else if (unit === BACKSLASH) index++;
    else if (unit === COLON && !inString) names++;
  }
  return names;
}

/** Counts the members of all objects in a value. Fewer members than names in the text means a duplicate name. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0')) throw new SyntaxError('a text has a NUL or half of a surrogate pair');
    return 0;
  }
  if (value === null || typeof value !== 'object') return 0;
  if (depth > MAX_DEPTH) throw new SyntaxError(`it has more than ${MAX_DEPTH} levels`);
  let members = 0;
  for (const name of Object.keys(value)) {
    if (name === '__proto__') throw new SyntaxError('a member has the name __proto__');
    if (!Array.isArray(value)) members++;
    members += countMembers((value as Record<string, unknown>)[name], depth + 1);
  }
  return members;
}
