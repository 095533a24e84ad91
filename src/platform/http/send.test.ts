// Tests of sending one webhook: redirects, endless and slow answers, timeouts, and the stored answer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { waitUntil } from '../../../test/support/wait.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { createAddressPolicy } from './address-policy.ts';
import { ANSWER_MAX_BYTES, type Exchange, openSender } from './send.ts';

const TIMEOUT_MS = 400;

function open(t: TestContext, timeoutMs = TIMEOUT_MS) {
  const guard = createAddressPolicy({ mode: 'sandbox', webhookAllowPrivate: true, webhookPorts: undefined });
  const sender = openSender(guard, { timeoutMs });
  t.after(sender.close);
  return (url: string) => sender.send({ url, headers: [{ name: 'X-Test', value: 'yes' }], body: '{"a":1}' });
}

/** A TCP server with a handler for each connection. */
async function startSocketServer(t: TestContext, serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return `http://127.0.0.1:${address.port}/`;
}

test('stores status, headers and body of the answer', async (t) => {
  const receiver = await startReceiver(t, (response) => response.writeHead(202, { 'X-One': '1' }).end('grüß\0dich'));
  const { answer, error } = await open(t)(receiver.url);
  assert.deepEqual([answer?.status, answer?.body, error], [202, 'grüß\ufffddich', undefined]);
  assert.ok(answer?.headers.some(({ name, value }) => name === 'X-One' && value === '1'));
  assert.equal(receiver.received[0]?.headers['x-test'], 'yes');
  assert.equal(receiver.received[0]?.text, '{"a":1}');
});

test('does not follow a redirect', async (t) => {
  const inside = await startReceiver(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const receiver = await startReceiver(t, (response) => response.writeHead(status, { location: inside.url }).end());
    assert.equal((await open(t)(receiver.url)).answer?.status, status);
  }
  assert.equal(inside.received.length, 0);
});

test('cuts an endless answer at 64 KiB immediately', async (t) => {
  let ended = false;
  const url = await startSocketServer(t, (socket) => {
    socket.on('close', () => {
      ended = true;
    });
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n');
      const more = () => {
        while (socket.writable && socket.write('x'.repeat(8192)));
      };
      socket.on('drain', more);
      more();
    });
  });
  const { answer, error } = await open(t, 10_000)(url);
  assert.equal(error, undefined);
  assert.equal(answer?.body.length, ANSWER_MAX_BYTES);
  await waitUntil('the connection is closed', () => ended);
});

test('cuts an answer that does not end in time, even while bytes arrive', async (t) => {
  const trickle = (head: string, drop: string) =>
    startSocketServer(t, (socket) => {
      socket.once('data', () => {
        socket.write(head);
        const timer = setInterval(() => socket.write(drop), 20);
        socket.on('close', () => clearInterval(timer));
      });
    });
  const body = await trickle('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', 'x');
  const headers = await trickle('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n');
  const silent = await startSocketServer(t, () => {});
  const deaf = await startSocketServer(t, (socket) => socket.pause());
  for (const [url, status] of [
    [body, 200],
    [headers, undefined],
    [silent, undefined],
    [deaf, undefined],
  ] as const) {
    const begin = performance.now();
    const { answer, error } = await open(t)(url);
    const tookMs = performance.now() - begin;
    assert.ok(tookMs >= TIMEOUT_MS - 5, `${tookMs} ms`);
    assert.equal(error, 'The receiver did not respond completely within 0.4 s.');
    assert.equal(answer?.status, status);
  }
});

test('allows ten seconds', async (t) => {
  const asked = Promise.withResolvers<void>();
  const url = await startSocketServer(t, (socket) => socket.once('data', () => asked.resolve()));
  const guard = createAddressPolicy({ mode: 'sandbox', webhookAllowPrivate: true, webhookPorts: undefined });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sender = openSender(guard);
  t.after(sender.close);
  let exchange: Exchange | undefined;
  const sending = sender.send({ url, headers: [], body: '{}' }).then((one) => {
    exchange = one;
  });
  await asked.promise;
  t.mock.timers.tick(9_999);
  await new Promise((resume) => setImmediate(resume));
  assert.equal(exchange, undefined);
  t.mock.timers.tick(1);
  await sending;
  assert.equal(exchange!.error, 'The receiver did not respond completely within 10 s.');
});

test('does not resend a request that was cut by closing', async (t) => {
  let requests = 0;
  const reached = Promise.withResolvers<void>();
  const url = await startSocketServer(t, (socket) =>
    socket.on('data', () => {
      requests += 1;
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      else reached.resolve();
    }),
  );
  const guard = createAddressPolicy({ mode: 'sandbox', webhookAllowPrivate: true, webhookPorts: undefined });
  const sender = openSender(guard);
  const send = () => sender.send({ url, headers: [], body: '{}' });
  assert.equal((await send()).answer?.status, 200);
  const second = send();
  await reached.promise;
  sender.close();
  assert.match((await second).error!, /closed/);
  assert.equal(requests, 2);
});

test('describes a broken answer, a missing answer and a refused connection', async (t) => {
  const half = await startSocketServer(t, (socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'));
  });
  const { answer, error } = await open(t)(half);
  assert.deepEqual([answer?.status, answer?.body], [200, 'abc']);
  assert.match(error!, /The connection failed/);
  const rude = await startSocketServer(t, (socket) => socket.end('nonsense\r\n\r\n'));
  assert.match((await open(t)(rude)).error!, /The connection failed/);
  const upgrade = await startSocketServer(t, (socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'));
  });
  assert.ok((await open(t)(upgrade)).error);
  const receiver = await startReceiver(t);
  receiver.server.close();
  assert.equal((await open(t)(receiver.url)).error, 'The connection was refused.');
});

test('repeats a request on a connection that the receiver closed in the meantime', async (t) => {
  let connections = 0;
  const url = await startSocketServer(t, (socket) => {
    connections += 1;
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      else socket.destroy();
    });
  });
  const send = open(t);
  for (let n = 0; n < 5; n++) assert.equal((await send(url)).answer?.status, 200);
  assert.ok(connections >= 3);
});
