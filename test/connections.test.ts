// Limits on one client: pipelining, unread responses and calls without a token; test/attack measures them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { assertPlainRefusal, HAL } from './support/http.ts';
import { lockLabel } from './support/locks.ts';
import { beginRequest, sendBytes } from './support/raw-http.ts';
import { startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

/** The largest response. */
const LARGE = '/openapi.json';

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const ended = ({ logs }: TestService, route: string) =>
  logs.filter((line) => line.includes(`"route":"${route}"`) && line.includes('"aborted":true')).length;
const started = ({ logs }: TestService, route: string) => logs.filter((line) => line.includes(`"route":"${route}"`)).length;

/** For tests of the default limits that leave no connection behind. */
const shared = await startService({ after });

test('serves pipelined requests in order, each after the effect of the one before', async () => {
  const service = shared;
  const customer = await service.newCustomer({ available: '100.00' });
  const [from, to] = [await service.newLabel(customer, '50.00'), await service.newLabel(customer)];
  const body = JSON.stringify(service.reallocation(from, to, '1.00'));
  const authorization = `Authorization: Bearer ${service.token}\r\n`;
  const move = `POST /label-reallocations HTTP/1.1\r\nHost: localhost\r\n${authorization}Content-Type: ${HAL}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const read = get(new URL(to).pathname, authorization);
  const answers = await sendBytes(
    service.port,
    (move + read).repeat(50) + get('/nowhere', `${authorization}Connection: close\r\n`),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array.from({ length: 50 }, () => [201, 200]).flat(), 404],
  );
  const seen = answers.filter(({ status }) => status === 200).map((answer) => answer.body.amount.value);
  assert.deepEqual(
    seen,
    seen.map((_, n) => `${n + 1}.00`),
  );
});

test('answers a thousand pipelined requests in order', async () => {
  const { port } = shared;
  const ids = Array.from({ length: 1000 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
  const requests = ids.map((id) => get('/health/live', `X-Request-Id: ${id}\r\n`));
  const answers = await sendBytes(port, requests.join('') + get('/health/live', 'Connection: close\r\n'));
  const answered = answers.slice(0, -1).map(({ headers }) => headers['x-request-id']);
  assert.deepEqual(answered, ids);
});

test('starts few requests of a client that does not read, and closes its connection', async (t) => {
  const service = await startService(t, { env: { RESPONSE_TIMEOUT_SECONDS: '1' } });
  const socket = flood(t, service, get(LARGE).repeat(3000));
  await waitUntil('the connection ends', () => ended(service, LARGE) > 0);
  assert.ok(started(service, LARGE) <= 20, `${started(service, LARGE)} were started`);
  assert.equal(socket.destroyed, false, 'the service closed it');
});

test('bounds pending requests over many connections, and closes those with the most', async (t) => {
  const service = await startService(t);
  for (let n = 0; n < 10; n++) flood(t, service, get(LARGE).repeat(10) + get('/').repeat(3000));
  await waitUntil('one of them ends', () => ended(service, LARGE) > 0);
  assert.equal((await service.call('GET', '/')).status, 200);
});

test('waits for a client that reads slowly and for a response that takes time', async (t) => {
  const service = await startService(t, { env: { RESPONSE_TIMEOUT_SECONDS: '1' } });
  const customer = await service.newCustomer({ available: '100.00' });
  const [from, to] = [await service.newLabel(customer, '50.00'), await service.newLabel(customer)];
  const locker = new pg.Client({ connectionString: service.databaseUrl });
  await locker.connect();
  locker.on('error', () => {});
  await locker.query('begin');
  await lockLabel(locker, from);
  const waiting = service.call('POST', '/label-reallocations', { body: service.reallocation(from, to, '1.00') });

  const socket = flood(t, service, get(LARGE).repeat(9) + get(LARGE, 'Connection: close\r\n'));
  let bytes = 0;
  const began = performance.now();
  socket.on('data', (data) => {
    bytes += data.length;
    socket.pause();
    setTimeout(() => socket.resume(), 10);
  });
  await once(socket.resume(), 'close');
  const size = Number((await service.send('HEAD', LARGE)).headers['content-length']);
  assert.ok(bytes > 10 * size, `${bytes} of 10 × ${size}`);
  await sleep(Math.max(0, 2500 - (performance.now() - began)));
  await locker.query('rollback');
  assert.equal((await waiting).status, 201);
  await locker.end();
});

test('limits one address without a token to half of the slots, and reserves slots for requests with a token', async (t) => {
  // MAX_REQUESTS is divided among processes.
  const service = await startService(t, { env: { MAX_REQUESTS: '6' }, processes: 1 });
  assert.equal((await service.call('GET', '/')).status, 200, 'the token is verified once');
  const pending = [await beginRequest(service.port), await beginRequest(service.port), await beginRequest(service.port)];
  const bad = { authorization: 'Bearer a.b.c', accept: HAL };
  const other = { 'x-forwarded-for': '203.0.113.7' };
  for (const [path, headers] of [
    ['/openapi.json', {}],
    ['/health/live', {}],
    ['/nowhere', {}],
    ['/%zz', {}],
    ['/', bad],
    ['/', { accept: 'text/plain' }],
  ] as const) {
    const refused = await service.send('GET', path, { headers });
    assertPlainRefusal(refused, 'tooManyRequests');
    assert.deepEqual([refused.headers['retry-after'], refused.headers.connection], ['1', 'close'], path);
    // With an unreadable URL, only the address of the connection counts.
    if (path === '/%zz') continue;
    assert.notEqual((await service.send('GET', path, { headers: { ...headers, ...other } })).status, 429, 'another address');
  }
  assert.equal((await service.call('GET', '/')).status, 200, 'with a token');
  for (const request of pending) void request.finish();
  await waitUntil('a slot is free again', async () => (await service.send('GET', '/health/live')).status === 200);
});

test('serves requests with a token, and those from another address, before a queue of requests without a token', async (t) => {
  const service = await startService(t);
  assert.equal((await service.call('GET', '/')).status, 200, 'the token is verified once');
  let answered = 0;
  for (let n = 0; n < 300; n++) {
    const socket = flood(t, service, get('/nowhere'));
    socket.on('data', () => {
      answered += 1;
      socket.write(get('/nowhere'));
    });
    socket.resume();
  }
  await waitUntil('all are answered', () => answered > 300);
  for (const headers of [`Authorization: Bearer ${service.token}\r\n`, 'X-Forwarded-For: 203.0.113.7\r\n']) {
    const path = headers.startsWith('A') ? '/' : '/health/live';
    const before = answered;
    const [data] = await once(flood(t, service, get(path, headers)).resume(), 'data');
    assert.match(String(data), /^HTTP\/1.1 200 /);
    assert.ok(answered - before < 150, `${path} is answered after ${answered - before} others`);
  }
});

/** A connection that sends bytes and does not read. */
function flood(t: TestContext, { port }: TestService, text: string): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  t.after(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write(text);
  return socket;
}
