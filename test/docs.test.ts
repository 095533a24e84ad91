// The documentation site and the front page without a browser: pages, search, anchors and the sandbox token; test/browser drives them.
import assert from 'node:assert/strict';
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readCredentials } from '../src/apps/sandbox/credentials.ts';
import { HAL, idOf } from './support/http.ts';
import { ROOT } from './support/paths.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

const shared = await startService({ after });
const html = { headers: { accept: 'text/html' } };
/** Every address of the documentation that others may link to. */
const ANCHORS = join(ROOT, 'docs/anchors.txt');
/** The first page with everything that it loads. */
const FIRST_PAGE_MAX_BYTES = 200_000;

test('pages load nothing from other hosts, and the first page is small', async () => {
  const { client_id, client_secret } = readCredentials(join(shared.dataDir, 'sandbox.json'))!;
  for (const path of ['/docs', '/docs/reference/createLabelReallocation']) {
    const page = await shared.send('GET', path, html);
    assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; script-src 'self'; style-src 'self';/);
    const files = await loadedBy(page.text);
    assert.ok(files.some((file) => file.endsWith('/docs.js')) && files.some((file) => file.endsWith('/docs-find.js')));
    let bytes = await transferSize(path);
    for (const file of files) bytes += await transferSize(file);
    assert.ok(bytes > 50_000 && bytes < FIRST_PAGE_MAX_BYTES, `${path}: ${bytes} bytes`);
    for (const secret of [client_id, client_secret]) assert.ok(!page.text.includes(secret));
  }
});

