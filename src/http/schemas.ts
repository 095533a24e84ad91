// Compiles the schemas of routes: bodies without any coercion, queries (which are always text) with it.
import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';

const options: Options = { allErrors: true, discriminator: true, strict: false, useDefaults: true, removeAdditional: false };

/** Makes the compiler of one application. */
export function openSchemaCompiler(): FastifySchemaCompiler<TSchema> {
  const strict = new Ajv({ ...options, coerceTypes: false });
  const fromText = new Ajv({ ...options, coerceTypes: true });
  for (const ajv of [strict, fromText]) addFormats.default(ajv);
  return ({ schema, httpPart }) => (httpPart === 'querystring' ? fromText : strict).compile(schema);
}
