// The door of the documentation: a reference to browse, in which requests can be tried, of files that all come with the service.
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Document } from '../http/content.ts';
import { readExamples } from '../http/openapi/examples.ts';
import type { App } from '../http/route.ts';
import { readCredentials, sandboxFile } from '../sandbox/credentials.ts';
import type { Service } from '../service.ts';
import { frontPageRoute } from './front-page.ts';
import { type Settings, writePage } from './page.ts';
import { guarded } from './policy.ts';
import { sandboxTokenRoute } from './sandbox-token.ts';

const RENDERER = new URL('./static/', import.meta.resolve('@fastify/swagger-ui'));
const OWN = new URL('../../reference/', import.meta.url);

/** What the page is made of: nothing of it comes from elsewhere. */
const FILES: Record<string, { url: URL; type: string }> = {
  'swagger-ui-bundle.js': { url: new URL('swagger-ui-bundle.js', RENDERER), type: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { url: new URL('swagger-ui.css', RENDERER), type: 'text/css; charset=utf-8' },
  'start.js': { url: new URL('start.js', OWN), type: 'text/javascript; charset=utf-8' },
  'search.js': { url: new URL('search.js', OWN), type: 'text/javascript; charset=utf-8' },
  'credentials.js': { url: new URL('credentials.js', OWN), type: 'text/javascript; charset=utf-8' },
  'token.js': { url: new URL('token.js', OWN), type: 'text/javascript; charset=utf-8' },
  'front.css': { url: new URL('front.css', OWN), type: 'text/css; charset=utf-8' },
  'page.css': { url: new URL('page.css', OWN), type: 'text/css; charset=utf-8' },
};

type File = { content: Buffer; document: Document };
const kept = new Map<string, File>();

const CACHED = 'public, max-age=3600';

export function docsRoutes(app: App, service: Service): void {
  frontPageRoute(app, service);
  sandboxTokenRoute(app, service);
  const config = { public: true, plain: true };
  const schema = { hide: true };

  const page = openPage(service);
  const document: Document = { mediaType: 'text/html; charset=utf-8' };
  app.get('/docs', { config, schema }, async (_request, reply) => guarded(reply).sendDocument(document, await page()));

  for (const [name, { url, type }] of Object.entries(FILES)) {
    app.get(`/docs/${name}`, { config, schema }, async (_request, reply) => {
      const { content, document } = readOnce(url, type);
      return guarded(reply).header('cache-control', CACHED).sendDocument(document, content);
    });
  }
}

/** A file of the package, which does not change while a process runs. */
function readOnce(url: URL, type: string): File {
  let file = kept.get(url.href);
  if (!file) {
    file = { content: readFileSync(url), document: { mediaType: type } };
    kept.set(url.href, file);
  }
  return file;
}

/** The page, made anew only when the sandbox's file is another than it was made of. */
function openPage(service: Service): () => Promise<string> {
  const { config } = service;
  let made: { of: string; page: string } | undefined;
  return async () => {
    const file = config.mode === 'sandbox' ? await stat(sandboxFile(config), { bigint: true }).catch(() => undefined) : undefined;
    const of = file ? `${file.ino} ${file.mtimeNs} ${file.size}` : '';
    if (made?.of !== of) made = { of, page: writePage(settingsOf(service)) };
    return made.page;
  };
}

/**
 * What the page fills in. In the sandbox the examples become the sandbox's own, and its client_id is there; its secret is not, as whoever
 * can open the page would have it: the page asks for a token where it may (sandbox-token.ts).
 */
function settingsOf({ config, links }: Service): Settings {
  const { sandbox } = readExamples(links.mediaType);
  const own = config.mode === 'sandbox' ? readCredentials(sandboxFile(config)) : undefined;
  const base: [string, string] = [sandbox.base_url, links.url('')];
  if (!own) return { isSandbox: false, clientId: '', replace: [base] };
  const idIn = (url: string) => url.slice(url.lastIndexOf('/') + 1);
  return {
    isSandbox: true,
    clientId: own.client_id,
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
