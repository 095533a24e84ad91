// Conventions of the interface (§1 and §2) that every route shares: media types and JSON bodies.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertBadBody, assertPlainRefusal, assertRefused, HAL } from './support/http.ts';
import { KIB, openLabels } from './support/http-labels.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('Accept: serves the versioned media type and refuses others', async () => {
  const { get, from, port, token } = await openLabels(shared);
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

test('Accept: refuses another version on every path that has versions', async () => {
  const { send } = shared;
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

test('Content-Type: reads JSON bodies and refuses others', async () => {
  const { post, json, from, get, customer, call } = await openLabels(shared);
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

test('parses JSON strictly, says what is wrong, and writes nothing when it refuses a body', async (t) => {
  const { post, json, snapshot, from, to } = await openLabels(shared);
  const links = `"_links":{"from":{"href":"${from}"},"to":{"href":"${to}"}}`;
  const amount = '"amount":{"value":"1.00","currency":"USD"}';
  const nested = (depth: number) => `{${links},${amount},"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const before = await snapshot();
  const [object, twice, proto] = [/must be a JSON object/, /an object has a member twice/, /a member has the name __proto__/];
  const [deep, coding, text] = [/it has more than 32 levels/, /it is not UTF-8/, /a text has a NUL or half of a surrogate pair/];
  const wrong: Record<string, [body: string | Buffer, says: RegExp]> = {
    nothing: ['', object],
    'only spaces': ['  ', /it ends too early/],
    'cut short': [json.slice(0, -1), /Expected ',' or '}' after property value, line 1, column \d+\.$/],
    'more than one value': [`${json}{}`, /Unexpected non-whitespace character, line 1, column \d+\.$/],
    'a trailing comma': [`${json.slice(0, -1)},\n}`, /Expected double-quoted property name, line 2, column 1\.$/],
    'single quotes': ["{'a':1}", /Expected property name or '}', line 1, column 2\.$/],
    'a comment': [`/* */${json}`, /Unexpected token '\/'\.$/],
    'no object': ['[]', object],
    null: ['null', object],
    text: ['"text"', object],
    'a duplicate key': [`{${links},${amount},${amount}}`, twice],
    'a duplicate key inside': [`{${links},"amount":{"value":"1.00","value":"2.00","currency":"USD"}}`, twice],
    'a duplicate key spelled otherwise': [`{${links},${amount},"\\u0061mount":{"value":"2.00","currency":"USD"}}`, twice],
    'a duplicate key of spaces and escapes': [`{${links},${amount},"a\\"b":1,"a\\u0022b" \t\r\n : 2}`, twice],
    'a duplicate key in a member that is not known': [`{${links},${amount},"x":[[{"a":1,"b":{},"a":2}]]}`, twice],
    'a duplicate index': [`{${links},${amount},"x":{"0":1,"0":2}}`, twice],
    __proto__: [`{${links},${amount},"__proto__":{"a":1}}`, proto],
    '__proto__ inside': [`{${links},"amount":{"value":"1.00","currency":"USD","\\u005f_proto__":1}}`, proto],
    'too deep': [nested(32), deep],
    'far too deep': [nested(30_000), deep],
    'bytes that are not UTF-8': [Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"\xff"}', 'latin1')]), coding],
    'an overlong encoding': [Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"x":"\xc0\x80"}', 'latin1')]), coding],
    'UTF-16': [Buffer.from(json, 'utf16le'), /Expected property name or '}', line 1, column 2\.$/],
    'a lone surrogate': [`{${links},${amount},"reference":"\\ud800"}`, text],
    'a lone surrogate in a member that is not known': [`{${links},${amount},"x":["\\udc00"]}`, text],
    NUL: [`{${links},${amount},"reference":"a\\u0000b"}`, text],
    'a raw control character': [`{${links},${amount},"reference":"a\tb"}`, /Bad control character in string literal, line 1/],
    'two byte order marks': [`\ufeff\ufeff${json}`, /Unexpected token '\ufeff'\.$/],
    'a number as an amount': [
      `{${links},"amount":{"value":1.00,"currency":"USD"}}`,
      /^Amount value must be a string such as "10\.00"\.$/,
    ],
    'a number of any size': [`{${links},"amount":{"value":1e400,"currency":"USD"}}`, /^Amount value must be a string/],
  };
  for (const [what, [body, says]] of Object.entries(wrong)) {
    await t.test(what, async () => {
      const path = says.source.includes('Amount value') ? '/amount/value' : '';
      assertBadBody(await post(body), path, says);
    });
  }
  assert.deepEqual(await snapshot(), before);
  const right: Record<string, string> = {
    'one byte order mark': `\ufeff${json}`,
    'text that looks like members': `{${links},${amount},"reference":"{\\"a\\":1,\\"a\\":2}","correlationId":"\\\\"}`,
    'the same name in two objects': `{${links},${amount},"metadata":{"value":"1"}}`,
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

test('reads members that are not known strictly, too', async () => {
  const { call } = await openLabels(shared);
  const person = '"firstName":"Ada","lastName":"Example","email":"ada@example.com"';
  const create = (more: string) => call('POST', '/customers', { raw: `{${person},"x":${more}}` });
  for (const more of [`${'['.repeat(31)}${']'.repeat(31)}`, '{"constructor":{"prototype":1},"toString":[]}', '["a","a"]'])
    assert.equal((await create(more)).status, 201, more);
  for (const more of [`${'['.repeat(32)}${']'.repeat(32)}`, '{"__proto__":1}', '{"a":1,"a":1}', '"\\ud800"'])
    assertBadBody(await create(more), '', /^The body cannot be read: /);
});

test('accepts a body of 64 KiB and refuses one byte more', async () => {
  const { post, json, port, token, send } = await openLabels(shared);
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
