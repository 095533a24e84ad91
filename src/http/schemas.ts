// The schema compiler of routes, without type coercion.
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { compileQuery } from './query.ts';

/** Creates the compiler of one application. */
export function openSchemaCompiler(): FastifySchemaCompiler<TSchema> {
  const ajv = new Ajv({ allErrors: true, discriminator: true, strict: false, useDefaults: true, removeAdditional: false });
  addFormats.default(ajv);
  return ({ schema, httpPart }) => (httpPart === 'querystring' ? compileQuery(ajv, schema) : ajv.compile(schema));
}
