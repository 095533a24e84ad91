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
import { type ProblemName, problems } from '../problems.ts';
import { LinkSchema } from './links.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

const FaultSchema = Type.Object({
  code: Type.String(),
  message: Type.String(),
  path: Type.String({ description: 'JSON pointer (RFC 6901) to the refused member.' }),
  _links: Type.Object({}),
});

/** The body of every refusal. */
export const ProblemSchema = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    _links: Type.Optional(Type.Object({ about: LinkSchema })),
    _embedded: Type.Optional(Type.Object({ errors: Type.Array(FaultSchema) })),
  },
  { title: 'Problem' },
);

// What any route behind a token can be refused with; a body adds the second list.
const ALWAYS: ProblemName[] = [
  'invalidAccessToken',
  'expiredAccessToken',
  'forbidden',
  'invalidVersion',
  'tooManyRequests',
  'serverError',
  'unavailable',
];
const WITH_BODY: ProblemName[] = ['badRequest', 'validation', 'conflict', 'requestTooLarge', 'unsupportedType'];

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
  'idempotency-key': Type.Optional(
    Type.String({ description: '1 to 255 visible ASCII characters; the same key and body have one effect.' }),
  ),
});

/** The `response` of a route's schema: what it answers when all is well, and each problem it can be refused with. */
export function answers<S extends Record<number, TSchema>>(
  success: S,
  ...refusals: (ProblemName | 'body')[]
): S & Record<string, TSchema> {
  const names = new Set<ProblemName>([...ALWAYS, ...refusals.flatMap((name) => (name === 'body' ? WITH_BODY : [name]))]);
  const byStatus = Map.groupBy([...names], (name) => problems[name].status);
  const refused = [...byStatus].map(([status, names]) => {
    const description = [...new Set(names.map((name) => `\`${problems[name].code}\` ${problems[name].message}`))].join('\n\n');
    return [status, { ...ProblemSchema, description }];
  });
  return { ...Object.fromEntries(refused), ...success };
}
