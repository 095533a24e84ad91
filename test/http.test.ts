// Conventions and errors of the interface (§1 and §2) that every route shares: headers, body and path.
import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { buildApp } from '../src/app.ts';
import { type ProblemName, problems, refuse } from '../src/problems.ts';
import { type Answer, assertPlainRefusal, assertRefused, HAL, type Options } from './support/http.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KIB = 1024;

async function withLabels(t: TestContext) {
  const service = await startService(t);
  const customer = await service.newCustomer({ available: '1000.00' });
  const [from, to] = [await service.newLabel(customer, '100.00'), await service.newLabel(customer)];
  const get = (path: string, headers: Options['headers'] = {}) => service.call('GET', path, { headers });
  const post = (raw: string | Buffer, headers: Options['headers'] = {}) =>
    service.call('POST', '/label-reallocations', { raw, headers });
  const body = service.reallocation(from, to, '1.00');
  return { ...service, customer, from, to, get, post, body, json: JSON.stringify(body) };
}

test('Accept: serves the versioned media type and refuses others', async (t) => {
  const { get, from, port, token } = await withLabels(t);
  const served = [
    ...['*/*', 'application/*', HAL, HAL.toUpperCase(), `${HAL}; charset=utf-8`, `${HAL};profile="https://example.com/a"`],
    ...[`text/html, ${HAL}`, `text/html,application/xhtml+xml,*/*;q=0.8`, `${HAL};q=0.001`, `${HAL} ; q=1`, `${HAL};Q=0.5`],
    // the most specific range decides
    ...[`application/*;q=0, ${HAL}`, '*/*;q=0, application/*;q=0.1', `*/*;q=0, ${HAL};q=0.1`],
    // a comma or semicolon in quotes does not separate
    ...[`${HAL};profile="a,b"`, `${HAL};profile="a;q=0"`, `text/html;p="\\"", ${HAL}`],
    // two of one range: the higher quality wins
    `${HAL};charset=latin1;q=0, ${HAL};q=0.2`,
  ];
  for (const accept of served) {
    const answer = await get(from, { accept });
    assert.equal(answer.status, 200, `${accept}: ${answer.text}`);
    assert.equal(answer.headers['content-type'], `${HAL}; charset=utf-8`);
  }
  assert.equal((await get(from, { accept: ['text/html', HAL] })).status, 200, 'two headers');
  const refused = [
    ...['application/json', 'application/hal+json', 'text/html', 'text/*', '*', '', 'no type', `${HAL}x`, `x${HAL}`],
    ...[HAL.replace('v1', 'v2'), HAL.replace('.v1', ''), HAL.replace('earmark', 'other')],
    ...[`${HAL};q=0`, `${HAL};q=0.000`, `${HAL};q=0, */*`, `${HAL};q=0, application/*`, 'application/*;q=0, */*', '*/*;q=0'],
    ...[`${HAL};q=2`, `${HAL};q=high`, 'text/html;p="a,*/*,b"'],
  ];
  for (const accept of refused) assertPlainRefusal(await get(from, { accept }), 'invalidVersion');

  const head = `GET ${new URL(from).pathname} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
  const [absent] = await sendBytes(port, `${head}Connection: close\r\n\r\n`);
  assert.equal(absent!.status, 200, 'no Accept');
});

test('Accept: refuses another version on every path that has versions', async (t) => {
  const { send } = await startService(t);
  const accept = 'application/json';
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['DELETE', '/customers'],
    ['POST', '/label-reallocations'],
  ] as const) {
    assertPlainRefusal(await send(method, path, { headers: { accept } }), 'invalidVersion');
  }
  for (const path of ['/openapi.json', '/health/live', '/health/ready', '/.well-known/jwks.json']) {
    const answer = await send('GET', path, { headers: { accept: 'text/html' } });
    assert.equal(answer.status, 200, path);
    assert.match(answer.headers['content-type']!, /^application\/json/);
    assert.ok(answer.headers['x-request-id'], path);
  }
});

test('MEDIA_TYPE_VENDOR is the vendor of every media type', async (t) => {
  const service = await startService(t, { env: { MEDIA_TYPE_VENDOR: 'example' } });
  const type = 'application/vnd.example.v1.hal+json';
  const headers = { accept: type, 'content-type': type };
  const root = await service.call('GET', '/', { headers });
  assert.deepEqual([root.status, root.headers['content-type']], [200, `${type}; charset=utf-8`]);
  assert.equal(root.body._links.account.type, type);
  assertRefused(await service.call('POST', '/customers', { headers, raw: '{}' }), { status: 400, code: 'ValidationError' });
  assertRefused(await service.call('GET', '/'), { status: 406, code: 'InvalidVersion' });
  assertRefused(await service.call('POST', '/customers', { headers: { accept: type }, raw: '{}' }), {
    status: 415,
    code: 'UnsupportedRequestContentType',
  });
});

test('Content-Type: reads JSON bodies and refuses others', async (t) => {
  const { post, json, from, get, customer, call } = await withLabels(t);
  const read = [
    ...[HAL, 'application/json', 'Application/JSON', HAL.toUpperCase()],
    ...['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/json; charset=utf8'],
    ...[`${HAL}; charset=UTF-8; profile="x"`, `${HAL} ; CHARSET=Utf-8`, `${HAL};profile="; charset=latin1"`],
  ];
  for (const type of read) assert.equal((await post(json, { 'content-type': type })).status, 201, type);
  assert.equal((await get(from)).body.amount.value, `${100 - read.length}.00`);
  const unread = [
    ...[
      'text/plain',
      'application/jsonx',
      'application/json-patch+json',
      'application/hal+json',
      'json',
      '*/*',
      'application/*',
      '',
    ],
    ...[HAL.replace('v1', 'v2'), HAL.replace('earmark', 'other'), `${HAL}x`, 'multipart/form-data; boundary=x'],
    ...['application/json; charset=latin1', `${HAL}; charset=utf-16`, 'application/json; charset="utf-8 x"'],
    'application/x-www-form-urlencoded',
  ];
  for (const type of unread) assertPlainRefusal(await post(json, { 'content-type': type }), 'unsupportedType');
  // only /token accepts a form: elsewhere all members would be strings
  const form = 'type=unverified&firstName=Ada&lastName=Example&email=ada%40example.com';
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: HAL };
  assertPlainRefusal(await call('POST', '/customers', { form, headers }), 'unsupportedType');
  assertPlainRefusal(await call('POST', customer, { form: 'city=Elsewhere', headers }), 'unsupportedType');
  assert.equal((await get(from)).body.amount.value, `${100 - read.length}.00`);
});

test('parses JSON strictly, and writes nothing when it refuses a body', async (t) => {
  const { post, json, snapshot, from, to } = await withLabels(t);
  const links = `"_links":{"from":{"href":"${from}"},"to":{"href":"${to}"}}`;
  const amount = '"amount":{"value":"1.00","currency":"USD"}';
  const nested = (depth: number) => `{${links},${amount},"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const before = await snapshot();
  const wrong: Record<string, string | Buffer> = {
    nothing: '',
    'only spaces': '  ',
    'cut short': json.slice(0, -1),
    'more than one value': `${json}{}`,
    'a trailing comma': `${json.slice(0, -1)},}`,
    'single quotes': "{'a':1}",
    'a comment': `/* */${json}`,
    'no object': '[]',
    null: 'null',
    text: '"text"',
    'a duplicate key': `{${links},${amount},${amount}}`,
    'a duplicate key inside': `{${links},"amount":{"value":"1.00","value":"2.00","currency":"USD"}}`,
    'a duplicate key spelled otherwise': `{${links},${amount},"\\u0061mount":{"value":"2.00","currency":"USD"}}`,
    'a duplicate key of spaces and escapes': `{${links},${amount},"a\\"b":1,"a\\u0022b" \t\r\n : 2}`,
    'a duplicate key in a member that is not known': `{${links},${amount},"x":[[{"a":1,"b":{},"a":2}]]}`,
    'a duplicate index': `{${links},${amount},"x":{"0":1,"0":2}}`,
    __proto__: `{${links},${amount},"__proto__":{"a":1}}`,
    '__proto__ inside': `{${links},"amount":{"value":"1.00","currency":"USD","\\u005f_proto__":1}}`,
    'too deep': nested(32),
    'far too deep': nested(30_000),
    'bytes that are not UTF-8': Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"\xff"}', 'latin1')]),
    'an overlong encoding': Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"\xc0\x80"}', 'latin1')]),
    'UTF-16': Buffer.from(json, 'utf16le'),
    'a lone surrogate': `{${links},${amount},"reference":"\\ud800"}`,
    'a lone surrogate in a member that is not known': `{${links},${amount},"x":["\\udc00"]}`,
    NUL: `{${links},${amount},"reference":"a\\u0000b"}`,
    'a raw control character': `{${links},${amount},"reference":"a\tb"}`,
    'two byte order marks': `\ufeff\ufeff${json}`,
    'a number as an amount': `{${links},"amount":{"value":1.00,"currency":"USD"}}`,
    'a number of any size': `{${links},"amount":{"value":1e400,"currency":"USD"}}`,
  };
  for (const [what, body] of Object.entries(wrong)) {
    await t.test(what, async () => assertPlainRefusal(await post(body), 'badRequest'));
  }
  assert.deepEqual(await snapshot(), before);
  const right: Record<string, string> = {
    'members that are not known': `{${links},${amount},"x":1,"_embedded":{"y":[]},"constructor":{"prototype":1}}`,
    'the maximum depth': nested(31),
    'one byte order mark': `\ufeff${json}`,
    'text that looks like members': `{${links},${amount},"x":"{\\"a\\":1,\\"a\\":2}","y":["a","a"],"a":"\\\\"}`,
    'the same name in two objects': `{${links},${amount},"x":{"value":1},"y":{"value":1}}`,
    'whitespace between all tokens': ` \r\n\t${json.replaceAll('":', '" \n : ')} \n`,
    'a whole pair of surrogates': `{${links},${amount},"reference":"\\ud83d\\ude00"}`,
  };
  for (const [what, body] of Object.entries(right)) {
    await t.test(what, async () => {
      const answer = await post(body);
      assert.equal(answer.status, 201, answer.text);
    });
  }
});

