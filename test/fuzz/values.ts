// Values for requests: valid ones, so that a request gets past the first checks, and hostile ones.
import type { Random } from '../support/random.ts';
import { type Document, resolve, type Schema } from './document.ts';

/** JSON as sent, possibly malformed. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** URLs for references: of an existing resource of a kind (the segment before its id) if there is one. */
export type Known = { pick(random: Random, kind?: string): string };

const NESTED_MAX = 6;

// By member name: values that get past the first checks. Other names get what their schema says.
const BY_NAME: Record<string, (random: Random, known: Known) => unknown> = {
  href: (random, known) => known.pick(random, random.chance(0.9) ? 'labels' : undefined),
  value: (random) => random.pick(['1.00', '0.01', '5', '0', '-1.00', '999999999999999.99', '0.001']),
  currency: (random) => random.pick(['USD', 'USD', 'USD', 'EUR', 'JPY', 'BHD', 'XXX']),
  dateOfBirth: () => '1980-01-02',
  ssn: () => '987-65-4321',
  ein: () => '12-3456789',
  email: (random) => `fuzz${random.int(0, 9999)}@example.com`,
  state: () => 'IL',
  stateProvinceRegion: () => 'IL',
  postalCode: () => '62701',
  country: (random) => random.pick(['US', 'CA']),
  firstName: (random) => (random.chance(0.8) ? 'Ada' : random.pick(['retry', 'document', 'suspended', 'incomplete'])),
  phone: () => '5554321000',
  ipAddress: () => '192.0.2.1',
  website: () => 'https://example.com',
  secret: () => 'a secret of some length',
  url: (random) =>
    random.pick(['https://example.com/hook', 'http://127.0.0.1:1/', 'https://[::ffff:7f00:1]/', 'ftp://example.com']),
  operation: (random) => random.pick(['listLabels', 'createLabelReallocation', 'webhookDelivery']),
  grant_type: () => 'client_credentials',
};

/** A value that a schema allows; patterns are covered by the names. */
export function valueFor(document: Document, given: Schema, random: Random, known: Known, name = '', depth = 0): unknown {
  const schema = resolve(document, given);
  const again = (one: Schema, name = '') => valueFor(document, one, random, known, name, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return again(random.pick(either), name);
  if (schema.allOf)
    return Object.assign({}, ...schema.allOf.map((one) => again(one, name)).filter((one) => typeof one === 'object'));
  if (name in BY_NAME && schema.type !== 'object') return BY_NAME[name]!(random, known);
  switch (schema.type ?? (schema.properties && 'object')) {
    case 'object': {
      const wanted = Object.entries(schema.properties ?? {}).filter(
        ([member]) => schema.required?.includes(member) || (depth < NESTED_MAX && random.chance(0.3)),
      );
      return Object.fromEntries(wanted.map(([member, one]) => [member, again(one, member)]));
    }
    case 'array':
      return Array.from({ length: random.int(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3)) }, () =>
        again(schema.items ?? {}),
      );
    case 'integer':
    case 'number':
      return random.int(schema.minimum ?? 0, Math.min(schema.maximum ?? 1000, 2 ** 31));
    case 'boolean':
      return random.chance(0.5);
    default:
      return textOf(schema.format, random, known);
  }
}

function textOf(format: string | undefined, random: Random, known: Known): string {
  if (format === 'uuid') return known.pick(random).split('/').at(-1)!;
  if (format === 'date') return '2026-01-31';
  if (format === 'date-time') return '2026-01-31T00:00:00.000Z';
  if (format === 'uri') return 'https://example.com/';
  return random.pick(['Example', 'a', 'Zoë Ångström', 'x y', '東京']);
}

const LONG = 60_000;
const quoted = (text: string) => new Raw(`"${text}"`);

