// Makes the body of a request: valid, or with faults in its members or bytes.
import { gzipSync } from 'node:zlib';
import { HAL } from '../support/http.ts';
import { multipart } from '../support/multipart.ts';
import type { Random } from '../support/random.ts';
import type { Document, Operation } from './document.ts';
import { hostileText, jsonOf, type Known, spoiledJson, valueFor } from './values.ts';

/** What a request is made of. */
export type Context = {
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
export const FLAWS = [
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
export type Flaw = (typeof FLAWS)[number];

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

export function makeBody(
  operation: Operation,
  context: Context,
  flaw: Flaw,
): { type: string | undefined; body: Buffer | undefined } {
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
