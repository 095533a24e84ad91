// The HTML pages without a browser: their files, access to them and the sandbox token; test/browser drives them in a browser.
import assert from 'node:assert/strict';
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { readCredentials } from '../src/sandbox/credentials.ts';
import { HAL } from './support/http.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService, type TestService } from './support/service.ts';

test("the reference loads nothing from other hosts, and shows a sandbox's client_id without its secret", async (t) => {
  const { send, dataDir } = await startService(t);
  const { client_id, client_secret, labels } = readCredentials(join(dataDir, 'sandbox.json'))!;
  const page = await send('GET', '/docs', { headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; script-src 'self';.* connect-src 'self';/);
  assert.equal(page.headers['cache-control'], 'no-store');
  const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  // The list includes the imports of its scripts.
  for (const path of named) {
    const { text } = path.endsWith('.js') ? await send('GET', path) : { text: '' };
    for (const [, file] of text.matchAll(/^import .* from '\.(\/[^']+)';$/gm)) named.push(`/docs${file}`);
  }
  assert.ok(named.includes('/docs/credentials.js'), named.join(' '));
  for (const path of named.filter((url) => !url.startsWith('data:'))) {
    const file = await send('GET', path, { headers: { accept: 'text/html' } });
    assert.deepEqual([file.status, file.text.length > 100], [200, true], path);
    if (path.startsWith('/docs/')) assert.ok(file.headers['content-security-policy'], path);
  }
  assert.ok(page.text.includes(client_id));
  assert.ok(page.text.includes(labels[1].slice(-36)), "examples use the sandbox's ids");
  assert.ok(!page.text.includes(client_secret));
  assert.equal((await send('GET', '/docs/routes.ts')).status, 404);
  assert.equal((await send('GET', '/docs/..%2f..%2fpackage.json')).status, 404);
});

test('serves public pages from memory, updated with the sandbox', async (t) => {
  const { send, dataDir } = await startService(t);
  const file = join(dataDir, 'sandbox.json');
  const first = await send('GET', '/docs');
  const bundle = await send('GET', '/docs/swagger-ui-bundle.js');
  const reads = t.mock.method(fs, 'readFileSync');
  const asynchronous = t.mock.method(fs.promises, 'readFile');
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.equal((await send('GET', '/docs')).text, first.text);
  assert.equal((await send('GET', '/docs/swagger-ui-bundle.js')).text, bundle.text);
  const again = await send('GET', '/docs/swagger-ui-bundle.js', { headers: { 'if-none-match': bundle.headers.etag! } });
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', bundle.headers.etag]);
  assert.deepEqual([reads.mock.callCount(), asynchronous.mock.callCount()], [0, 0]);
  const { client_id } = readCredentials(file)!;
  const other = '01890000-0000-7000-8000-00000000000f';
  writeFileSync(file, readFileSync(file, 'utf8').replace(client_id, other));
  const { text } = await send('GET', '/docs');
  assert.deepEqual([text.includes(other), text.includes(client_id)], [true, false]);
});

test('mentions no sandbox in production', async (t) => {
  const { send } = await startService(t, { env: { MODE: 'production' } });
  for (const path of ['/docs', '/']) {
    const { status, text } = await send('GET', path, { headers: { accept: 'text/html' } });
    assert.equal(status, 200);
    assert.doesNotMatch(text, /sandbox\b/);
  }
});

test('GET / is a page for browsers and the root resource for programs', async (t) => {
  const { send, token, port } = await startService(t);
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
  for (const path of links) assert.equal((await send('GET', path, { headers })).status, 200, path);
});

const fromOwnPage = (host: string) => ({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' });
const askToken = ({ send }: TestService, headers: Record<string, string>) => send('POST', '/docs/token', { headers });

test('gives a sandbox page a short-lived token, under each loopback name', async (t) => {
  const service = await startService(t);
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
  await service.sql`update application set disabled = now()
    where id = ${readCredentials(join(service.dataDir, 'sandbox.json'))!.client_id}`;
  await service.stop();
  const restarted = await startService(t, { beside: service });
  assert.equal((await askToken(restarted, fromOwnPage('localhost'))).status, 403, 'its application was disabled');
});

test('gives no token in production or to remote hosts', async (t) => {
  const shared = await startService(t, { env: { PUBLIC_URL: 'https://sandbox.example.com' } });
  for (const host of ['localhost', 'sandbox.example.com']) assert.equal((await askToken(shared, fromOwnPage(host))).status, 403);
  const production = await startService(t, { env: { MODE: 'production' } });
  assert.equal((await askToken(production, fromOwnPage('localhost'))).status, 404);
});
