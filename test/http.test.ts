// Conventions and errors of the interface (§1 and §2) that every route shares: methods, paths, headers and malformed HTTP.
import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import { buildApp } from '../src/apps/api/app.ts';
import { type ProblemName, problems, refuse } from '../src/core/problems.ts';
import { ABSENT_PATHS } from '../src/platform/http/absent-paths.ts';
import { type Answer, assertPlainRefusal, assertRefused, HAL, type Options } from './support/http.ts';
import { KIB, openLabels } from './support/http-labels.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

/** A 404 whose message and link lead to the documentation, unlike that of a record that does not exist. Returns the message. */
function assertUnknownPath({ status, body }: Answer): string {
  const about = { href: `${shared.url}/docs`, type: 'text/html', 'resource-type': 'documentation' };
  assert.deepEqual([status, body.code, body._links], [404, 'NotFound', { about }], body.message);
  assert.match(body.message, / not part of this API/);
  assert.ok(body.message.endsWith(` See ${shared.url}/docs`), body.message);
  return body.message;
}

test('answers an unsupported method with 405 and Allow, and an unknown path with 404', async () => {
  const { send, token, from, customer, url, nowhere } = await openLabels(shared);
  const ask = (method: string, path: string, options: Options = {}) => send(method, path, { token, ...options });
  const id = from.split('/').at(-1);
  const allowed: [method: string, path: string, allow: string[]][] = [
    ['POST', '/', ['GET', 'HEAD']],
    ['DELETE', '/customers', ['GET', 'HEAD', 'POST']],
    ['PUT', customer, ['GET', 'HEAD', 'POST']],
    ['PUT', from, ['DELETE', 'GET', 'HEAD', 'POST']],
    ['PATCH', `${from}/ledger-entries`, ['GET', 'HEAD', 'POST']],
    ['GET', '/label-reallocations', ['POST']],
    ['HEAD', '/label-reallocations', ['POST']],
    ['OPTIONS', '/label-reallocations', ['POST']],
    ['GET', '/token', ['POST']],
    ['PROPFIND', `/ledger-entries/${id}`, ['GET', 'HEAD']],
    ['DELETE', '/openapi.json', ['GET', 'HEAD']],
    ['DELETE', `${nowhere('label')}?x=/y`, []],
  ];
  for (const [method, path, wanted] of allowed.slice(0, -1)) {
    const answer = await ask(method, path);
    assert.equal(answer.status, 405, `${method} ${path}`);
    assert.deepEqual(answer.headers.allow?.split(', ').sort(), wanted, `${method} ${path}`);
    if (method !== 'HEAD') assertPlainRefusal(answer, 'methodNotAllowed');
  }
  for (const body of ['{"cut', '{}']) assertPlainRefusal(await ask('PUT', customer, { raw: body }), 'methodNotAllowed');
  const unread = { raw: '<x/>', headers: { 'content-type': 'text/xml' } };
  assertPlainRefusal(await ask('PUT', customer, unread), 'methodNotAllowed');

  const missing = [
    ...['/nowhere', `${from}/`, `${from}/nothing`, '//', '/labels', `/Labels/${id}`, '/openapiXjson', '/.well-known'],
    ...[
      '/xwell-known/jwks.json',
      `/labels/${id}/ledger-entries/1`,
      '/%00',
      '/labels%2F1',
      '/..%2f',
      '/*',
      '/?x=/customers'.slice(2),
    ],
  ];
  for (const path of missing) {
    const answer = await ask('GET', path.startsWith('/') || path.startsWith(url) ? path : `/${path}`);
    assertUnknownPath(answer);
  }
  assertPlainRefusal(await ask('GET', '/customers/'), 'notFound');
  for (const body of ['{"cut', '{}']) assertUnknownPath(await ask('POST', '/nowhere', { raw: body }));
  assertUnknownPath(await ask('POST', '/nowhere', unread));
  assertUnknownPath(await ask('POST', '/nowhere', { raw: ' '.repeat(65 * KIB) }));
  assert.equal((await ask('HEAD', '/nowhere')).status, 404);
  assertUnknownPath(await send('GET', '/nowhere'));
});

