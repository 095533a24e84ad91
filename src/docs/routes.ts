// The routes of the documentation: the API reference at /docs, served entirely from local files.
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Document } from '../http/content.ts';
import { readExamples } from '../http/openapi/examples.ts';
import type { App } from '../http/route.ts';
import { readCredentials, sandboxFile } from '../sandbox/credentials.ts';
import type { Service } from '../service.ts';
import { frontPageRoute } from './front-page.ts';
import { type Settings, writePage } from './page.ts';
import { withSecurityHeaders } from './policy.ts';
import { sandboxTokenRoute } from './sandbox-token.ts';

const RENDERER = new URL('./static/', import.meta.resolve('@fastify/swagger-ui'));
const REFERENCE = new URL('../../reference/', import.meta.url);

/** The scripts and style sheets of the page. */
const FILES: Record<string, { url: URL; type: string }> = {
  'swagger-ui-bundle.js': { url: new URL('swagger-ui-bundle.js', RENDERER), type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { url: new URL('swagger-ui.css', RENDERER), type: 'text/css; charset=utf-8' },
  'start.js': { url: new URL('start.js', REFERENCE), type: 'text/javascript; charset=utf-8' },
  'search.js': { url: new URL('search.js', REFERENCE), type: 'text/javascript; charset=utf-8' },
  'credentials.js': { url: new URL('credentials.js', REFERENCE), type: 'text/javascript; charset=utf-8' },
  'token.js': { url: new URL('token.js', REFERENCE), type: 'text/javascript; charset=utf-8' },
  'page.css': { url: new URL('page.css', REFERENCE), type: 'text/css; charset=utf-8' },
};

type File = { content: Buffer; document: Document };
const cache = new Map<string, File>();

const CACHE_CONTROL = 'public, max-age=3600';

export function docsRoutes(app: App, service: Service): void {
  frontPageRoute(app, service);
  sandboxTokenRoute(app, service);
  const config = { public: true, plain: true };
  const schema = { hide: true };

  const page = openPage(service);
  const document: Document = { mediaType: 'text/html; charset=utf-8' };
  app.get('/docs', { config, schema }, async (_request, reply) =>
    withSecurityHeaders(reply).sendDocument(document, await page()),
  );

  for (const [name, { url, type }] of Object.entries(FILES)) {
    app.get(`/docs/${name}`, { config, schema }, async (_request, reply) => {
      const { content, document } = readOnce(url, type);
      return withSecurityHeaders(reply).header('cache-control', CACHE_CONTROL).sendDocument(document, content);
    });
  }
}

/** Reads a file of the package once, as it does not change while the process runs. */
function readOnce(url: URL, type: string): File {
  let file = cache.get(url.href);
  if (!file) {
    file = { content: readFileSync(url), document: { mediaType: type } };
    cache.set(url.href, file);
  }
  return file;
}

/** Returns a function that writes the page and caches it until the sandbox file changes. */
function openPage(service: Service): () => Promise<string> {
  const { config } = service;
  let cached: { version: string; page: string } | undefined;
  return async () => {
    const file = config.mode === 'sandbox' ? await stat(sandboxFile(config), { bigint: true }).catch(() => undefined) : undefined;
    const version = file ? `${file.ino} ${file.mtimeNs} ${file.size}` : '';
    if (cached?.version !== version) cached = { version, page: writePage(settingsOf(service)) };
    return cached.page;
  };
}

/**
 * Returns the settings of the page. In the sandbox they contain its ids and client_id, but not its secret, which anyone who can
 * open the page could read. The page requests a token instead (sandbox-token.ts).
 */
function settingsOf({ config, links }: Service): Settings {
  const { sandbox } = readExamples(links.mediaType);
  const credentials = config.mode === 'sandbox' ? readCredentials(sandboxFile(config)) : undefined;
  const base: [string, string] = [sandbox.base_url, links.url('')];
  if (!credentials) return { isSandbox: false, clientId: '', replace: [base] };
  const idIn = (url: string) => url.slice(url.lastIndexOf('/') + 1);
  return {
    isSandbox: true,
    clientId: credentials.client_id,
    replace: [
      base,
      [sandbox.account_id, credentials.account_id],
      [sandbox.client_id, credentials.client_id],
      [idIn(sandbox.customer), idIn(credentials.customer)],
      [idIn(sandbox.labels[0]), idIn(credentials.labels[0])],
      [idIn(sandbox.labels[1]), idIn(credentials.labels[1])],
    ],
  };
}
