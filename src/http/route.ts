// What a room's door is opened on, and how a route says what it answers.
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
    path: Type.String({ description: 'JSON pointer (RFC 6901) to the refused member.' }),
    _links: Type.Object({}),
  },
  { title: 'Fault' },
);

/** The body of every refusal. */
export const ProblemSchema = Type.Object(
  {
    code: Type.Enum(PROBLEM_CODES, { title: 'ProblemCode' }),
    message: Type.String(),
    _links: Type.Optional(Type.Object({ about: linkWhen('To what the refusal is about.') })),
    _embedded: Type.Optional(Type.Object({ errors: Type.Array(FaultSchema, { maxItems: FAULTS_MAX }) })),
  },
  { title: 'Problem', description: 'A refusal. A ValidationError names every refused value in `_embedded`.' },
);

// What any route behind a token can be refused with; a body adds the second list, and a query the third.
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
// A query that cannot be read is a bad query; one that can be may have values that are refused.
const WITH_QUERY: ProblemName[] = ['badQuery', 'validation'];

/** A created resource: an empty body and its URL. */
export const Created = Type.Unsafe<undefined>({
  type: 'null',
  description: 'Created. Location is the URL of the new resource.',
  headers: {
    Location: { type: 'string', format: 'uri' },
    'Idempotent-Replayed': {
      type: 'string',
      enum: ['true'],
      description: 'Present when this repeats the first answer to the Idempotency-Key.',
    },
  },
});

/** The headers of a POST that can be repeated safely. */
export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description: '1 to 255 visible ASCII characters, in double quotes or not; the same key and body have one effect.',
      [CHECKED_LATER]: { minLength: 1, maxLength: 257, pattern: '^[!-~]*$' },
    }),
  ),
});

const refusalsOf = new WeakMap<object, ProblemName[]>();

/** The `response` of a route's schema: what it answers when all is well, and each problem it can be refused with. */
export function answers<S extends Record<number, TSchema>>(success: S, ...refusals: (ProblemName | 'body')[]): S {
  const names = refusals.flatMap((name) => (name === 'body' ? WITH_BODY : name === 'badQuery' ? WITH_QUERY : [name]));
  return answersOnly(success, ...ALWAYS, ...names);
}

/** The same for a route that is not behind a token: with these problems and no others. */
export function answersOnly<S extends Record<number, TSchema>>(success: S, ...refusals: ProblemName[]): S {
  // Kept by name: the OpenAPI document makes the answers of them.
  refusalsOf.set(success, refusals);
  return success;
}

/** The problems that a `response` of `answers` told. */
export function refusalsIn(response: object | undefined): ProblemName[] {
  return (response && refusalsOf.get(response)) ?? [];
}
