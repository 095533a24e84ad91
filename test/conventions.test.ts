// Conventions of the interface (§1) under careless requests: queries, scopes, content, keys and ids.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Scope } from '../src/resources/oauth/scope.ts';
import type { Document } from './support/contract.ts';
import { ownerForm } from './support/data.ts';
import { type Answer, assertBadBody, assertPlainRefusal, assertRefused, HAL, idOf, type Options } from './support/http.ts';
import { UNCLEAR } from './support/plain-messages.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';

const KIB = 1024;

type Parameter = { name: string; in: string; required?: boolean; schema: Record<string, unknown> };
type Operation = { operationId: string; parameters?: Parameter[]; security: Record<string, Scope[]>[] };

const bad = { status: 400, code: 'ValidationError' };

const service = await startService({ after });
const document: Document & { paths: Record<string, Record<string, Operation>> } = (await service.send('GET', '/openapi.json'))
  .body;
const { customer, from, to } = await service.newLabels();
const hook = await service.create('/webhook-subscriptions', { url: 'https://example.com/', secret: 'a secret' });
const message = ({ body }: Answer): string => body.message;

test('refuses an unknown parameter on every list and names the known ones', async () => {
  const { call } = service;
  const owner = await service.create(`${customer}/beneficial-owners`, { ...ownerForm, firstName: 'document' });
  const webhook = await service.create(`${hook}/pings`);
  for (const path of [
    ...['/customers', `${customer}/labels`, `${from}/ledger-entries`, `${customer}/label-reallocations`],
    `${customer}/allocation-rules`,
    ...[`${customer}/beneficial-owners`, `${customer}/documents`, `${owner}/documents`, '/events', '/sandbox/faults'],
    ...['/webhook-subscriptions', `${hook}/webhooks`, `${webhook}/retries`],
  ]) {
    assert.equal((await call('GET', path)).status, 200, path);
    for (const name of ['refrence', '__proto__', 'constructor', 'limit[]']) {
      const answer = await call('GET', `${path}?${name}=tax`);
      assertRefused(answer, { ...bad, fault: 'NotAllowed', path: `/query/${name}` });
    }
  }
  const answer = await call('GET', `${customer}/label-reallocations?refrence=tax`);
  assert.equal(
    message(answer),
    'refrence is not a parameter of this list. It takes limit, offset, after, createdFrom, createdBefore, reference, correlationId, externalId, metadata.',
  );
  assertRefused(await call('GET', '/customers?a~b/c=1'), { ...bad, path: '/query/a~0b~1c' });
  const both = await call('GET', '/customers?limit=0&x=1&offset=y');
  assert.deepEqual(both.body._embedded.errors.map(({ path }: { path: string }) => path).sort(), [
    '/query/limit',
    '/query/offset',
    '/query/x',
  ]);
});

test('reads numbers in a query as digits only, and each parameter once', async () => {
  const { call } = service;
  for (const name of ['limit', 'offset']) {
    for (const value of [
      '0x10',
      '1e1',
      '5.0',
      '%2B5',
      '+5',
      '%205',
      '5%20',
      '-1',
      '',
      'true',
      'null',
      '%D9%A5',
      '1_0',
      '9'.repeat(400),
    ]) {
      const answer = await call('GET', `${customer}/labels?${name}=${value}`);
      assertRefused(answer, { ...bad, fault: 'Invalid', path: `/query/${name}` });
    }
    assertRefused(await call('GET', `${customer}/labels?${name}=5&${name}=6`), { ...bad, path: `/query/${name}` });
  }
  for (const limit of ['5', '05', '200'])
    assert.equal((await call('GET', `${customer}/labels?limit=${limit}&offset=0`)).status, 200);
  assert.equal(message(await call('GET', '/events?limit=0')), 'limit must be an integer from 1 to 200.');
});

test('names the allowed values when it refuses a query', async () => {
  const { call } = service;
  const cases: [path: string, name: string, says: RegExp][] = [
    ['/customers?status=happy', 'status', /^status must be one of verified, retry, /],
    ['/customers?search=%00', 'search', /^search must be a string of at most 254 characters without control characters\.$/],
    [`${customer}/statements/2026-01?zone=a&zone=b`, 'zone', /^zone must be given only once\.$/],
    ['/customers?search=a&search=b', 'search', /^search must be given only once\.$/],
    ['/events?topic=nothing', 'topic', /one of customer_created, /],
    ['/events?after=7', 'after', /^after must be an id in lower case\.$/],
    [`${hook}/webhooks?startDate=yesterday`, 'startDate', /a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z/],
    ['/events?offset=10001', 'offset', /from 0 to 10000\. To read further, use after, as next links do\.$/],
    [`${from}/ledger-entries?after=${idOf(to)}`, 'after', /^after must be the id of an entry of this label\.$/],
  ];
  for (const [path, name, says] of cases) {
    const answer = await call('GET', path);
    assertRefused(answer, { ...bad, path: `/query/${name}` });
    assert.match(message(answer), says);
  }
  for (const query of ['search=%ZZ', '%=1', 'limit=%', 'search=%FF'])
    assertPlainRefusal(await call('GET', `/customers?${query}`), 'badQuery');
});

