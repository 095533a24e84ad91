// Makes a request for an operation: valid except in a few places.
import { gzipSync } from 'node:zlib';
import { multipart } from '../support/multipart.ts';
import type { Random } from '../support/random.ts';
import { type Document, type Operation, resolve } from './document.ts';
import { hostileText, jsonOf, type Known, spoiledJson, valueFor } from './values.ts';

export type Header = [name: string, value: string];
export type Request = { method: string; target: string; headers: Header[]; body: Buffer | undefined };

type Context = {
  document: Document;
  random: Random;
  known: Known;
  token: string;
  client: { client_id: string; client_secret: string };
  /** A token that a form may contain. */
  spareToken: string;
  /** A real picture. */
  picture: Buffer;
};

/** Faults of a request; most have one, some have none. */
const FLAWS = [
  'body',
  'body',
  'body',
  'bytes',
  'type',
  'headers',
  'headers',
  'path',
  'path',
  'query',
  'method',
  'token',
  'none',
  'none',
  'none',
] as const;
type Flaw = (typeof FLAWS)[number];

const HAL = 'application/vnd.earmark.v1.hal+json';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LOCK', 'M-SEARCH'];
const TYPES = [
  ...[
    HAL,
    'application/json',
    'application/json; charset=utf-16',
    'application/json;charset="',
    'text/plain',
    '*/*',
    '',
    ';',
    'json',
    '/',
  ],
  ...[
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="x',
  ],
  ...[`multipart/form-data; boundary=${'x'.repeat(200)}`, HAL.replace('v1', 'v2'), `${HAL}, text/html`, 'application/json\u00e9'],
  ...['application/__proto__', `application/${'a'.repeat(5000)}`, 'text/xml', 'application/octet-stream', 'application/cbor'],
];
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

function makeBody(operation: Operation, context: Context, flaw: Flaw): { type: string | undefined; body: Buffer | undefined } {
  const { random } = context;
  if (!operation.body)
    return random.chance(0.1) ? { type: random.pick(TYPES), body: Buffer.from('{}') } : { type: undefined, body: undefined };
  const right = rightBody(operation.body, context, flaw === 'body');
  if (flaw === 'bytes') return { ...right, body: damaged(right.body, random) };
  return flaw === 'type' ? { ...right, type: random.pick(TYPES) } : right;
}

function rightBody(
  { type, schema }: NonNullable<Operation['body']>,
  context: Context,
  spoiled: boolean,
): { type: string; body: Buffer } {
  const { document, random, known } = context;
  if (type === 'multipart/form-data') return makeUpload(context, spoiled);
  const value = valueFor(document, schema, random, known);
  if (type === 'application/x-www-form-urlencoded')
    return { type, body: Buffer.from(makeForm(value as object, context, spoiled)) };
  return { type, body: Buffer.from(spoiled ? spoiledJson(value, random) : jsonOf(value)) };
}

function makeForm(value: object, { random, client, spareToken }: Context, spoiled: boolean): string {
  const form = new URLSearchParams({ ...value, ...client, ...('token' in value && { token: spareToken }) });
  if (spoiled) {
    const name = random.pick([...form.keys()]);
    if (random.chance(0.3)) form.append(name, hostileText(random));
    else if (random.chance(0.4)) form.delete(name);
    else form.set(random.chance(0.8) ? name : hostileText(random).slice(0, 100), hostileText(random));
  }
  return random.chance(0.05) ? `${form}&%zz=%&=&&a[b]=c&__proto__[x]=1&${'a=b&'.repeat(2000)}` : String(form);
}

function makeUpload({ random, picture }: Context, spoiled: boolean): { type: string; body: Buffer } {
  const wrong = () => spoiled && random.chance(0.4);
  const file = wrong()
    ? damaged(picture, random)
    : Buffer.concat([picture, Buffer.from([random.int(0, 255), random.int(0, 255)])]);
  const parts = [
    {
      name: wrong()
        ? hostileText(random)
            .replaceAll(/["\r\n]/g, '')
            .slice(0, 300)
        : 'documentType',
      value: wrong() ? hostileText(random) : 'passport',
    },
    {
      name: wrong() ? 'files[]' : 'file',
      value: file,
      fileName: wrong()
        ? hostileText(random)
            .replaceAll(/["\r\n]/g, '')
            .slice(0, 1000)
        : 'a.jpg',
      type: 'image/jpeg',
    },
  ];
  if (wrong()) parts.push(...Array.from({ length: random.int(1, 30) }, () => random.pick(parts)));
  if (wrong()) parts.reverse();
  return {
    type: 'multipart/form-data; boundary=between-the-parts',
    body: multipart(parts, { end: !wrong(), quoteNames: random.chance(0.8) }),
  };
}

/** Bytes that are cut, flipped, encoded otherwise, or too many. */
function damaged(body: Buffer, random: Random): Buffer {
  const at = random.int(0, Math.max(0, body.length - 1));
  const turned = Buffer.from(body);
  if (turned.length > 0) turned[at] = random.int(0, 255);
  const utf16 = Buffer.from(body.subarray(0, 30_000).toString('latin1'), 'utf16le');
  const large = Buffer.concat([body, Buffer.alloc(70_000, 32)]);
  return random.pick([
    ...[
      Buffer.alloc(0),
      Buffer.from('null'),
      Buffer.from('[]'),
      Buffer.from('"'),
      Buffer.from([0xff, 0xfe, 0x00]),
      Buffer.alloc(1000, 0x7b),
    ],
    ...[
      body.subarray(0, at),
      turned,
      turned,
      utf16,
      gzipSync(body),
      large,
      Buffer.concat([body, body]),
      Buffer.concat([Buffer.from('\ufeff\ufeff'), body]),
    ],
  ]);
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
