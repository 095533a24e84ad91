// The front page at / for browsers, with links to the documentation. API clients get the root resource at the same URL.
import type { IncomingMessage } from 'node:http';
import type { Document } from '../http/content.ts';
import { weightOf } from '../http/media-type.ts';
import type { App } from '../http/route.ts';
import type { Service } from '../service.ts';
import { VERSION } from '../version.ts';
import { escapeHtml, writeDocument } from './html.ts';
import { withSecurityHeaders } from './policy.ts';

/** The name of the route constraint, and its only value. */
const CLIENT = 'client';
const BROWSER = 'browser';
const ROOT = /^\/(\?|$)/;

export function frontPageRoute(app: App, { config, links }: Pick<Service, 'config' | 'links'>): void {
  // A second route with the same path, because authentication and the media type of the first do not apply to it.
  app.addConstraintStrategy({
    name: CLIENT,
    storage: () => {
      const handlers = new Map();
      return { get: (value) => handlers.get(value) ?? null, set: (value, handler) => void handlers.set(value, handler) };
    },
    validate: () => {},
    deriveConstraint: (request: IncomingMessage) => (isBrowser(request, links.mediaType) ? BROWSER : undefined),
  });
  const document: Document = { mediaType: 'text/html; charset=utf-8' };
  let page: string | undefined;
  app.get(
    '/',
    { constraints: { [CLIENT]: BROWSER }, config: { public: true, plain: true }, schema: { hide: true } },
    async (_request, reply) => {
      // Written on the first request, when the URL of the service is known.
      page ??= writeFrontPage({ url: links.url(''), mediaType: links.mediaType, isSandbox: config.mode === 'sandbox' });
      return withSecurityHeaders(reply).header('vary', 'Accept').sendDocument(document, page);
    },
  );
}

/** Returns whether a browser requests a page: without a token, and preferring HTML to the media type of the API. */
function isBrowser({ url = '', headers: { accept, authorization } }: IncomingMessage, mediaType: string): boolean {
  if (accept === undefined || authorization !== undefined || !ROOT.test(url)) return false;
  return weightOf(accept, 'text/html') > weightOf(accept, mediaType);
}

function writeFrontPage({ url, mediaType, isSandbox }: { url: string; mediaType: string; isSandbox: boolean }): string {
  const [at, type] = [escapeHtml(url), escapeHtml(mediaType)];
  const mode = isSandbox
    ? `<p class="hint"><b>This is a sandbox.</b> No real money moves here. Its <code>client_id</code> and <code>client_secret</code> are in
<code>sandbox.json</code>, in the data directory.</p>`
    : '';
  return writeDocument({
    title: 'Earmark: a payments API',
    styles: 'front.css',
    body: `<body class="front">
<header><div class="bar"><a class="brand" href="/">Earmark</a></div></header>
<main>
<h1>A payments API</h1>
<p class="lead">Customer balances divided into labels, and amounts moved between them. Each reallocation is one transaction with two ledger
entries.</p>
${mode}
<ul class="cards">
<li><a href="/docs"><b>API reference</b> Every operation, with requests to try.</a></li>
<li><a href="/openapi.json"><b>OpenAPI document</b> For client generators and other tools.</a></li>
<li><a href="/.well-known/oauth-authorization-server"><b>OAuth metadata</b> Endpoints and capabilities for OAuth clients.</a></li>
<li><a href="/health/ready"><b>Health</b> Whether the service accepts requests.</a></li>
</ul>
<h2>First requests</h2>
<p>Get an access token, then follow the links of the root resource.</p>
<pre tabindex="0"><code>curl ${at}/token \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials

curl ${at}/ \\
  -H "Authorization: Bearer $TOKEN"</code></pre>
<p>Responses are HAL: <code>${type}</code>.</p>
</main>
<footer>Earmark ${escapeHtml(VERSION)}</footer>
</body>`,
  });
}
