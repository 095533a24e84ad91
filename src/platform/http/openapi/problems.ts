// The problems of an operation: those that its route declares, and those that follow from its schema and config.
import type { RouteOptions } from 'fastify';
import type { ProblemName } from '../../../core/problems.ts';
import { CreationHeaders, IdempotencyHeaders } from '../route.ts';

const WITH_TOKEN: ProblemName[] = [
  'invalidAccessToken',
  'expiredAccessToken',
  'invalidVersion',
  'tooManyRequests',
  'serverError',
  'unavailable',
];
const WITH_BODY: ProblemName[] = ['badRequest', 'validation', 'requestTooLarge', 'unsupportedType'];
// `badQuery` is for unreadable queries, `validation` for refused values.
const WITH_QUERY: ProblemName[] = ['badQuery', 'validation'];
const WITH_KEY: ProblemName[] = ['badHeader', 'conflict'];
// The body of every POST and DELETE is parsed, even if the route expects none.
const WITH_ANY_BODY: ProblemName[] = ['badRequest', 'requestTooLarge', 'unsupportedType'];

/** Returns the problems of a route, in the order of the document; a name may occur twice. A public route declares all of them. */
export function problemsOf({ method, schema = {}, config = {} }: RouteOptions): ProblemName[] {
  const { scope, forbidden = 'forbidden', missing = 'notFound', problems = [] } = config;
  if (config.public) return [...problems];
  const readsBody = method !== 'GET' && method !== 'HEAD';
  return [
    ...WITH_TOKEN.filter((name) => !(config.plain && name === 'invalidVersion')),
    ...(scope === undefined ? [] : (['forbidden', forbidden] as const)),
    ...(schema.params === undefined && config.missing === undefined ? [] : [missing]),
    ...(schema.body === undefined ? [] : WITH_BODY),
    ...(schema.querystring === undefined ? [] : WITH_QUERY),
    ...problems,
    ...(schema.headers === IdempotencyHeaders || schema.headers === CreationHeaders ? WITH_KEY : []),
    ...(readsBody ? WITH_ANY_BODY : []),
  ];
}