test('the first screen says what it is, and shows the model and a request against this service with its answer', async () => {
  const { text } = await shared.send('GET', '/docs');
  assert.match(text, /<h1>Earmark<\/h1>\s*<p class="lead">\s*A payments API that divides each customer/);
  assert.match(text, /<figure class="model"><svg[^>]*role="img" aria-label="A customer has 100\.00 USD/);
  const panels = (page: string) =>
    [...page.matchAll(/<div class="panel" data-language[\s\S]*?<\/code><\/pre>/g)].map(([all]) => all);
  const operation = (await shared.send('GET', '/docs/reference/createLabelReallocation')).text;
  assert.deepEqual(panels(text), panels(operation), 'the samples that docs-samples.test.ts runs');
  assert.equal(panels(text).length, 3);
  assert.ok(panels(text)[0]!.includes(shared.url) && text.includes('HTTP/1.1 201 Created'));
  const cards = [...text.matchAll(/<a class="link-card"[^>]*><span><b>([^<]+)<\/b>([^<]*)</g)];
  assert.ok(cards.length > 30);
  for (const [, title, summary] of cards) assert.ok(summary!.trim().length > 20, `${title} has no summary`);
});

test('every page of the navigation answers, and every anchor that was ever published is there', async () => {
  const { text } = await shared.send('GET', '/docs');
  const guides = linksOf(text).filter((url) => url.startsWith('/docs/'));
  const operations = linksOf((await shared.send('GET', '/docs/reference')).text).filter((url) =>
    url.startsWith('/docs/reference/'),
  );
  const found: string[] = [];
  const linked: string[] = [];
  for (const path of new Set([...guides, ...operations].map((url) => url.split('#', 1)[0]!))) {
    const page = await shared.send('GET', path);
    assert.equal(page.status, 200, path);
    assert.doesNotMatch(page.text, /undefined|\[object|NaN/, path);
    const anchors = [...page.text.matchAll(/<(?:h[1-4]|details class="try") id="([^"]+)"/g)].map(([, id]) => id!);
    assert.equal(new Set(anchors).size, anchors.length, `${path}: an anchor occurs twice`);
    found.push(path, ...anchors.map((anchor) => `${path}#${anchor}`));
    linked.push(...linksOf(page.text).map((url) => (url.startsWith('#') ? `${path}${url}` : url)));
  }
  if (process.env.DOCS_WRITE) writeFileSync(ANCHORS, `${found.sort().join('\n')}\n`);
  const published = readFileSync(ANCHORS, 'utf8').trim().split('\n');
  assert.deepEqual(
    published.filter((url) => !found.includes(url)),
    [],
    'links to these are broken now',
  );
  assert.deepEqual(
    found.filter((url) => !published.includes(url)),
    [],
    'new: run `npm run docs` and commit the result',
  );
  const written = new Set(linked.filter((url) => /^\/docs\/(guides|operations)\//.test(url)));
  assert.ok(written.size > 30, `${written.size} links`);
  assert.deepEqual(
    [...written].filter((url) => !found.includes(url)),
    [],
    'links between pages that lead nowhere',
  );
});

test('the page of an operation has its parameters, shapes, refusals with their texts, and samples', async () => {
  const { text } = await shared.send('GET', '/docs/reference/createLabelReallocation');
  const page = unescaped(text.replace(/<[^>]+>/g, ''));
  for (const part of [
    'Idempotency-Key',
    'correlationId',
    'Not authorized to create label reallocation',
    'Label not found',
    'Insufficient funds',
    `curl -i ${shared.url}/label-reallocations`,
    'earmark.labelReallocations.create({',
    'urllib.request.Request(',
  ])
    assert.ok(page.includes(part), part);
  const document = (await shared.send('GET', '/openapi.json')).body;
  for (const methods of Object.values<Record<string, { operationId: string; responses: object }>>(document.paths)) {
    for (const { operationId } of Object.values(methods)) {
      const { text } = await shared.send('GET', `/docs/reference/${operationId}`);
      const tried = /id="try"/.test(text);
      assert.equal(tried, !['createToken', 'revokeToken', 'introspectToken'].includes(operationId), operationId);
    }
  }
});

test('the search finds guides, operations and topics, and escapes what it repeats', async () => {
  const search = async (words: string) => (await shared.send('GET', `/docs/search?q=${encodeURIComponent(words)}`)).text;
  const resultsOf = (text: string) => linksOf(text.slice(text.indexOf('class="results"')));
  assert.equal(resultsOf(await search('create a label realloc'))[0], '/docs/reference/createLabelReallocation');
  assert.ok(resultsOf(await search('idempotency')).includes('/docs/guides/retries'));
  assert.ok(resultsOf(await search('customer_label_created')).includes('/docs/webhooks#customer_label_created'));
  assert.equal(resultsOf(await search('/customers/{id}/labels'))[0], '/docs/reference/createLabel');
  const OTHERS: [words: string, leads: string][] = [
    ['refund', '/docs/guides/returns#when-the-bank-takes-a-deposit-back'],
    ['payout', '/docs/reference/createWithdrawal'],
    ['sweep', '/docs/guides/schedules-and-monitors#move-money-by-a-schedule'],
    ['escrow', '/docs/guides/holds#reserve-money-before-you-pay'],
    ['pocket', '/docs/guides/labels-and-funds'],
    ['envelope', '/docs/guides/labels-and-funds'],
    ['rate limit', '/docs/guides/errors#by-status'],
    ['pagination', '/docs/guides/lists-and-filters#pages'],
    ['testing in ci', '/docs/guides/testing#in-ci-with-any-language'],
    ['DuplicateResource', '/docs/refusals#DuplicateResource'],
  ];
  for (const [words, leads] of OTHERS)
    assert.ok(
      resultsOf(await search(words))
        .slice(0, 3)
        .includes(leads),
      words,
    );
  for (const name of ['DATABASE_URL', 'grant_type']) assert.ok(resultsOf(await search(name)).length > 0, name);
  assert.match(await search('zebra crossing'), /Nothing found/);
  assert.match(await search('zebra '.repeat(100)), /Nothing found/, 'the beginning of a long query');
  assert.match(await search(''), /Enter words/);
  const hostile = await search('"><script>alert(1)</script>');
  assert.ok(!hostile.includes('<script>alert'));
  const index = (await shared.send('GET', '/docs/search.json')).body as { url: string }[];
  assert.ok(index.length > 100 && index.every(({ url }) => url.startsWith('/docs/')));
});

test('an address that is nearly that of a page leads to it, and others to a page that says so', async () => {
  for (const [path, page] of [
    ['/docs/', '/docs'],
    ['/docs/guides/retries/', '/docs/guides/retries'],
  ] as const) {
    const { status, headers } = await shared.send('GET', path);
    assert.deepEqual([status, headers.location], [308, page]);
  }
  for (const path of ['/docs/x', '/docs/guides', '/docs/guides/', '/docs/guides/x/', '/docs//evil.example/']) {
    const { status, headers, text } = await shared.send('GET', path);
    assert.deepEqual([status, /^text\/html/.test(headers['content-type']!)], [404, true], path);
    assert.match(text, /There is no such page/);
  }
});

test('serves pages from memory with an entity tag, and no file of the package', async (t) => {
  const paths = ['/docs', '/docs/guides/errors', '/docs/reference/createCustomer', '/docs/search.json'];
  const first = await Promise.all(paths.map((path) => shared.send('GET', path)));
  const reads = t.mock.method(fs, 'readFileSync');
  const asynchronous = t.mock.method(fs.promises, 'readFile');
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  for (const [index, path] of paths.entries()) {
    const { headers, text } = first[index]!;
    assert.equal((await shared.send('GET', path)).text, text);
    const again = await shared.send('GET', path, { headers: { 'if-none-match': headers.etag! } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag]);
  }
  assert.deepEqual([reads.mock.callCount(), asynchronous.mock.callCount()], [0, 0]);
  for (const path of ['/docs/routes.ts', '/docs/..%2f..%2fpackage.json', '/docs/guides/nothing', '/docs/reference/toString'])
    assert.equal((await shared.send('GET', path)).status, 404, path);
});

test('production has no form to try an operation, and gives no token', async (t) => {
  const production = await startService(t, { env: { MODE: 'production' } });
  const page = await production.send('GET', '/docs/reference/createLabelReallocation', html);
  assert.deepEqual([page.status, page.text.includes('id="try"'), page.text.includes('docs-try.js')], [200, false, false]);
  assert.doesNotMatch((await production.send('GET', '/', html)).text, /sandbox\b/);
  assert.equal((await askToken(production, fromOwnPage('localhost'))).status, 404);
});

test('GET / is a page for browsers and the root resource for programs', async () => {
  const { send, token, port } = shared;
  const ask = (accept: string, more: object = {}) => send('GET', '/', { headers: { accept }, ...more });
  const isPage = (answer: { headers: { 'content-type'?: string } }) => /^text\/html/.test(answer.headers['content-type'] ?? '');
  const browsers = [
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'text/html',
    'text/*',
    'TEXT/HTML;Q=0.5, */*;q=0.4',
    `text/html;q=0.5, ${HAL};q=0.4`,
    `${HAL};q=0, text/html;q=0.1`,
  ];
  for (const accept of browsers) {
    const answer = await ask(accept);
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/html; charset=utf-8'], accept);
    assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'; script-src 'self';/);
    assert.match(answer.headers.vary!, /^Accept\b/);
  }
  const programs: [accept: string, status: number][] = [
    [HAL, 401],
    ['*/*', 401],
    ['application/json, text/plain, */*', 401],
    ['text/html, */*', 401],
    [`text/html, ${HAL}`, 401],
    ['text/html;q=0.8, */*;q=0.9', 401],
    ['text/html;q=0, */*', 401],
    ['text/html;q=0', 406],
    ['text/plain', 406],
  ];
  for (const [accept, status] of programs) {
    const answer = await ask(accept);
    assert.deepEqual([answer.status, isPage(answer)], [status, false], accept);
  }
  const [absent] = await sendBytes(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  assert.equal(absent!.status, 401, 'no Accept');
  assert.equal((await ask(browsers[0]!, { token })).body._links.customers.type, HAL, 'a client with a token gets the resource');
  assert.equal((await ask('text/html', { token })).status, 406);
  const headers = { accept: browsers[0]! };
  assert.equal((await send('GET', '/customers', { headers })).status, 401, 'no other path has a page');
  assert.ok(isPage(await send('GET', '/?from=mail', { headers })));
  const head = await send('HEAD', '/', { headers });
  assert.deepEqual([head.status, isPage(head), head.text], [200, true, '']);
  const { status, headers: answered } = await send('POST', '/', { headers });
  assert.deepEqual([status, answered.allow?.split(', ').sort()], [405, ['GET', 'HEAD']]);
  const links = [...(await ask('text/html')).text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path!);
  assert.ok(links.includes('/docs') && links.includes('/openapi.json'));
  for (const path of links) {
    // Without a session, the console leads to its sign-in.
    assert.equal((await send('GET', path, { headers })).status, path === '/console' ? 303 : 200, path);
  }
});

const fromOwnPage = (host: string) => ({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' });
const askToken = ({ send }: TestService, headers: Record<string, string>) => send('POST', '/docs/token', { headers });

test('gives a sandbox page a short-lived token, under each loopback name', async (t) => {
  const service = shared;
  const { account_id } = readCredentials(join(service.dataDir, 'sandbox.json'))!;
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    const { status, headers, body } = await askToken(service, fromOwnPage(`${name}:${service.port}`));
    assert.deepEqual([status, headers['cache-control'], body.token_type, body.expires_in], [200, 'no-store', 'Bearer', 900]);
    const root = await service.send('GET', '/', { token: body.access_token });
    assert.ok(root.body._links.account.href.endsWith(account_id));
  }
  const short = await startService(t, { env: { TOKEN_TTL_SECONDS: '60' } });
  assert.equal((await askToken(short, fromOwnPage('localhost'))).body.expires_in, 60);
});

test('gives the token to that page only', async (t) => {
  const service = await startService(t, { env: { CORS_ORIGINS: 'http://localhost:*' } });
  const sent = fromOwnPage(`localhost:${service.port}`);
  const { origin: _origin, ...withoutOrigin } = sent;
  const { 'sec-fetch-site': _site, ...withoutSite } = sent;
  const others: Record<string, Record<string, string>> = {
    'a program': { host: sent.host },
    'a request without Origin': withoutOrigin,
    'a browser without Sec-Fetch-Site': withoutSite,
    'a page of another origin on this machine': { ...sent, origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
    'the same with another name': { ...sent, origin: `http://127.0.0.1:${service.port}`, 'sec-fetch-site': 'cross-site' },
    'a page of another site': { ...sent, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    'a page without an origin': { ...sent, origin: 'null' },
    'a name that resolves to this machine': fromOwnPage(`rebound.example:${service.port}`),
    'a name that starts with localhost': fromOwnPage(`localhost.evil.example:${service.port}`),
    'a proxy': { ...sent, 'x-forwarded-for': '192.0.2.1' },
  };
  for (const [sender, headers] of Object.entries(others)) {
    const answer = await askToken(service, headers);
    assert.deepEqual([answer.status, answer.body.code], [403, 'Forbidden'], sender);
    assert.doesNotMatch(answer.text, /access_token|eyJ/, sender);
  }
  assert.equal((await askToken(service, sent)).status, 200);
  assert.equal((await service.send('GET', '/docs/token', { headers: sent })).status, 405);
  const { client_id } = readCredentials(join(service.dataDir, 'sandbox.json'))!;
  const refusedFor = (reason: RegExp) =>
    waitUntil('the refusal says why', async () => {
      const { status, body } = await askToken(service, sent);
      return status === 403 && reason.test(body.message);
    });
  await service.sql`update application set secret_forbidden = true, changed = now() where id = ${client_id}`;
  await refusedFor(/sandbox\.json are refused\. The application must authenticate with its key\./);
  await service.sql`
    update application set secret_forbidden = false, required_binding = 'dpop', changed = now() where id = ${client_id}`;
  await refusedFor(/must bind its tokens/);
  await service.sql`update application set disabled = now() where id = ${client_id}`;
  await service.stop();
  const restarted = await startService(t, { beside: service });
  assert.equal((await askToken(restarted, fromOwnPage('localhost'))).status, 403, 'its application was disabled');
});

test('gives no token to remote hosts, and samples have the URL and the vendor of the service', async (t) => {
  const remote = await startService(t, { env: { PUBLIC_URL: 'https://sandbox.example.com', MEDIA_TYPE_VENDOR: 'acme' } });
  const page = await remote.send('GET', '/docs/reference/getLabel', html);
  assert.match(
    page.text.replace(/<[^>]+>/g, ''),
    /url: &#x27;https:\/\/sandbox.example.com&#x27;, .*, mediaTypeVendor: &#x27;acme&#x27; \}/,
  );
  for (const host of ['localhost', 'sandbox.example.com']) assert.equal((await askToken(remote, fromOwnPage(host))).status, 403);
});

test('samples name the new resources of a sandbox that another process filled after a reset', async (t) => {
  const service = await startService(t, { processes: 1 });
  const stored = () => readCredentials(join(service.dataDir, 'sandbox.json'))!;
  const before = stored();
  const sample = async () => (await service.send('GET', '/docs/reference/createLabelReallocation', html)).text;
  assert.ok((await sample()).includes(idOf(before.labels[0])));
  const reset = await service.call('POST', '/sandbox/reset', { token: await service.tokenOf(before) });
  assert.equal(reset.status, 200, reset.text);
  assert.ok((await sample()).includes(idOf(before.labels[0])), 'read before the new ones are written');
  await startService(t, { beside: service, processes: 1 });
  const [old, made] = [idOf(before.labels[0]), idOf(stored().labels[0])];
  assert.notEqual(old, made);
  const text = await sample();
  assert.deepEqual([text.includes(old), text.includes(made)], [false, true]);
});

const linksOf = (text: string) => [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, url]) => url!);

/** The files that a page loads, with the modules that its scripts import. */
async function loadedBy(text: string): Promise<string[]> {
  const tags = [...text.matchAll(/<(?:script|link)[^>]*\b(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  const sprite = /href="(\/assets\/[^"]+\.svg)#/.exec(text);
  const files = new Set([...tags, ...(sprite ? [sprite[1]!] : [])]);
  for (const file of files) {
    assert.match(file, /^\/assets\//);
    if (!file.endsWith('.js')) continue;
    const script = (await shared.send('GET', file)).text;
    for (const [, name] of script.matchAll(/^import .* from '\.(\/[^']+)';$/gm)) files.add(file.replace(/\/[^/]+$/, name!));
  }
  return [...files];
}

async function transferSize(path: string): Promise<number> {
  const response = await fetch(`${shared.url}${path}`, { headers: { 'accept-encoding': 'br' }, method: 'HEAD' });
  assert.equal(response.status, 200, path);
  return Number(response.headers.get('content-length'));
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
