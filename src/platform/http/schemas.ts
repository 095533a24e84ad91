// The schema compiler of routes, without type coercion.
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import type { TSchema } from 'typebox';
import { ID } from '../../core/ids.ts';
import { compileQuery } from './query.ts';

type Faults = FastifySchemaValidationError[] | Error;
type Validate<Fault> = (value: unknown) => { value: unknown } | { error: Fault };

/** Between two schemas, for requests. */
const PAUSE_MS = 10;
const validators = new Map<string, Validate<Faults>>();
/** Compile the schemas of which no value has come. */
const waiting = new Set<() => void>();

/** Creates the compiler of one application. Equal schemas are compiled once, for all routes and applications. */
export function openSchemaCompiler(): FastifySchemaCompiler<TSchema> {
  const ajv = openAjv();
  return ({ schema, httpPart }) => {
    const isQuery = httpPart === 'querystring';
    // As text, because Fastify copies the schemas of headers.
    const key = `${isQuery} ${JSON.stringify(schema)}`;
    const known = validators.get(key) ?? atFirstUse<Faults>(() => (isQuery ? compileQuery : compile)(ajv, schema));
    validators.set(key, known);
    return known;
  };
}

/** Creates a compiler for a route whose body is validated by a function, not by its schema. */
export function openBodyCompiler(validateBody: ReturnType<FastifySchemaCompiler<TSchema>>): FastifySchemaCompiler<TSchema> {
  const compile = openSchemaCompiler();
  return (route) => (route.httpPart === 'body' ? validateBody : compile(route));
}

/** Returns a function that finds the faults of a value by its schema. */
export function validatorOf(schema: TSchema): (value: unknown) => FastifySchemaValidationError[] {
  const validate = atFirstUse(() => compile(openAjv(), schema));
  return (value) => {
    const checked = validate(value);
    return 'error' in checked ? checked.error : [];
  };
}

function openAjv(): Ajv {
  // TypeBox makes the schemas, and a test checks them all. Checking them here took a tenth of the start.
  const trusted = { meta: false, validateSchema: false } as const;
  // verbose: errors contain what messages are made of (schema-errors.ts).
  const ajv = new Ajv({ allErrors: true, discriminator: true, strict: false, useDefaults: true, verbose: true, ...trusted });
  addFormats.default(ajv);
  // Ids have one spelling. As a pattern beside the format it would break generators, which make a UUID of such a string.
  ajv.addFormat('uuid', ID);
  return ajv;
}

function compile(ajv: Ajv, schema: TSchema): Validate<FastifySchemaValidationError[]> {
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? { value } : { error: validate.errors! });
}

/** Compiles the schemas that wait for a first value, which would otherwise wait for up to 40 ms. */
export async function compileSchemas(): Promise<void> {
  for (const compile of waiting) {
    compile();
    await sleep(PAUSE_MS, undefined, { ref: false });
  }
}

/** Compiles a schema when its first value comes, or afterwards: compiling all schemas took a third of the start. */
function atFirstUse<Fault>(compileSchema: () => Validate<Fault>): Validate<Fault> {
  let validate: Validate<Fault> | undefined;
  const compile = () => {
    waiting.delete(compile);
    validate ??= compileSchema();
    return validate;
  };
  waiting.add(compile);
  return (value) => (validate ?? compile())(value);
}
