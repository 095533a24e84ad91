// Near misses in request bodies that may have unknown members: a member whose name is almost that of a known one is refused.
import type { FastifyInstance, FastifySchemaCompiler, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { nearMiss } from '../../core/nearest-name.ts';
import type { SchemaError } from './schema-errors.ts';

type Schema = {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
};
type Compile = FastifySchemaCompiler<TSchema>;
type Checked = { value?: unknown; error?: Error | SchemaError[] };

/**
 * Adds the check to every route with a JSON body that may have unknown members. It checks the body as it was sent, before `compile` or
 * the compiler of the route, and reports its errors together with theirs. Bodies that are STRICT (schema.ts) need no check.
 */
export function useNearMisses(app: FastifyInstance, compile: Compile): void {
  app.addHook('onRoute', (route) => {
    const body = route.schema?.body as Schema | undefined;
    if (!body || !isJson(route) || !isOpen(body)) return;
    const compileOwn = (route.validatorCompiler as Compile | undefined) ?? compile;
    route.validatorCompiler = (part: Parameters<Compile>[0]) => {
      const validate = compileOwn(part) as (value: unknown) => Checked;
      return part.httpPart === 'body' ? (value: unknown) => addNearMisses(validate(value), nearMisses([body], value)) : validate;
    };
  });
}

function isJson({ schema }: RouteOptions): boolean {
  return schema?.consumes?.some((type) => type.endsWith('json')) ?? true;
}

/** Whether an object of a schema may have unknown members. */
function isOpen(schema: Schema): boolean {
  const { properties, items, anyOf = [], oneOf = [] } = schema;
  if (properties && !('additionalProperties' in schema)) return true;
  return [...Object.values(properties ?? {}), ...(items ? [items] : []), ...anyOf, ...oneOf].some(isOpen);
}

function addNearMisses(checked: Checked, found: SchemaError[]): Checked {
  if (found.length === 0 || checked.error instanceof Error) return checked;
  return { error: [...found, ...(checked.error ?? [])] };
}

/** Finds the near misses in a value that has one of several schemas. A member is known if one of them has it. */
function nearMisses(schemas: Schema[], value: unknown, at = ''): SchemaError[] {
  const alternatives = schemas.flatMap((schema) => schema.anyOf ?? schema.oneOf ?? [schema]);
  if (Array.isArray(value)) {
    const items = alternatives.flatMap((schema) => schema.items ?? []);
    return value.flatMap((item, index) => nearMisses(items, item, `${at}/${index}`));
  }
  if (value === null || typeof value !== 'object') return [];
  const open = alternatives.filter((schema) => schema.properties);
  const properties = Object.assign({}, ...open.map((schema) => schema.properties)) as Record<string, Schema>;
  const isClosed = open.some((schema) => 'additionalProperties' in schema);
  const names = Object.keys(properties);
  return Object.entries(value).flatMap(([name, member]): SchemaError[] => {
    const known = open.flatMap((schema) => (Object.hasOwn(schema.properties!, name) ? [schema.properties![name]!] : []));
    if (known.length > 0) return nearMisses(known, member, `${at}/${name}`);
    if (isClosed || nearMiss(name, names) === undefined) return [];
    const params = { additionalProperty: name };
    return [{ keyword: 'additionalProperties', instancePath: at, schemaPath: '', params, parentSchema: { properties } }];
  });
}
