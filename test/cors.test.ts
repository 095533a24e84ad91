// Cross-origin requests over HTTP: allowed origins, methods and headers; test/browser checks them in a browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Answer, HAL, type Options } from './support/http.ts';
import { multipart } from './support/multipart.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';

const ORIGIN = 'https://app.example.com';
const ANY_PORT = 'http://localhost:5173';
const EXPOSED = [
  'dpop-nonce',
  'etag',
  'idempotent-replayed',
  'location',
  'preference-applied',
  'retry-after',
  'www-authenticate',
  'x-request-id',
];
/** Methods and response headers that any page may use (fetch.spec.whatwg.org), and a header that the service does not send. */
const SAFELISTED = ['cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'last-modified', 'pragma'];
const NOT_FOR_PAGES = ['allow'];

const service = await startService({ after }, { env: { CORS_ORIGINS: `${ORIGIN},http://localhost:*` } });

const words = (text: unknown) =>
  String(text ?? '')
    .toLowerCase()
    .split(/, */)
    .filter(Boolean);
const fromPage = (options: Options = {}, origin = ORIGIN): Options => ({ ...options, headers: { ...options.headers, origin } });
const preflight = (path: string, method: string, names: string[], origin = ORIGIN) =>
  service.send('OPTIONS', path, {
    headers: {
      accept: '*/*',
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': names.join(','),
    },
  });

function assertReadable({ status, headers, text }: Answer, origin = ORIGIN): void {
  const message = `${status} ${text}`;
  assert.equal(headers['access-control-allow-origin'], origin, message);
  assert.deepEqual(words(headers['access-control-expose-headers']).sort(), EXPOSED, message);
  assert.equal(words(headers.vary).filter((name) => name === 'origin').length, 1, message);
  assert.equal(headers['access-control-allow-credentials'], undefined, 'the service uses no cookies');
}

test('allows each operation with all its request headers in a preflight', async () => {
  const { paths } = (await service.send('GET', '/openapi.json')).body as { paths: Record<string, Record<string, never>> };
  let operations = 0;
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries<{ parameters?: { in: string; name: string }[] }>(item)) {
      const declared = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
      const names = [
        'accept',
        'authorization',
        'content-type',
        'dpop',
        'if-none-match',
        'traceparent',
        'x-request-id',
        ...declared,
      ];
      const answer = await preflight(path.replace(/\{.*\}/, 'x'), method.toUpperCase(), names);
      assert.deepEqual([answer.status, answer.text], [204, ''], path);
      assertReadable(answer);
      assert.ok(words(answer.headers['access-control-allow-methods']).includes(method), `${method} ${path}`);
      const allowed = words(answer.headers['access-control-allow-headers']);
      assert.deepEqual(
        names.filter((name) => !allowed.includes(name.toLowerCase())),
        [],
        `${method} ${path}`,
      );
      assert.ok(Number(answer.headers['access-control-max-age']) >= 600 && answer.headers['x-request-id'], path);
      operations += 1;
    }
  }
  assert.ok(operations > 40, 'operations are read');
});

test('exposes every header that a response declares', async () => {
  const { paths, components } = (await service.send('GET', '/openapi.json')).body;
  const operations = Object.values<Record<string, { responses: object }>>(paths).flatMap((item) => Object.values(item));
  const responses = [...operations.map((operation) => operation.responses), components.responses];
  const declared = new Set(
    responses.flatMap((set) => Object.values<{ headers?: object }>(set)).flatMap(({ headers = {} }) => Object.keys(headers)),
  );
  const readable = [...EXPOSED, ...SAFELISTED, ...NOT_FOR_PAGES];
  assert.ok(declared.has('Location'));
  assert.deepEqual(
    [...declared].filter((name) => !readable.includes(name.toLowerCase())),
    [],
  );
});

