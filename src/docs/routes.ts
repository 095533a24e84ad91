// The door of the documentation: a reference to browse, in which requests can be tried, of files that all come with the service.
import { readFile } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { readExamples } from '../http/openapi/examples.ts';
import type { App } from '../http/route.ts';
import { SCOPES } from '../oauth/application.ts';
import { readCredentials, sandboxFile } from '../sandbox/sandbox.ts';
import type { Service } from '../service.ts';
import { type Settings, writePage } from './page.ts';

const RENDERER = new URL('./static/', import.meta.resolve('@fastify/swagger-ui'));
const OWN = new URL('../../reference/', import.meta.url);

/** What the page is made of: nothing of it comes from elsewhere. */
const FILES: Record<string, { url: URL; type: string }> = {
  'swagger-ui-bundle.js': { url: new URL('swagger-ui-bundle.js', RENDERER), type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { url: new URL('swagger-ui.css', RENDERER), type: 'text/css; charset=utf-8' },
  'start.js': { url: new URL('start.js', OWN), type: 'text/javascript; charset=utf-8' },
  'page.css': { url: new URL('page.css', OWN), type: 'text/css; charset=utf-8' },
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const CACHED = 'public, max-age=3600';

export function docsRoutes(app: App, service: Service): void {
  const config = { public: true, plain: true };
  const schema = { hide: true };

  app.get('/docs', { config, schema }, async (_request, reply) =>
    guarded(reply)
      .type('text/html; charset=utf-8')
      .send(writePage(settingsOf(service))),
  );

  for (const [name, { url, type }] of Object.entries(FILES)) {
    app.get(`/docs/${name}`, { config, schema }, async (_request, reply) =>
      guarded(reply)
        .header('cache-control', CACHED)
        .type(type)
        .send(await readFile(url)),
    );
  }
}

function guarded(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');
}

/**
 * What the page fills in. In the sandbox the examples become the sandbox's own, and its client_id is there; its secret is not, as whoever
 * can open the page would have it: it stands in sandbox.json, which only its owner can read.
 */
function settingsOf({ config, links }: Service): Settings {
  const { sandbox } = readExamples(links.mediaType);
  const own = config.mode === 'sandbox' ? readCredentials(sandboxFile(config)) : undefined;
  const base: [string, string] = [sandbox.base_url, links.url('')];
  if (!own) return { clientId: '', scopes: [], replace: [base], secretFile: undefined };
  const idIn = (url: string) => url.slice(url.lastIndexOf('/') + 1);
  return {
    clientId: own.client_id,
    scopes: [...SCOPES],
    secretFile: 'sandbox.json',
    replace: [
      base,
      [sandbox.account_id, own.account_id],
      [sandbox.client_id, own.client_id],
      [idIn(sandbox.customer), idIn(own.customer)],
      [idIn(sandbox.labels[0]), idIn(own.labels[0])],
      [idIn(sandbox.labels[1]), idIn(own.labels[1])],
    ],
  };
}