const HOSTILE: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 53, '', ' ', '0', '-0', '+1', '1e3', '0x10', 'NaN', '1,000.00', '١', '00001', '1.'],
  ...[[], {}, [[]], [null], [{}], ['a', 'a'], { href: null }, { value: {}, currency: [] }, { toString: 1, valueOf: null }],
  // injection strings
  ...[
    "'; drop table customer; --",
    '" or 1=1 --',
    '%27%20or%201=1',
    '\\',
    '$(id)',
    '`id`',
    '../../etc/passwd',
    '$\u007bjndi:ldap://a}',
  ],
  ...[
    '<script>alert(1)</script>',
    '{{7*7}}',
    '%s%n%x',
    'undefined',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '\r\nSet-Cookie: a=b',
  ],
  // unicode: right to left, combining, outside the basic plane, non-characters, case that changes length
  ...[
    '\u202eabc',
    'e\u0301'.repeat(50),
    '😀'.repeat(60),
    '\ufeff',
    '\uffff',
    '\u2028\u2029',
    'İıſßŉ',
    '\u200b',
    '\u0085',
    '\u007f',
    '\u0000a',
  ],
  // numbers beyond 64 bits
  ...[new Raw('1e400'), new Raw('-1e400'), new Raw('1E-400'), new Raw('123456789012345678901234567890'), new Raw('-0')],
  // text that PostgreSQL cannot store
  ...[quoted('\\u0000'), quoted('a\\u0000b'), quoted('\\ud800'), quoted('\\udc00\\ud800'), quoted('\\uD83D\\uDE00')],
  // members that could become a prototype
  new Raw('{"__proto__":{"polluted":1}}'),
  new Raw('{"\\u005f_proto__":{"polluted":1}}'),
  { constructor: { prototype: { polluted: 1 } } },
  // malformed JSON
  ...[
    new Raw('NaN'),
    new Raw('undefined'),
    new Raw("'a'"),
    new Raw('[1,]'),
    new Raw('{"a":1,}'),
    new Raw('"a\tb"'),
    new Raw('"\\x"'),
  ],
  ...[new Raw('01'), new Raw('.5'), new Raw('1.'), new Raw('0x1'), new Raw('"'), new Raw('/* */1'), new Raw('tRue')],
  // large and deep
  ...['x'.repeat(256), 'x'.repeat(1000), 'x'.repeat(LONG), '9'.repeat(400), new Raw(`[${'0,'.repeat(20_000)}0]`)],
  ...[31, 33, 1000, 20_000].map((depth) => new Raw('['.repeat(depth) + ']'.repeat(depth))),
  new Raw(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`),
];

export const hostile = (random: Random): unknown => random.pick(HOSTILE);

/** Text only, for paths, queries, headers and forms. */
export function hostileText(random: Random): string {
  const value = hostile(random);
  return typeof value === 'string' ? value : value instanceof Raw ? value.text : String(JSON.stringify(value));
}

/** The JSON of a value with one or a few places changed. */
export function spoiledJson(value: unknown, random: Random): string {
  let text = jsonOf(spoil(value, random));
  if (random.chance(0.15)) text = doubled(text, random);
  return text;
}

/** A copy in which a random place is replaced, removed, or gets an unexpected sibling. */
function spoil(value: unknown, random: Random): unknown {
  const inside = value !== null && typeof value === 'object' && Object.keys(value).length > 0;
  if (!inside || random.chance(0.1)) return hostile(random);
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
  const name = random.pick(Object.keys(copy));
  if (random.chance(0.15)) delete copy[name];
  else if (random.chance(0.1) && !Array.isArray(copy))
    copy[random.pick(['x', '', 'id', 'status', '_links', '_embedded', 'toJSON', 'length', '0', '\u0000'])] = hostile(random);
  else copy[name] = random.chance(0.5) ? spoil(copy[name], random) : hostile(random);
  return copy;
}

/** JSON with the raw parts unchanged. */
export function jsonOf(value: unknown): string {
  const raws: string[] = [];
  const marked = JSON.stringify(value, (_name, member: unknown) => {
    if (!(member instanceof Raw)) return member;
    raws.push(member.text);
    return `\u0001${raws.length - 1}\u0001`;
  });
  return String(marked).replace(/"\\u0001(\d+)\\u0001"/g, (_all, index: string) => raws[Number(index)]!);
}

/** The same JSON with a duplicate member. */
function doubled(json: string, random: Random): string {
  const names = [...json.matchAll(/"[^"\\]{1,40}":/g)];
  if (names.length === 0) return json;
  const name = random.pick(names);
  return `${json.slice(0, name.index)}${name[0]}null,${json.slice(name.index)}`;
}