test('accepts a body of 64 KiB and refuses one byte more', async (t) => {
  const { post, json, port, token, send } = await withLabels(t);
  const sized = (bytes: number) => json + ' '.repeat(bytes - json.length);
  assert.equal((await post(sized(64 * KIB))).status, 201);
  assertPlainRefusal(await post(sized(64 * KIB + 1)), 'requestTooLarge');
  assertPlainRefusal(await post(sized(64 * KIB + 1), { 'content-type': 'application/json' }), 'requestTooLarge');
  const form = `grant_type=client_credentials&x=${'x'.repeat(64 * KIB)}`;
  assert.deepEqual((await send('POST', '/token', { form })).status, 413);

  const head = `POST /label-reallocations HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\n`;
  const chunk = `8000\r\n${' '.repeat(32 * KIB)}\r\n`;
  const [chunked] = await sendBytes(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`);
  assertPlainRefusal(chunked!, 'requestTooLarge');
  const [promised] = await sendBytes(port, `${head}Content-Length: 99999999999\r\n\r\n`);
  assertPlainRefusal(promised!, 'requestTooLarge');
});

test('answers an unsupported method with 405 and Allow, and an unknown path with 404', async (t) => {
  const { send, token, from, customer, url, nowhere } = await withLabels(t);
  const ask = (method: string, path: string, options: Options = {}) => send(method, path, { token, ...options });
  const id = from.split('/').at(-1);
  const allowed: [method: string, path: string, allow: string[]][] = [
    ['POST', '/', ['GET', 'HEAD']],
    ['DELETE', '/customers', ['GET', 'HEAD', 'POST']],
    ['PUT', customer, ['GET', 'HEAD', 'POST']],
    ['POST', from, ['DELETE', 'GET', 'HEAD']],
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
    ...[
      '/nowhere',
      '/customers/',
      `${from}/`,
      `${from}/nothing`,
      '//',
      '/labels',
      `/Labels/${id}`,
      '/openapiXjson',
      '/.well-known',
    ],
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
    assertPlainRefusal(answer, 'notFound');
  }
  for (const body of ['{"cut', '{}']) assertPlainRefusal(await ask('POST', '/nowhere', { raw: body }), 'notFound');
  assertPlainRefusal(await ask('POST', '/nowhere', unread), 'notFound');
  assertPlainRefusal(await ask('POST', '/nowhere', { raw: ' '.repeat(65 * KIB) }), 'notFound');
  assert.equal((await ask('HEAD', '/nowhere')).status, 404);
  assertPlainRefusal(await send('GET', '/nowhere'), 'notFound');
});

test('accepts one spelling of an id in a path', async (t) => {
  const { call, send, token, from, customer, nowhere } = await withLabels(t);
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

test('handles long paths, queries and headers', async (t) => {
  const { send, token, from, port } = await withLabels(t);
  assertPlainRefusal(await send('GET', `/labels/${'a'.repeat(99)}`, { token }), 'notFound');
  assertPlainRefusal(await send('GET', `/labels/${'a'.repeat(10 * KIB)}`, { token }), 'notFound');
  assertPlainRefusal(await send('GET', `/${'a/'.repeat(4 * KIB)}`, { token }), 'notFound');
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
  const { port, logs, call } = await withLabels(t);
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
  const { service } = await startService(t);
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
  const { port, token, logs, call } = await withLabels(t);
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

test('sends X-Request-Id and Cache-Control on every response', async (t) => {
  const { send, call, token, from, json, logs } = await withLabels(t);
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

test('ETag: answers 304 to a request that has the current tag', async (t) => {
  const { call, send, token, from, to, customer, body, get } = await withLabels(t);
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
  const removed = await call('DELETE', await labelOf(call, to), { headers: { 'if-none-match': '*' } });
  assert.deepEqual([removed.status, removed.headers.etag], [200, undefined]);
});

/** A new label of the customer that another label belongs to. */
async function labelOf(
  call: (method: string, path: string, options?: Options) => Promise<Answer>,
  label: string,
): Promise<string> {
  const customer = (await call('GET', label)).body._links.customer.href;
  const made = await call('POST', `${customer}/labels`, { body: { amount: { value: '0', currency: 'USD' } } });
  return made.headers.location!;
}

test('answers every problem of problems.ts with its status, and a body of code and message only', async (t) => {
  const { service } = await startService(t);
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
