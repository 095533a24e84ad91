// The front page at / for browsers, with links to the documentation. API clients get the root resource at the same URL.
import type { IncomingMessage } from 'node:http';
import type { Document } from '../../platform/http/content.ts';
import { weightOf } from '../../platform/http/media-type.ts';
import type { App } from '../../platform/http/route.ts';
import { writePage } from '../../platform/pages/frame.ts';
import { html } from '../../platform/pages/html.ts';
import { icon, notice } from '../../platform/pages/parts.ts';
import { withPageHeaders } from '../../platform/pages/policy.ts';
import type { Service } from '../service/service.ts';

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
      page ??= writeFrontPage({
        url: links.url(''),
        mediaType: links.mediaType,
        isSandbox: config.mode === 'sandbox',
        hasConsole: config.console,
      });
      return withPageHeaders(reply).header('vary', 'Accept').sendDocument(document, page);
    },
  );
}

/** Returns whether a browser requests a page: without a token, and preferring HTML to the media type of the API. */
function isBrowser({ url = '', headers: { accept, authorization } }: IncomingMessage, mediaType: string): boolean {
  if (accept === undefined || authorization !== undefined || !ROOT.test(url)) return false;
  return weightOf(accept, 'text/html') > weightOf(accept, mediaType);
}

type Contents = { url: string; mediaType: string; isSandbox: boolean; hasConsole: boolean };

function writeFrontPage({ url, mediaType, isSandbox, hasConsole }: Contents): string {
  return writePage({
    title: 'Earmark',
    areas: hasConsole ? ['console', 'docs'] : ['docs'],
    foot: true,
    main: html`<div class="prose">
      <div class="hero">
        <h1>A payments API</h1>
        <p class="lead">
          Customer balances divided into labels, and amounts moved between them. Each reallocation is one transaction with two ledger
          entries.
        </p>
      </div>
      ${isSandbox && notice(SANDBOX)}
      <ul class="grid">
        ${LINKS.map(
          ({ href, title, text, icon: name }) => html`<li>
            <a class="link-card" href=${href}>${icon(name)}<span><b>${title}</b> ${text}</span></a>
          </li>`,
        )}
      </ul>
      <h2>First requests</h2>
      <p>Get an access token, then follow the links of the root resource.</p>
      <pre tabindex="0"><code>${requestsTo(url)}</code></pre>
      <p>Responses are HAL: <code>${mediaType}</code>.</p>
    </div>`,
  });
}

const SANDBOX = html`<p>
  <b>This is a sandbox.</b> No real money moves here. Its <code>client_id</code> and <code>client_secret</code> are in
  <code>sandbox.json</code>, in the data directory.
</p>`;

const LINKS = [
  { href: '/docs', title: 'API reference', text: 'Every operation, with requests to try.', icon: 'book-open' },
  { href: '/openapi.json', title: 'OpenAPI document', text: 'For client generators and other tools.', icon: 'code-bracket' },
  {
    href: '/.well-known/oauth-authorization-server',
    title: 'OAuth metadata',
    text: 'Endpoints and capabilities for OAuth clients.',
    icon: 'key',
  },
  { href: '/health/ready', title: 'Health', text: 'Whether the service accepts requests.', icon: 'heart' },
] as const;

function requestsTo(url: string): string {
  return `curl ${url}/token \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials

curl ${url}/ \\
  -H "Authorization: Bearer $TOKEN"`;
}
