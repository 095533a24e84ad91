// Makes a request for an operation: valid except in a few places.
import { HAL } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import { type Context, FLAWS, type Flaw, makeBody } from './body.ts';
import { type Operation, resolve } from './document.ts';
import { hostileText, valueFor } from './values.ts';

export type Header = [name: string, value: string];
export type Request = { method: string; target: string; headers: Header[]; body: Buffer | undefined };

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LOCK', 'M-SEARCH'];
/** Printable, or it could not be sent: malformed headers belong to raw.ts. */
const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'Accept',
    ['', '*', 'text/html', ',', ';q=', `${HAL};q=0`, `${HAL};q=1e9`, '*/*;q=-1', '"', `${'a/b,'.repeat(2000)}*/*`, '\u00e9'],
  ],
  ['Idempotency-Key', ['', ' ', 'a', 'a b', 'x'.repeat(255), 'x'.repeat(256), '\u00e9', '\t', '__proto__', "'; --", '0']],
  ['X-Request-Id', ['', '1', '01890000-0000-7000-8000-000000000000', '__proto__', 'x'.repeat(5000), '{}']],
  ['If-None-Match', ['*', '"', 'W/', '""', ','.repeat(5000), '"a"', 'W/"a", *']],
  ['Content-Encoding', ['gzip', 'identity', 'br', 'x']],
  ['Accept-Encoding', ['gzip;q=-1', '*;q=0', '\u00ff']],
  ['Content-Length-X', ['1']],
  ['Host', ['', 'a/b', 'localhost:99999', 'localhost, localhost', '[::1', "'", 'x'.repeat(300)]],
  ['X-Forwarded-For', ['', ',', '::', 'unknown', '1.2.3.4, 5.6.7.8', 'x'.repeat(5000), "'"]],
  ['X-Forwarded-Host', ['evil.example', "'"]],
  ['X-Forwarded-Proto', ['javascript', 'https, http']],
  ['X-HTTP-Method-Override', ['DELETE', 'TRACE']],
  ['Expect', ['100-continue', 'x']],
  ['Range', ['bytes=0-', 'bytes=-1', 'x']],
  ['Cookie', ['a=b', '__proto__=1', 'x'.repeat(5000)]],
  ['traceparent', ['00-0-0-0', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'x']],
  ['Connection', ['upgrade', 'x, close', 'close, content-length']],
  ['Upgrade', ['websocket', 'h2c']],
  ['Origin', ['null', 'https://evil.example']],
];
const TOKENS = ['Bearer', 'Bearer ', 'Bearer x', 'Bearer a.b.c', 'Basic YTpi', 'Basic', 'bearer  ', 'Digest x', 'Bearer é', ''];
const SEGMENTS = [
  ...[
    '',
    '.',
    '..',
    '%2e%2e',
    '%2f',
    '%00',
    '%',
    '%zz',
    '%e0%a4%a',
    '%ff',
    '\u00e9',
    '*',
    ':id',
    '{id}',
    '__proto__',
    'constructor',
    ' ',
  ],
  ...[
    '0',
    '-1',
    'null',
    'undefined',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'x'.repeat(99),
  ],
  ...[
    'x'.repeat(300),
    'x'.repeat(5000),
    ';a=b',
    '@',
    '//',
    '\\',
    "'",
    '%27',
    '%C0%AF',
    '%u0041',
    '🙂',
    '?',
    '#',
    '01890000-0000-7000-8000-000000000000',
  ],
];

