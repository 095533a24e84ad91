// The OpenAPI 3.1 document, made from the schemas of the routes and served at /openapi.json.
import { readFileSync } from 'node:fs';
import swagger from '@fastify/swagger';
import type { Links } from './links.ts';
import type { App } from './route.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

/** Collects every route registered after it. */
export async function useOpenApi(app: App, links: Links): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (!route.schema || route.config?.plain) return;
    route.schema = {
      produces: [links.mediaType],
      ...(route.schema.body ? { consumes: [links.mediaType, 'application/json'] } : {}),
      ...route.schema,
    };
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Earmark',
        version,
        description: 'A payments API: customer balances divided into labels, and amounts moved between them.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      security: [{ application: [] }],
      components: {
        securitySchemes: {
          application: {
            type: 'oauth2',
            flows: {
              clientCredentials: {
                tokenUrl: '/token',
                scopes: { read: 'Read', write: 'Write', funds: 'Record deposits and withdrawals', review: 'Decide on documents' },
              },
            },
          },
        },
      },
    },
  });
  app.get('/openapi.json', { config: { public: true, plain: true }, schema: { hide: true } }, async () => app.swagger());
}
