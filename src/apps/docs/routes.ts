// The routes of the documentation site at /docs, and of the front page.
import { statSync } from 'node:fs';
import { refuse } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import type { Document } from '../../platform/http/content.ts';
import type { App } from '../../platform/http/route.ts';
import { withPageHeaders } from '../../platform/pages/policy.ts';
import { readCredentials, sandboxFile } from '../sandbox/credentials.ts';
import type { Service } from '../service/service.ts';
import { frontPageRoute } from './front-page.ts';
import { QUERY_MAX } from './layout.ts';
import type { OpenApi } from './openapi.ts';
import { sandboxTokenRoute } from './sandbox-token.ts';
import type { Site } from './site.ts';
import { specimenRoute } from './specimen.ts';

const HTML = 'text/html; charset=utf-8';
const PATHS = ['/docs', '/docs/*'];
const Query = Type.Object({ q: Type.Optional(Type.String()) });

export function docsRoutes(app: App, service: Service): void {
  frontPageRoute(app, service);
  sandboxTokenRoute(app, service);
  specimenRoute(app, service);
  const site = lazySite(app, service);
  const config = { public: true, plain: true };
  const schema = { hide: true };
  const documents = new Map<string, Document>();
  const index: Document = { mediaType: 'application/json; charset=utf-8' };
  let indexText: string | undefined;

  app.get('/docs/search', { config, schema: { ...schema, querystring: Query } }, async (request, reply) => {
    const page = (await site()).results((request.query.q ?? '').slice(0, QUERY_MAX));
    return withPageHeaders(reply).type(HTML).send(page);
  });
  app.get('/docs/search.json', { config, schema }, async (_request, reply) => {
    indexText ??= JSON.stringify((await site()).index);
    return withPageHeaders(reply).header('cache-control', 'no-cache').sendDocument(index, indexText);
  });
  for (const path of PATHS) {
    app.get(path, { config, schema }, async (request, reply) => {
      const path = request.url.split('?', 1)[0]!;
      if (app.hasRoute({ url: path, method: 'POST' })) throw refuse('methodNotAllowed', { headers: { allow: 'POST' } });
      const { page: find, missing } = await site();
      const page = find(path);
      if (page === undefined && path.endsWith('/') && find(path.slice(0, -1))) return reply.redirect(path.slice(0, -1), 308);
      if (page === undefined) return withPageHeaders(reply).code(404).type(HTML).send(missing);
      const document = documents.get(path) ?? { mediaType: HTML };
      documents.set(path, document);
      return withPageHeaders(reply).header('cache-control', 'no-cache').sendDocument(document, page);
    });
  }
}

/**
 * Opens the site on the first request: its libraries take a part of the start otherwise, and the URL of the service is known then. In a
 * sandbox it is opened again when the stored credentials are written again: the samples name its resources, and another process may replace them.
 */
function lazySite(app: App, { config, links }: Pick<Service, 'config' | 'links'>): () => Promise<Site> {
  const isSandbox = config.mode === 'sandbox';
  const file = sandboxFile(config);
  let opened: { written: number | undefined; site: Promise<Site> } | undefined;
  return () => {
    const written = isSandbox ? statSync(file, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if (opened && opened.written === written) return opened.site;
    const credentials = isSandbox ? readCredentials(file) : undefined;
    const site = Promise.all([import('./site.ts'), app.openApi()]).then(([{ openSite }, document]) =>
      openSite({
        document: document as unknown as OpenApi,
        baseUrl: links.url(''),
        vendor: config.mediaTypeVendor,
        mediaType: links.mediaType,
        ...{ isSandbox, credentials },
        hasConsole: config.console,
      }),
    );
    opened = { written, site };
    site.catch(() => {
      opened = undefined;
    });
    return site;
  };
}
