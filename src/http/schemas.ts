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

/** Creates a compiler for a route whose body is validated by a function, not by its schema. */
export function openBodyCompiler(validateBody: ReturnType<FastifySchemaCompiler<TSchema>>): FastifySchemaCompiler<TSchema> {
  const compile = openSchemaCompiler();
  return (route) => (route.httpPart === 'body' ? validateBody : compile(route));
}