test('a path of another API of this family says that it is absent and what to use', async () => {
  const { send, token, customer, nowhere } = await openLabels(shared);
  const ask = (method: string, path: string, options: Options = {}) => send(method, path, { token, ...options });
  const paths = [
    ...['/funding-sources/1', `${customer}/funding-sources`, '/mass-payments', `${customer}/exchanges`, '/exchange-sessions/1'],
    ...[`${customer}/kba`, '/business-classifications', '/on-demand-authorizations', '/client-tokens', '/sandbox-simulations'],
    ...Object.keys(ABSENT_PATHS).map((segment) => `/${segment}`),
  ];
  const document: { paths: Record<string, object> } = (await ask('GET', '/openapi.json')).body;
  const served = new Set(Object.keys(document.paths).flatMap((path) => path.split('/')));
  for (const path of paths) {
    const message = assertUnknownPath(await ask('POST', path, { raw: '{}' }));
    assert.match(message, /deliberately not part of this API/, path);
    for (const [, method, other] of message.matchAll(/([A-Z]+) (\/[^ .:,]*)/g))
      assert.ok(method!.toLowerCase() in document.paths[other!]!, `${method} ${other}`);
    assert.ok(!path.split('/').some((segment) => segment in ABSENT_PATHS && served.has(segment)), path);
  }
  assertPlainRefusal(await ask('GET', nowhere('label')), 'notFound');
});

test('accepts one spelling of an id in a path', async () => {
  const { call, send, token, from, customer, nowhere } = await openLabels(shared);
  const id = from.split('/').at(-1)!;
  for (const spelled of [
    '1',
    'x',
    id.toUpperCase(),
    `{${id}}`,
    `urn:uuid:${id}`,
    id.replaceAll('-', ''),
    `${id}0`,
    ` ${id}`,
    '%00',
    'é',
  ]) {
    if (spelled === id) continue;
    assertPlainRefusal(await call('GET', `/labels/${encodeURI(spelled)}`), 'notFound');
    assertPlainRefusal(await call('GET', `/customers/${encodeURI(spelled)}/labels`), 'customerNotFound');
  }
  assert.equal((await send('GET', `/labels/${id.replace('-', '%2D')}`, { token })).status, 200, 'percent-encoded');
  assertPlainRefusal(await call('GET', nowhere('label')), 'notFound');
  for (const path of ['/labels/%ZZ', '/labels/%', `${customer}/%E0%A4%A`, '/%c3%28', `${from}%`]) {
    assertPlainRefusal(await send('GET', path, { token }), 'badUrl');
  }
});

test('handles long paths, queries and headers', async () => {
  const { send, token, from, port } = await openLabels(shared);
  assertPlainRefusal(await send('GET', `/labels/${'a'.repeat(99)}`, { token }), 'notFound');
  assertPlainRefusal(await send('GET', `/labels/${'a'.repeat(10 * KIB)}`, { token }), 'notFound');
  assertUnknownPath(await send('GET', `/${'a/'.repeat(4 * KIB)}`, { token }));
  assert.equal((await send('GET', `${from}?${'a'.repeat(10 * KIB)}`, { token })).status, 200);
  const limit = { status: 400, code: 'ValidationError', path: '/query/limit' };
  assertRefused(await send('GET', `/customers?limit=${'1'.repeat(10 * KIB)}`, { token }), limit);
  assertPlainRefusal(
    await send('GET', '/', { headers: { authorization: `Bearer ${'a'.repeat(10 * KIB)}` } }),
    'invalidAccessToken',
  );
  for (const request of [
    `GET /${'a'.repeat(20 * KIB)} HTTP/1.1\r\n\r\n`,
    `GET / HTTP/1.1\r\nX: ${'a'.repeat(200 * KIB)}\r\n\r\n`,
  ]) {
    const answers = await sendBytes(port, request);
    assert.equal(answers.length, 1);
    assertPlainRefusal(answers[0]!, 'headersTooLarge');
    assert.equal(answers[0]!.headers.connection, 'close');
  }
});

