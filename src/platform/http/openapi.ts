// The OpenAPI 3.1 document, generated from the schemas of the routes and served at /openapi.json.
import swagger from '@fastify/swagger';
import type { RouteOptions } from 'fastify';
import { VERSION } from '../../core/version.ts';
import type { Tag } from '../manifest.ts';
import type { Document } from './content.ts';
import type { Links } from './links.ts';
import { completeDocument } from './openapi/complete.ts';
import { description, securitySchemes } from './openapi/descriptions.ts';
import { problemsOf } from './openapi/problems.ts';
import type { App } from './route.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The document of the routes, made on its first use. */
    openApi(): ReturnType<typeof completeDocument>;
  }
}

/** Documents every route registered after it. `webhooks` is that section of the document. */
export async function useOpenApi(app: App, links: Links, { tags, webhooks }: { tags: Tag[]; webhooks: object }): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.schema && !route.schema.hide) route.schema = describe(route, links.mediaType);
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Earmark',
        version: VERSION,
        description,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      security: [{ application: [] }],
      tags,
      components: { securitySchemes },
    },
  });
  let completed: ReturnType<typeof completeDocument> | undefined;
  app.decorate('openApi', () => {
    completed ??= completeDocument({ ...withServer(app.swagger(), links), webhooks }, links.mediaType).catch((error) => {
      completed = undefined;
      throw error;
    });
    return completed;
  });
  const document: Document = { mediaType: 'application/json; charset=utf-8' };
  let text: string | undefined;
  app.get('/openapi.json', { config: { public: true, plain: true }, schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify(await app.openApi());
    return reply.sendDocument(document, text);
  });
}

/** Adds the URL and the contact of this service. */
function withServer<T extends { info?: object }>(document: T, links: Links) {
  return {
    ...document,
    info: { ...document.info, contact: { name: 'The operator of this service', url: links.url('/') } },
    servers: [{ url: links.url(''), description: 'This service.' }],
  };
}

/** Adds to the schema of a route what its config implies: media types, security and problems. */
function describe(route: RouteOptions, mediaType: string): NonNullable<RouteOptions['schema']> {
  const { schema, config } = route;
  return {
    ...(!config?.plain && { produces: [mediaType] }),
    ...(!config?.plain && schema?.body !== undefined && { consumes: [mediaType, 'application/json'] }),
    security: config?.public ? [] : [{ application: config?.scope === undefined ? [] : [config.scope] }],
    'x-problems': problemsOf(route),
    ...((!config?.plain || config.tagged) && { 'x-tagged': true }),
    ...(route.config?.optionalBody && { 'x-optional-body': true }),
    ...schema,
  } as NonNullable<RouteOptions['schema']>;
}
