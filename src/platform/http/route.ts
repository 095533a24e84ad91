// Shared parts of routes: the application type, the members of a route's config, and the schemas of errors and creations.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { TSchema } from 'typebox';
import { FAULT_CODES, PROBLEM_CODES, type ProblemName } from '../../core/problems.ts';
import { CHECKED_LATER } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { FAULTS_MAX } from './errors.ts';
import { linkWhen } from './links.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route needs no token. */
    public?: boolean;
    /** The route does not use the versioned media type. */
    plain?: boolean;
    /** A plain route whose GET responses have an ETag. */
    tagged?: boolean;
    /** Other media types that the route sends if Accept prefers them. */
    alsoServes?: readonly string[];
    /** The problem for a missing scope, and for a resource of another account; default `forbidden`. */
    forbidden?: ProblemName;
    /** The problem for a path with an invalid id, and for a missing resource; default `notFound`. */
    missing?: ProblemName;
    /** The problems that do not follow from the other members and the schema. For the OpenAPI document. */
    problems?: readonly ProblemName[];
    /** The body may be absent. */
    optionalBody?: boolean;
    /** Every fault of the body is reported with its path. */
    form?: boolean;
  }
}

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
  {
    title: 'Problem',
    description: 'An error. A `ValidationError`, and a `BadRequest` for a body, list the refused values in `_embedded.errors`.',
  },
);

const CREATED = 'Created. Location is the URL of the new resource.';
const createdHeaders = {
  Location: { type: 'string', format: 'uri' },
  'Idempotent-Replayed': {
    type: 'string',
    enum: ['true'],
    description: 'Present if this response repeats the first response to the Idempotency-Key.',
  },
  'Preference-Applied': {
    type: 'string',
    enum: ['return=representation'],
    description: 'Present if the body is the new resource because `Prefer` asks for it.',
  },
};

/** A key in double quotes, which are not part of it; or without: a quote at both ends would be such quotes, also around nothing. */
const KEY_PATTERN = '^(?:"[!-~]{1,255}"|"|[!#-~][!-~]{0,254}|"[!-~]{0,253}[!#-~])$';

/** The headers schema of a POST that accepts an Idempotency-Key. */
export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description:
        '1 to 255 visible ASCII characters, with or without double quotes. Requests with the same key and body have one effect. A key belongs to one customer, or to the account for requests without a customer.',
      [CHECKED_LATER]: { minLength: 1, maxLength: 257, pattern: KEY_PATTERN },
    }),
  ),
});

/** The headers schema of a POST that creates a resource. */
export const CreationHeaders = Type.Object({
  ...IdempotencyHeaders.properties,
  Prefer: Type.Optional(
    Type.String({
      description:
        '`return=representation`: the body of the response is the new resource, as GET shows it now, also for a repeated Idempotency-Key. Needs the scope that reads it. Other preferences are ignored (RFC 7240).',
      [CHECKED_LATER]: { enum: ['return=representation'] },
    }),
  ),
});

/** The headers and the response of a POST that creates a resource: the body is empty, unless the request prefers the resource. */
export function creates<T extends TSchema>(resource: T) {
  const description = `${CREATED} The body is empty without \`Prefer: return=representation\`.`;
  return createsWith({ ...resource, 'x-response-description': description, 'x-represents': true });
}

/** The headers and the response of a POST that creates a resource which is always the body. */
export function createsWith<T extends TSchema>(resource: T) {
  const response = { 201: { 'x-response-description': CREATED, ...resource, headers: createdHeaders } };
  return { headers: CreationHeaders, response };
}