test('refuses malformed HTTP with the standard error body', async (t) => {
  const { port, logs, call } = await openLabels(await startService(t));
  const secret = 'Bearer of-bad-news';
  const malformed = [
    'hello\r\n\r\n',
    'get / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${secret}\r\nno colon\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: localhost\r\nA b: c\r\n\r\n',
    'POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n',
    'POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /token HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  ];
  for (const request of malformed) {
    const answers = await sendBytes(port, request);
    assert.equal(answers.length, 1, String(request));
    assert.equal(answers[0]!.status, 400, `${request}: ${answers[0]!.text}`);
    assertPlainRefusal(answers[0]!, 'malformed');
    assert.equal(answers[0]!.headers.connection, 'close');
  }
  const [hostless] = await sendBytes(port, 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n');
  assertPlainRefusal(hostless!, 'badHeader');
  const [old] = await sendBytes(port, 'GET /health/live HTTP/1.0\r\n\r\n');
  assert.equal(old!.status, 200, 'HTTP/1.0 has no Host');
  const warnings = logs.filter((line) => line.includes('unreadable request'));
  assert.ok(warnings.length >= malformed.length);
  // neither as text nor as the bytes received
  for (const line of warnings) assert.doesNotMatch(line, /of-bad-news|rawPacket|"data"/);
  assert.equal((await call('GET', '/')).status, 200);
});

test('answers 408 to a request that does not arrive in time', async (t) => {
  const { service } = shared;
  const app = await buildApp(service);
  t.after(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  // the error of Node.js after REQUEST_TIMEOUT_MS
  const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  app.server.once('connection', (socket) => app.server.emit('clientError', late, socket));
  const [answer] = await sendBytes((app.server.address() as AddressInfo).port, 'POST /token HTTP/1.1\r\n');
  assertPlainRefusal(answer!, 'requestTimeout');
});

test('does not count a client that disconnects in mid-body as a database outage', async (t) => {
  const { port, token, logs, call } = await openLabels(await startService(t));
  const head = `POST /label-reallocations HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\n`;
  const socket = connect({ host: '127.0.0.1', port });
  await new Promise<void>((sent) => socket.write(`${head}Content-Length: 100\r\n\r\n{"amount"`, () => sent()));
  socket.destroy();
  for (let later = 0; later < 20; later++) await call('GET', '/');
  assert.deepEqual(
    logs.filter((line) => /"level":(40|50|60)/.test(line)),
    [],
  );
});

test('sends X-Request-Id and Cache-Control on every response', async () => {
  const { send, call, token, from, json, logs } = await openLabels(shared);
  const id = '01234567-89ab-4cde-8f01-23456789abcd';
  const asked: [method: string, path: string, options: Options][] = [
    ['GET', from, { token }],
    ['HEAD', from, { token }],
    ['GET', from, {}],
    ['GET', '/nowhere', {}],
    ['GET', '/%ZZ', {}],
    ['PUT', from, {}],
    ['GET', from, { token, headers: { accept: 'text/html' } }],
    ['POST', '/label-reallocations', { token, raw: json }],
    ['POST', '/label-reallocations', { token, raw: '{' }],
    ['POST', '/label-reallocations', { token, raw: '{', headers: { 'content-type': 'text/plain' } }],
    ['POST', '/token', { form: '' }],
    ['GET', '/health/live', {}],
    ['GET', '/openapi.json', {}],
  ];
  for (const [method, path, options] of asked) {
    const plain = await send(method, path, options);
    assert.match(String(plain.headers['x-request-id']), UUID, path);
    assert.notEqual(
      plain.headers['x-request-id'],
      (await send(method, path, options)).headers['x-request-id'],
      'a new id for each request',
    );
    const named = await send(method, path, { ...options, headers: { ...options.headers, 'x-request-id': id } });
    assert.equal(named.headers['x-request-id'], id, `${method} ${path}`);
    assert.equal(plain.headers['cache-control'], 'no-store', `${method} ${path}`);
  }
  const shouted = await call('GET', from, { headers: { 'x-request-id': id.toUpperCase() } });
  assert.equal(shouted.headers['x-request-id'], id.toUpperCase());
  for (const other of ['1', 'x'.repeat(500), `${id}0`, `${id} `.repeat(2), '{"a":1}', [id, id]]) {
    assert.match(String((await call('GET', from, { headers: { 'x-request-id': other } })).headers['x-request-id']), UUID);
  }
  assert.ok(
    logs.some((line) => line.includes(id)),
    'the log names the request',
  );
});

test('ETag: answers 304 to a request that has the current tag', async () => {
  const { call, send, token, from, customer, newLabel, body, get } = await openLabels(shared);
  const { headers, text } = await get(from);
  const tag = headers.etag!;
  assert.match(tag, /^"[A-Za-z0-9_-]{20,}"$/);
  for (const given of [tag, '*', `W/${tag}`, `"a", ${tag}`, `"a",W/"b,c" ,${tag}, "d"`]) {
    const answer = await get(from, { 'if-none-match': given });
    assert.deepEqual([answer.status, answer.text], [304, ''], given);
    assert.equal(answer.headers.etag, tag);
    assert.equal(answer.headers['content-type'], undefined);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.match(String(answer.headers['x-request-id']), UUID);
  }
  for (const given of ['"a"', '', tag.replaceAll('"', ''), tag.toLowerCase(), `"${tag}"`, 'W/*']) {
    const answer = await get(from, { 'if-none-match': given });
    assert.deepEqual([answer.status, answer.text], [200, text], given);
  }
  assert.equal((await get(from, { 'if-none-match': ['"a"', tag] })).status, 304, 'two headers');
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/jwks.json'])
    assert.equal((await get(path, { 'if-none-match': '*' })).status, 304, path);

  const head = await send('HEAD', from, { token });
  assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', tag]);
  assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)));
  assert.equal((await send('HEAD', from, { token, headers: { 'if-none-match': tag } })).status, 304);

  assert.equal((await call('POST', '/label-reallocations', { body })).status, 201);
  const changed = await get(from, { 'if-none-match': tag });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.etag, tag);

  for (const path of [`${customer}/labels`, `${from}/ledger-entries`, '/', customer, `${customer}/balance`]) {
    const known = (await get(path)).headers.etag!;
    assert.equal((await get(path, { 'if-none-match': known })).status, 304, path);
  }
  // only after a 200, and only for a caller with access
  for (const answer of [
    await call('GET', from, { token: undefined, headers: { 'if-none-match': '*' } }),
    await call('GET', '/labels/1', { headers: { 'if-none-match': '*' } }),
  ]) {
    assert.ok(answer.status > 400);
    assert.equal(answer.headers.etag, undefined);
  }
  const removed = await call('DELETE', await newLabel(customer), { headers: { 'if-none-match': '*' } });
  assert.deepEqual([removed.status, removed.headers.etag], [200, undefined]);
});

test('answers every problem of problems.ts with its status, and a body of code and message only', async (t) => {
  const { service } = shared;
  const app = await buildApp(service);
  t.after(() => app.close());
  app.get('/problem/:name', { config: { public: true } }, async (request) => {
    throw refuse((request.params as { name: ProblemName }).name);
  });
  for (const [name, { status, code, message }] of Object.entries(problems)) {
    const { statusCode, headers, body } = await app.inject({ url: `/problem/${name}` });
    const said = status === 500 ? `A server error occurred. Error ID: ${headers['x-request-id']}` : message;
    assert.deepEqual(JSON.parse(body), { code, message: said }, name);
    assert.equal(statusCode, status);
    assert.equal(headers['content-type'], `${HAL}; charset=utf-8`);
    assert.equal('retry-after' in headers, status === 429 || status === 503, name);
    assert.equal('www-authenticate' in headers, status === 401, name);
    assert.match(code, /^([A-Z][a-z]+)+$/);
    assert.doesNotMatch(message, /\n|undefined|null/);
  }
});
