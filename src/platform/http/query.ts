// Query strings: strict parsing of each parameter. A refusal names what is allowed.
import type { Ajv, ErrorObject } from 'ajv';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import type { App } from './route.ts';

type Text = string | string[];
type Parameter = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: string[];
  anyOf?: Parameter[];
  items?: Parameter;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxProperties?: number;
};
type QuerySchema = TSchema & { properties: Record<string, Parameter> };

/** A pair of a parameter that is an object: `metadata[key]`. */
const PAIR = /^([^[\]]+)\[([^[\]]*)\]$/;
const DIGITS = /^[0-9]+$/;
/** Descriptions of formats, for messages. */
const FORMATS: Record<string, string> = {
  uuid: 'an id in lower case',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T12:00:00Z',
};

/** Refuses queries with invalid percent-encoding, which Fastify would pass on undecoded. */
export function useQueries(app: App): void {
  app.addHook('onRoute', (route) => {
    if (route.schema?.querystring) route.preValidation = [requireEncoding, ...[route.preValidation ?? []].flat()];
  });
}

/** Compiles a query schema. The validator sets defaults, and refuses with one fault per invalid parameter. */
export function compileQuery(ajv: Ajv, schema: TSchema) {
  const { properties } = schema as QuerySchema;
  const validate = ajv.compile({ ...schema, additionalProperties: false });
  return (raw: unknown): { value: object } | { error: Error } => {
    const found = new Map<string, unknown>();
    for (const [name, text] of Object.entries(raw as Record<string, Text>)) {
      const [, parameter = '', key = ''] = PAIR.exec(name) ?? [];
      if (parameterOf(properties, parameter)?.type !== 'object') found.set(name, read(parameterOf(properties, name), text));
      else found.set(parameter, Object.fromEntries([...Object.entries(found.get(parameter) ?? {}), [key, text]]));
    }
    const query: Record<string, unknown> = Object.fromEntries(found);
    if (validate(query)) return { value: query };
    const [first, ...names] = new Set(validate.errors!.map(nameIn));
    const faultIn = (name: string) => faultOf(properties, name, query[name]);
    return { error: invalid(faultIn(first!), ...names.map(faultIn)) };
  };
}

function requireEncoding(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  try {
    decodeURIComponent(request.url.slice(request.url.indexOf('?') + 1));
    done();
  } catch {
    done(refuse('badQuery'));
  }
}

/** Parses a parameter. Returns invalid text unchanged, so that the schema refuses it. */
function read(parameter: Parameter | undefined, text: Text): unknown {
  if (parameter?.type === 'integer' && typeof text === 'string' && DIGITS.test(text)) return Number(text);
  return parameter?.type === 'array' && typeof text === 'string' ? [text] : text;
}

/** Returns the name of the parameter that an error is about. */
function nameIn({ keyword, params, instancePath }: ErrorObject): string {
  return keyword === 'additionalProperties' ? (params.additionalProperty as string) : instancePath.split('/')[1]!;
}

function faultOf(properties: QuerySchema['properties'], name: string, value: unknown): Fault {
  const path = `/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const parameter = parameterOf(properties, name);
  if (parameter && Array.isArray(value) && !parameter.items)
    return { code: 'Invalid', message: `${name} must be given only once.`, path };
  if (parameter) return { code: 'Invalid', message: `${name} must be ${allowed(parameter)}.${hint(properties, name)}`, path };
  const parameters = Object.keys(properties).join(', ');
  return { code: 'NotAllowed', message: `${name} is not a parameter of this list. It takes ${parameters || 'none'}.`, path };
}

/** Describes the allowed values of a parameter. */
function allowed(parameter: Parameter): string {
  const { type, format, pattern, enum: values, anyOf, items, minimum, maximum, maxLength, maxProperties } = parameter;
  if (type === 'object') return `1 to ${maxProperties} different pairs, each as metadata[key]=value`;
  if (items) return `${allowed(items)}; it may be repeated`;
  if (anyOf) return anyOf.map(allowed).join(' or ');
  if (values) return `one of ${values.join(', ')}`;
  if (type === 'integer') return `an integer from ${minimum} to ${maximum}`;
  if (format) return FORMATS[format]!;
  const most = maxLength === undefined ? '' : ` of at most ${maxLength} characters`;
  return `a string${most}${pattern ? ' without control characters' : ''}`;
}

function hint(properties: QuerySchema['properties'], name: string): string {
  return name === 'offset' && parameterOf(properties, 'after') ? ' To read further, use after, as next links do.' : '';
}

function parameterOf(properties: QuerySchema['properties'], name: string): Parameter | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