/** A request, and how it was changed. */
export function makeRequest(operation: Operation, context: Context): { request: Request; flaw: Flaw } {
  const { random, token } = context;
  const flaw = random.pick(FLAWS);
  const { type, body } = makeBody(operation, context, flaw);
  const headers: Header[] = [
    ['Host', 'localhost'],
    ...(flaw === 'token' ? tokens(random, token) : ([['Authorization', `Bearer ${token}`]] as Header[])),
    ['Accept', operation.tags.includes('authentication') ? '*/*' : HAL],
    ...(type === undefined ? [] : ([['Content-Type', type]] as Header[])),
    ...(operation.method === 'POST' && random.chance(0.3) ? ([['Idempotency-Key', `key-${random.int(0, 50)}`]] as Header[]) : []),
  ];
  if (flaw === 'headers') for (let n = random.int(1, 3); n > 0; n--) addHeader(headers, random);
  // A client authenticates by its header when its form has no credentials.
  if (operation.path.startsWith('/token')) headers.splice(1, 1);
  const method = flaw === 'method' ? random.pick(METHODS) : operation.method;
  const target = pathOf(operation, context, flaw) + queryOf(operation, context, flaw);
  return { request: { method, target, headers, body: method === 'TRACE' ? undefined : body }, flaw };
}

/** Writes a request as bytes. */
export function bytesOf({ method, target, headers, body }: Request): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), 'Connection: close'];
  if (body !== undefined) lines.push(`Content-Length: ${body.length}`);
  // Paths in raw UTF-8, which no URL should have.
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

function addHeader(headers: Header[], random: Random): void {
  if (random.chance(0.1)) headers.push(['X-Large', 'x'.repeat(random.pick([1000, 15_000, 20_000, 100_000]))]);
  else if (random.chance(0.11)) for (let n = random.pick([50, 900, 2500]); n > 0; n--) headers.push([`X-${n}`, '1']);
  else {
    const [name, values] = random.pick(HEADERS);
    if (random.chance(0.7)) headers.splice(0, headers.length, ...headers.filter(([other]) => other !== name));
    headers.push([name, random.pick(values)]);
  }
}

function tokens(random: Random, token: string): Header[] {
  const [head, claims, signature] = token.split('.') as [string, string, string];
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  const made = [
    `${head}.${claims}.`,
    `${none}.${claims}.`,
    `${none}.${claims}.${signature}`,
    `${head}.${claims}.${signature.slice(0, -4)}AAAA`,
  ];
  const value = random.chance(0.5) ? `Bearer ${random.pick(made)}` : random.pick(TOKENS);
  const header: Header = ['Authorization', value];
  return random.chance(0.1) ? [] : random.chance(0.1) ? [header, ['Authorization', `Bearer ${token}`]] : [header];
}

function pathOf({ path }: Operation, { random, known }: Context, flaw: Flaw): string {
  const kind = path.split('/')[1]!;
  let filled = path.replace(
    /\{[^}]+\}/g,
    () =>
      known
        .pick(random, random.chance(0.95) ? kind : undefined)
        .split('/')
        .at(-1)!,
  );
  if (flaw !== 'path') return filled;
  const segments = filled.split('/');
  segments[random.int(1, segments.length - 1)] = random.pick(SEGMENTS);
  filled = segments.join('/');
  return random.chance(0.1) ? `${filled}${random.pick(['/', '//', '/..', '/%2e', '/x', ';x', '%20', '.json'])}` : filled;
}

function queryOf({ parameters }: Operation, { document, random, known }: Context, flaw: Flaw): string {
  const names = parameters.filter((parameter) => parameter.in === 'query');
  const given = names.filter(() => random.chance(0.3));
  const pairs = given.map(({ name, schema }) => {
    const value =
      flaw === 'query' ? hostileText(random).slice(0, 3000) : valueFor(document, resolve(document, schema), random, known, name);
    return `${encodeURIComponent(name)}=${encodeURIComponent(wellFormed(String(value)))}`;
  });
  if (flaw === 'query') {
    const name = names.length > 0 ? random.pick(names).name : 'x';
    pairs.push(
      random.pick([
        `${name}=1&${name}=2`,
        `${name}[]=1`,
        `${name}[a]=1`,
        `${name}=%zz`,
        `${name}=%00`,
        '__proto__=1',
        '&&=&',
        `${name}`,
        `${name}=${'9'.repeat(400)}`,
      ]),
    );
  }
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

const wellFormed = (text: string) => text.toWellFormed();
