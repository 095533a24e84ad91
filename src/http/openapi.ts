// The OpenAPI 3.1 document, made from the schemas of the routes and served at /openapi.json.
import swagger from '@fastify/swagger';
import type { RouteOptions } from 'fastify';
import type { ProblemName } from '../problems.ts';
import { VERSION } from '../version.ts';
import type { Document } from './content.ts';
import type { Links } from './links.ts';
import { finish } from './openapi/finish.ts';
import { about, securitySchemes, tags } from './openapi/words.ts';
import { type App, IdempotencyHeaders, refusalsIn } from './route.ts';

// A body is read wherever one may come, also where none is asked for.
const OF_ANY_BODY: ProblemName[] = ['badRequest', 'requestTooLarge', 'unsupportedType'];

/** Collects every route registered after it. `webhooks` is that section of the document. */
export async function useOpenApi(app: App, links: Links, webhooks: object): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.schema && !route.schema.hide) route.schema = describe(route, links.mediaType);
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Earmark',
        version: VERSION,
        description: about,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      security: [{ application: [] }],
      tags,
      components: { securitySchemes },
    },
    transformObject: (document) =>
      'openapiObject' in document ? finish({ ...ofService(document.openapiObject, links), webhooks }, links.mediaType) : {},
  });
  const document: Document = { mediaType: 'application/json; charset=utf-8' };
  let text: string | undefined;
  app.get('/openapi.json', { config: { public: true, plain: true }, schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return reply.sendDocument(document, text);
  });
}

/** The document with what differs between services: where this one is reached, and who answers for it. */
function ofService<T extends { info?: object }>(document: T, links: Links) {
  return {
    ...document,
    info: { ...document.info, contact: { name: 'The operator of this service', url: links.url('/') } },
    servers: [{ url: links.url(''), description: 'This service.' }],
  };
}

/** What a route can be refused with: what it says, and what follows from a key that is taken and a scope that is not asked for. */
function refusalsOf(schema: RouteOptions['schema'], mayForbid: boolean): ProblemName[] {
  const said = refusalsIn(schema?.response as object | undefined);
  const withKey: ProblemName[] = schema?.headers === IdempotencyHeaders ? ['badHeader', 'conflict'] : [];
  return [...said, ...withKey].filter((name) => name !== 'forbidden' || mayForbid);
}

/** The schema of a route with what follows from its settings: media types, security, and what it can be refused with. */
function describe({ method, schema, config }: RouteOptions, mediaType: string): NonNullable<RouteOptions['schema']> {
  const reads = method !== 'GET' && method !== 'HEAD';
  return {
    ...(!config?.plain && { produces: [mediaType] }),
    ...(!config?.plain && schema?.body !== undefined && { consumes: [mediaType, 'application/json'] }),
    security: config?.public ? [] : [{ application: config?.scope === undefined ? [] : [config.scope] }],
    'x-refusals': [
      ...refusalsOf(schema, config?.public || config?.scope !== undefined),
      ...(reads && !config?.public ? OF_ANY_BODY : []),
    ],
    ...schema,
  } as NonNullable<RouteOptions['schema']>;
}
