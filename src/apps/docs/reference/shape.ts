// The members of a schema as nested rows: name, type, whether it is required, and its limits.
import { nameOf, type OpenApi, resolve, type Schema } from '../openapi.ts';

export type Member = {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
  /** Allowed values, lengths, ranges and patterns, each as a phrase. */
  limits: Limit[];
  members: Member[];
};

export type Limit = { text: string; values?: string[] };

/** A schema, or the alternatives of one, with their members. */
export type Shape = { name: string | undefined; description: string; members: Member[]; alternatives: Shape[]; type: string };

/** Links are the same everywhere: their members are not repeated. */
const LINK = 'Link';
const PATTERN_MAX = 40;
/** Patterns that only exclude control characters, which no reader wonders about. */
const PRINTABLE = /\\x|!-~/;

export function shapeOf(document: OpenApi, schema: Schema): Shape {
  const found = resolve(document, schema);
  const { schema: inner, type } = unwrap(document, found);
  const choices = inner.oneOf ?? inner.anyOf ?? [];
  return {
    ...{ name: nameOf(schema), description: found.description ?? '', type },
    members: membersOf(document, inner),
    alternatives: choices.map((choice) => shapeOf(document, choice)),
  };
}

/** The element of an array and the phrase for the whole. */
function unwrap(document: OpenApi, schema: Schema): { schema: Schema; type: string } {
  if (schema.items) {
    const { schema: inner, type } = unwrap(document, resolve(document, schema.items));
    return { schema: inner, type: `list of ${type}s` };
  }
  return { schema, type: typeOf(schema) };
}

function typeOf({ type, format, enum: values, oneOf, anyOf, properties }: Schema): string {
  if (format === 'date-time') return 'time';
  if (format !== undefined && type === 'string') return format === 'uri' ? 'URL' : format;
  if (values) return 'string';
  if (Array.isArray(type)) return type.join(' or ');
  if (type !== undefined) return type;
  return oneOf || anyOf || properties ? 'object' : 'value';
}

function membersOf(document: OpenApi, schema: Schema): Member[] {
  const parts = (schema.allOf ?? []).flatMap((part) => membersOf(document, resolve(document, part)));
  const own = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    memberOf(document, { name, property, isRequired: schema.required?.includes(name) ?? false }),
  );
  return [...parts.filter(({ name }) => !(name in (schema.properties ?? {}))), ...own];
}

function memberOf(
  document: OpenApi,
  { name, property, isRequired }: { name: string; property: Schema; isRequired: boolean },
): Member {
  const found = resolve(document, property);
  if (nameOf(property) === LINK) {
    return { name, type: 'link', isRequired, description: property.description ?? '', limits: [], members: [] };
  }
  const { schema, type } = unwrap(document, found);
  return {
    ...{ name, type, isRequired, description: found.description ?? '' },
    limits: [...limitsOf(found), ...(schema === found ? [] : limitsOf(schema))],
    members: membersOf(document, schema),
  };
}

/** The limits of a value, in words. A long pattern says less than its description, and is left out. */
export function limitsOf(schema: Schema): Limit[] {
  const { enum: values, pattern, minLength, maxLength, minimum, maximum, minItems, maxItems, default: preset } = schema;
  return [
    ...(values ? [{ text: 'one of', values: values.map(String) }] : []),
    ...range(minLength, maxLength, 'characters'),
    ...range(minimum, maximum, ''),
    ...range(minItems, maxItems, 'elements'),
    ...(pattern && pattern.length <= PATTERN_MAX && !PRINTABLE.test(pattern) && !/uuid|date/.test(schema.format ?? '')
      ? [{ text: 'matches', values: [pattern] }]
      : []),
    ...(preset === undefined ? [] : [{ text: 'default', values: [String(preset)] }]),
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): Limit[] {
  const end = unit && ` ${unit}`;
  if (least !== undefined && most !== undefined) return [{ text: `${least} to ${most.toLocaleString('en')}${end}` }];
  if (most !== undefined) return [{ text: `at most ${most.toLocaleString('en')}${end}` }];
  return least ? [{ text: `at least ${least}${end}` }] : [];
}