test('makes successful and refused responses readable', async () => {
  const { token, newCustomer, call } = service;
  const customer = await newCustomer();
  await call('POST', '/sandbox/faults', { body: { operation: 'getCustomer', status: 503 } });
  const upload = multipart([
    { name: 'documentType', value: 'license' },
    { name: 'file', value: 'no picture', fileName: 'a.png', type: 'image/png' },
  ]);
  const multipartType = { 'content-type': 'multipart/form-data; boundary=between-the-parts' };
  const wanted: [status: number, method: string, path: string, options: Options][] = [
    [503, 'GET', customer, { token }],
    [200, 'GET', customer, { token }],
    [401, 'GET', '/', {}],
    [401, 'GET', '/', { token: 'unknown' }],
    [401, 'POST', '/token', { form: 'grant_type=client_credentials&client_id=x&client_secret=y' }],
    [400, 'POST', '/customers', { token, raw: '{' }],
    [400, 'GET', '/customers/%zz', { token }],
    [404, 'GET', '/nowhere', { token }],
    [404, 'GET', `/customers/${'x'.repeat(200)}`, { token }],
    [405, 'PUT', '/customers', { token }],
    [406, 'GET', '/', { token, headers: { accept: 'text/plain' } }],
    [413, 'POST', '/customers', { token, raw: ' '.repeat(70_000) }],
    [415, 'POST', '/customers', { token, raw: 'x', headers: { 'content-type': 'text/xml' } }],
    [400, 'POST', `${customer}/documents`, { token, raw: upload, headers: multipartType }],
    [401, 'POST', `${customer}/documents`, { raw: upload, headers: multipartType }],
    [200, 'GET', '/health/ready', {}],
    [200, 'GET', '/openapi.json', {}],
  ];
  for (const [status, method, path, options] of wanted) {
    const answer = await service.send(method, path, fromPage(options));
    assert.equal(answer.status, status, `${method} ${path} ${answer.text}`);
    assertReadable(answer);
  }
  assertReadable(await preflight('/customers/%zz', 'GET', ['authorization']));
});

test('echoes the origin of the page', async () => {
  for (const origin of [ANY_PORT, 'http://localhost', ORIGIN]) {
    assertReadable(await service.send('GET', '/health/live', fromPage({}, origin)), origin);
    assertReadable(await preflight('/customers', 'POST', [], origin), origin);
  }
});

test('answers pages of other origins without CORS headers', async () => {
  const others = [
    'null',
    '*',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.example',
    'https://evil.example',
    'https://localhost:5173',
    'http://localhost.evil.example:80',
    'http://localhost:80@evil.example',
    'http://localhost:5173:1',
    'http://127.0.0.1:5173',
  ];
  for (const origin of others) {
    const answer = await service.send('GET', '/health/live', fromPage({}, origin));
    assert.deepEqual([answer.status, accessHeaders(answer), answer.headers.vary], [200, [], 'Origin'], origin);
    const refused = await preflight('/customers', 'POST', ['authorization'], origin);
    assert.deepEqual([refused.status, accessHeaders(refused)], [405, []], origin);
  }
});

test('does not change responses to requests that are not cross-origin, and sends Vary', async () => {
  const answer = await service.send('GET', '/health/live');
  assert.deepEqual([accessHeaders(answer), answer.headers.vary], [[], 'Origin']);
  assert.equal((await service.send('OPTIONS', '/customers', fromPage())).status, 405, 'without a method it is not a preflight');
  const lines = ['OPTIONS /customers HTTP/1.1', 'Host: a', 'Host: b', `Origin: ${ORIGIN}`, 'Access-Control-Request-Method: POST'];
  const [refused] = await sendBytes(service.port, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  assert.equal(refused?.status, 400, 'a preflight passes the same checks as every request');
});

test('allows pages of the local machine in a sandbox, and none in production', async (t) => {
  const sandbox = await startService(t);
  const production = await startService(t, { env: { MODE: 'production' } });
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1:3000']) {
    const headers = { accept: HAL, origin };
    assertReadable(await sandbox.send('GET', '/', { headers }), origin);
    const answer = await production.send('GET', '/', { headers });
    assert.deepEqual([answer.status, accessHeaders(answer), answer.headers.vary], [401, [], undefined]);
  }
  assert.deepEqual(accessHeaders(await sandbox.send('GET', '/', fromPage())), []);
});

function accessHeaders({ headers }: Answer): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'));
}