test('each message of the OpenAPI document is a sentence, without names of members in place of words', () => {
  const messages = [...JSON.stringify(document).matchAll(/"message":("(?:[^"\\\\]|\\\\.)*")/g)].map(
    ([, text]) => JSON.parse(text!) as string,
  );
  assert.ok(messages.length > 100, `${messages.length} messages`);
  assert.deepEqual(
    messages.filter((text) => UNCLEAR.test(text)),
    [],
  );
});

test('a webhook to this machine is refused with the command and the setting that allow it', async () => {
  for (const url of ['http://localhost:3000', 'http://127.0.0.1:3000/hook', 'http://[::1]:3000/', 'http://10.0.0.5/']) {
    const refused = await service.call('POST', '/webhook-subscriptions', { body: { url, secret: 'a secret' } });
    assertRefused(refused, { ...bad, path: '/url' });
    assert.match(
      message(refused),
      /^URL must not point to a private or local address\. .*`earmark listen.*WEBHOOK_ALLOW_PRIVATE=true/,
      url,
    );
  }
});

test('OpenAPI: limit and offset are optional, with default, minimum and maximum', () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const paged = operations.filter(({ parameters }) => parameters?.some(({ name }) => name === 'limit'));
  assert.ok(paged.length >= 7);
  // A search goes on by its cursor only.
  for (const { operationId, parameters } of paged.filter((one) => one.operationId !== 'searchTransfers')) {
    const [limit, offset] = ['limit', 'offset'].map((wanted) => parameters!.find(({ name }) => name === wanted)!);
    assert.deepEqual([limit!.required ?? false, offset!.required ?? false], [false, false], operationId);
    const { default: most, minimum, maximum } = limit!.schema;
    assert.deepEqual([most, minimum, maximum], [25, 1, 200], operationId);
    assert.deepEqual([offset!.schema.default, offset!.schema.minimum], [0, 0], operationId);
    const isLong = parameters!.some(({ name }) => name === 'after');
    assert.equal(offset!.schema.maximum, isLong ? 10_000 : Number.MAX_SAFE_INTEGER, operationId);
  }
});

test('past the end of a list, prev links to the last page that has items', async () => {
  const { call, newCustomer, newLabel } = service;
  const mine = await newCustomer();
  for (let n = 0; n < 5; n++) await newLabel(mine);
  for (const offset of [5, 6, 7, 100, 10_000]) {
    const { body } = await call('GET', `${mine}/labels?limit=2&offset=${offset}`);
    assert.deepEqual([body._embedded.labels, body._links.prev], [[], body._links.last], `offset ${offset}`);
    assert.equal((await call('GET', body._links.prev.href)).body._embedded.labels.length, 1);
  }
  const { body } = await call('GET', `${mine}/labels?limit=2&offset=4`);
  assert.match(body._links.prev.href, /offset=2$/);
});

test('reports a missing scope before it reads the body', async () => {
  const { call, newClient, client } = service;
  const { token } = await newClient(['read'], client.account_id);
  const unread: Options[] = [
    { raw: '{"cut' },
    { raw: 'x', headers: { 'content-type': 'text/plain' } },
    { raw: ' '.repeat(65 * KIB) },
    { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { raw: 'x', headers: { 'content-encoding': 'gzip' } },
    { raw: 'no parts', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
  ];
  const id = idOf(from);
  // These check the syntax first.
  const later = ['/label-reallocations', '/label-reallocation-batches'];
  const posts = Object.entries(document.paths)
    .filter(([path, { post }]) => !['read', undefined].includes(post?.security[0]?.application?.[0]) && !later.includes(path))
    .map(([path]) => path.replace(/\{\w+\}/g, id));
  assert.ok(posts.length > 15 && posts.some((path) => path.endsWith('/documents')));
  for (const path of posts) {
    for (const options of unread) {
      const answer = await call('POST', path, { token, ...options });
      assertRefused(answer, { status: 403, code: 'Forbidden' });
      assert.match(String(answer.headers['www-authenticate']), /insufficient_scope/);
    }
  }
});

test('checks the syntax of a label reallocation first, hrefs included, then the scope, then the labels', async () => {
  const { call, newClient, client, reallocation, nowhere } = service;
  const { token } = await newClient(['read'], client.account_id);
  const ask = (options: Options) => call('POST', '/label-reallocations', { token, ...options });
  assertBadBody(await ask({ raw: '{"cut' }), '', /^The body cannot be read: Unterminated string, line 1, column 6\.$/);
  assertBadBody(await ask({ body: {} }), '/amount', /^Amount is required\.$/);
  assertBadBody(
    await ask({ body: reallocation(`${from}/`, to, '1.00') }),
    '/_links/from/href',
    /must end with the id of a label/,
  );
  assertBadBody(await ask({ body: reallocation(from, customer, '1.00') }), '/_links/to/href', /must begin with .+\/labels\/\.$/);
  // Members that are not known belong to the syntax.
  const misspelled = { ...reallocation(from, to, '1.00'), externalID: 'a' };
  assertRefused(await ask({ body: misspelled }), { ...bad, fault: 'NotAllowed', path: '/externalID' });
  for (const body of [
    reallocation(from, to, '1.00'),
    reallocation(from, from, '-1'),
    reallocation(nowhere('label'), to, '1.00'),
  ]) {
    const answer = await ask({ body });
    assertPlainRefusal(answer, 'reallocationForbidden');
    assert.match(String(answer.headers['www-authenticate']), /insufficient_scope.*scope="write"/);
  }
});

test('accepts any Content-Type on a request without content', async () => {
  const { call, newLabel, port, token } = service;
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json',
    'json',
    '',
    '*/*',
    'a/b; charset=latin1',
  ]) {
    const label = await newLabel(customer);
    for (const headers of [{ 'content-type': type }, { 'content-type': type, 'content-length': '0' }] as Record<
      string,
      string
    >[]) {
      assert.equal((await call('GET', label, { headers })).status, 200, type);
      assert.equal((await call('POST', '/sandbox/clock', { headers })).status, 400, `${type}: incomplete`);
    }
    assert.equal((await call('DELETE', label, { headers: { 'content-type': type } })).status, 200, type);
  }
  const head = `POST ${new URL(hook).pathname}/pings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`;
  const [empty] = await sendBytes(port, `${head}Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n`);
  assert.equal(empty!.status, 201, empty!.text);
  const [full] = await sendBytes(port, `${head}Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nx`);
  assertPlainRefusal(full!, 'unsupportedType');
  const [chunked] = await sendBytes(
    port,
    `${head}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
  );
  assertPlainRefusal(chunked!, 'unsupportedType');
});

test('refuses a Content-Encoding other than identity with 415', async () => {
  const { call, send, reallocation } = service;
  const body = reallocation(from, to, '0.01');
  const coded = (coding: string) => ({ 'content-encoding': coding });
  const says = 'The Content-Encoding of the request is not supported.';
  for (const coding of ['gzip', 'br', 'identity, gzip', 'x', '']) {
    const answer = await call('POST', '/label-reallocations', { body, headers: coded(coding) });
    assertPlainRefusal(answer, 'unsupportedType', says);
    assert.equal(answer.headers['accept-encoding'], 'identity');
    const upload = { 'content-type': 'multipart/form-data; boundary=x', ...coded(coding) };
    assertPlainRefusal(await call('POST', `${customer}/documents`, { raw: 'x', headers: upload }), 'unsupportedType', says);
    assertPlainRefusal(
      await send('POST', '/token', { form: 'a=b', headers: { accept: HAL, ...coded(coding) } }),
      'unsupportedType',
      says,
    );
  }
  for (const coding of ['identity', 'Identity'])
    assert.equal((await call('POST', '/label-reallocations', { body, headers: coded(coding) })).status, 201);
  assert.equal((await call('GET', from, { headers: coded('gzip') })).status, 200, 'there is no content to decode');
});

test('reports a label with a well-formed but impossible id as not found, as on GET', async () => {
  const { call, reallocation, url } = service;
  for (const id of [
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    `${idOf(from).slice(0, 14)}0${idOf(from).slice(15)}`,
    `${idOf(from).slice(0, 19)}0${idOf(from).slice(20)}`,
  ]) {
    const label = `${url}/labels/${id}`;
    assert.equal((await call('GET', label)).status, 404, id);
    for (const body of [reallocation(label, to, '1.00'), reallocation(from, label, '1.00'), reallocation(label, label, '1.00')])
      assertPlainRefusal(await call('POST', '/label-reallocations', { body }), 'labelNotFound');
  }
});

test('treats an Idempotency-Key in double quotes as the same key without them', async () => {
  const { call, reallocation } = service;
  const body = reallocation(from, to, '0.01');
  const ask = (key: string, path = '/label-reallocations', wanted: unknown = body) => call('POST', path, { body: wanted, key });
  const first = await ask('"quoted"');
  const again = await ask('quoted');
  assert.deepEqual([first.status, again.headers.location], [201, first.headers.location]);
  assert.equal(again.headers['idempotent-replayed'], 'true');
  const deposit = { amount: { value: '1.00', currency: 'USD' } };
  const made = await ask('plain', `${customer}/deposits`, deposit);
  assert.equal((await ask('"plain"', `${customer}/deposits`, deposit)).headers.location, made.headers.location);
  const longest = 'k'.repeat(255);
  assert.equal((await ask(`"${longest}"`)).headers.location, (await ask(longest)).headers.location);
  for (const key of ['""', '"a b"', `"${longest}k"`]) assertRefused(await ask(key), { status: 400, code: 'BadRequest' });
  assert.equal((await ask('"')).headers['idempotent-replayed'], undefined);
});
