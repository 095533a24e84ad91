// The page at / for people: what this service is and where its documentation is. Programs get the root resource at the same URL.
import type { IncomingMessage } from 'node:http';
import { weightOf } from '../http/media-type.ts';
import type { App } from '../http/route.ts';
import type { Service } from '../service.ts';
import { VERSION } from '../version.ts';
import { escaped, writeDocument } from './html.ts';
import { guarded } from './policy.ts';

/** The name of the route's constraint, and its one value. */
const READER = 'reader';
const PERSON = 'person';
const ROOT = /^\/(\?|$)/;

export function frontPageRoute(app: App, { config, links }: Service): void {
  // A second route of the same path: neither authentication nor the media type of the first applies to it.
  app.addConstraintStrategy({
    name: READER,
    storage: () => {
      const handlers = new Map();
      return { get: (value) => handlers.get(value) ?? null, set: (value, handler) => void handlers.set(value, handler) };
    },
    validate: () => {},
    deriveConstraint: (request: IncomingMessage) => (isPerson(request, links.mediaType) ? PERSON : undefined),
  });
  app.get(
    '/',
    { constraints: { [READER]: PERSON }, config: { public: true, plain: true }, schema: { hide: true } },
    async (_request, reply) =>
      guarded(reply)
        .header('vary', 'Accept')
        .type('text/html; charset=utf-8')
        .send(writeFrontPage({ url: links.url(''), mediaType: links.mediaType, isSandbox: config.mode === 'sandbox' })),
  );
}

/** Whether a browser shows a page to somebody: it has no token, and prefers HTML to what the API answers. */
function isPerson({ url = '', headers: { accept, authorization } }: IncomingMessage, mediaType: string): boolean {
  if (accept === undefined || authorization !== undefined || !ROOT.test(url)) return false;
  return weightOf(accept, 'text/html') > weightOf(accept, mediaType);
}

function writeFrontPage({ url, mediaType, isSandbox }: { url: string; mediaType: string; isSandbox: boolean }): string {
  const [at, type] = [escaped(url), escaped(mediaType)];
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
<p class="lead">Customer balances divided into labels, and amounts moved between them. Each reallocation is one commit with two ledger
entries.</p>
${mode}
<ul class="cards">
<li><a href="/docs"><b>API reference</b> Every operation, with requests that you can try.</a></li>
<li><a href="/openapi.json"><b>OpenAPI document</b> For client generators and other tools.</a></li>
<li><a href="/.well-known/oauth-authorization-server"><b>OAuth metadata</b> Where clients get their access tokens.</a></li>
<li><a href="/health/ready"><b>Health</b> Whether the service takes requests now.</a></li>
</ul>
<h2>First requests</h2>
<p>Get an access token, then follow the links of the root resource.</p>
<pre tabindex="0"><code>curl ${at}/token \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials

curl ${at}/ \\
  -H "Authorization: Bearer $TOKEN"</code></pre>
<p>Answers are HAL: <code>${type}</code>.</p>
</main>
<footer>Earmark ${escaped(VERSION)}</footer>
</body>`,
  });
}
