// Shared parts of routes: the application type, error and creation schemas, and the declaration of responses.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import Type, { type TSchema } from 'typebox';
import { FAULT_CODES, PROBLEM_CODES, type ProblemName } from '../problems.ts';
import { CHECKED_LATER } from '../schema.ts';
import { FAULTS_MAX } from './errors.ts';
import { linkWhen } from './links.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

const FaultSchema = Type.Object(
  {
    code: Type.Enum(FAULT_CODES),
    message: Type.String(),
    path: Type.String({ description: 'JSON pointer (RFC 6901) to the refused value.' }),
    _links: Type.Object({}),
  },
  { title: 'Fault' },
);

/** The body of every error response. */
export const ProblemSchema = Type.Object(
  {
    code: Type.Enum(PROBLEM_CODES, { title: 'ProblemCode' }),
    message: Type.String(),
    _links: Type.Optional(Type.Object({ about: linkWhen('The resource that the refusal is about.') })),
    _embedded: Type.Optional(Type.Object({ errors: Type.Array(FaultSchema, { maxItems: FAULTS_MAX }) })),
  },
  { title: 'Problem', description: 'An error. A `ValidationError` lists the refused values in `_embedded.errors`.' },
);

// The problems of every route that requires a token; a body and a query add the lists below.
const ALWAYS: ProblemName[] = [
  'invalidAccessToken',
  'expiredAccessToken',
  'forbidden',
  'invalidVersion',
  'tooManyRequests',
  'serverError',
  'unavailable',
];
const WITH_BODY: ProblemName[] = ['badRequest', 'validation', 'requestTooLarge', 'unsupportedType'];
// `badQuery` is for unreadable queries, `validation` for refused values.
const WITH_QUERY: ProblemName[] = ['badQuery', 'validation'];

/** The response schema of a created resource: an empty body and a Location. */
export const Created = Type.Unsafe<undefined>({
  type: 'null',
  description: 'Created. Location is the URL of the new resource.',
  headers: {
    Location: { type: 'string', format: 'uri' },
    'Idempotent-Replayed': {
      type: 'string',
      enum: ['true'],
      description: 'Present if this response repeats the first response to the Idempotency-Key.',
    },
  },
});

/** The headers schema of a POST that accepts an Idempotency-Key. */
export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description:
        '1 to 255 visible ASCII characters, with or without double quotes. Requests with the same key and body have one effect.',
      [CHECKED_LATER]: { minLength: 1, maxLength: 257, pattern: '^[!-~]*$' },
    }),
  ),
});

const refusalsOf = new WeakMap<object, ProblemName[]>();

/** Declares the `response` of a route that requires a token: its success schemas and its problems. */
export function answers<S extends Record<number, TSchema>>(success: S, ...refusals: (ProblemName | 'body')[]): S {
  const names = refusals.flatMap((name) => (name === 'body' ? WITH_BODY : name === 'badQuery' ? WITH_QUERY : [name]));
  return answersOnly(success, ...ALWAYS, ...names);
}

/** Declares the `response` of a route without the common problems, such as a public one. */
export function answersOnly<S extends Record<number, TSchema>>(success: S, ...refusals: ProblemName[]): S {
  // Stored beside the schema; the OpenAPI document generates the error responses from it.
  refusalsOf.set(success, refusals);
  return success;
}

/** Returns the problems declared by `answers` or `answersOnly`. */
export function refusalsIn(response: object | undefined): ProblemName[] {
  return (response && refusalsOf.get(response)) ?? [];
}
