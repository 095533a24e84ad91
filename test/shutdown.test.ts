// Responses and connections while the service shuts down.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { assertUnavailable, connectBeside, openLabels } from './support/faults.ts';
import { HAL, idOf } from './support/http.ts';
import { lockCustomer, untilWaiting } from './support/locks.ts';
import { readAnswers, sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

test('answers requests in flight while it shuts down, and refuses new ones with Retry-After', async (t) => {
  const { port, token, customer, databaseUrl, stop, url, sql } = await openLabels(await startService(t));
  const holder = await connectBeside(t, databaseUrl);
  await holder.query('begin');
  await lockCustomer(holder, customer);
  const body = '{"amount":{"value":"1.00","currency":"USD"}}';
  const head = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: ${HAL}\r\n`;
  const post = `POST ${customer.replace(url, '')}/labels HTTP/1.1\r\n${head}Content-Type: ${HAL}\r\nContent-Length: ${body.length}\r\n`;
  const inFlight = open(port, `${post}\r\n${body}`);
  await untilWaiting(sql, 1);
  // Each sends the head of its request before the shutdown, so that its connection is not idle, and the rest after it.
  const late = ['GET /health/ready HTTP/1.1\r\n', 'GET /nowhere HTTP/1.1\r\n', `GET / HTTP/1.1\r\n${head}`, post].map(
    (firstLines) => open(port, `GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n${firstLines}`),
  );
  for (const { answers } of late) await waitUntil('the late answer arrives', async () => answers().length === 1);
  // The deliveries cannot end before the lock is released, and the shutdown does not wait for them.
  await holder.query('lock table event_cursor');
  await waitUntil('the worker waits for the outbox', async () => {
    const waiting = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%settle_events%'`;
    return waiting.length > 0;
  });

  const stopped = stop();
  const isRefused = () =>
    sendBytes(port, 'GET / HTTP/1.0\r\n\r\n').then(
      () => false,
      () => true,
    );
  await waitUntil('new connections are refused', isRefused);
  const rests = ['Host: localhost\r\n\r\n', 'Host: localhost\r\n\r\n', '\r\n', `\r\n${body}`];
  for (const [index, { socket, closed, answers }] of late.entries()) {
    socket.write(rests[index]!);
    await closed;
    const [live, refused] = answers();
    assert.equal(live?.status, 200);
    assertUnavailable(refused!);
    assert.equal(refused!.headers.connection, 'close');
  }
  await holder.query('rollback');
  await inFlight.closed;
  await stopped;
  assert.equal(inFlight.answers()[0]?.status, 201);
  const labels = await holder.query(`select 1 from ledger_account where kind = 'label' and customer_id = $1`, [idOf(customer)]);
  assert.equal(labels.rowCount, 3);
});

/** A connection that sent a text, and the responses received so far. */
function open(port: number, text: string) {
  const socket = connect({ host: '127.0.0.1', port });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(text);
  const closed = once(socket, 'close');
  return { socket, closed, answers: () => readAnswers(Buffer.concat(chunks).toString()) };
}

test('does not delay the shutdown for clients that disconnect in mid-request', async (t) => {
  const { port, url, customer, stop, service, client } = await openLabels(await startService(t));
  const application = (await service.authority.authenticate({ clientId: client.client_id, secrets: [client.client_secret] }))!;
  for (let n = 0; n < 300; n++) {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    // A request that is not cached: it is processed while the client leaves.
    const { access_token } = service.authority.issue(application, ['read']);
    const head = `Host: localhost\r\nAuthorization: Bearer ${access_token}\r\nAccept: ${HAL}\r\n`;
    socket.write(`GET ${customer.replace(url, '')} HTTP/1.1\r\n${head}\r\n`, () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  const ended = await Promise.race([stop().then(() => true), new Promise((resume) => setTimeout(resume, 20_000, false).unref())]);
  assert.ok(ended);
});

test('ends a ledger check that an operator has asked for', async (t) => {
  const { stop, service } = await startService(t, { env: { VERIFY_EVERY_SECONDS: '0' } });
  service.verification.runNow();
  await waitUntil('the check has begun', () => service.verification.check().progress !== undefined);
  await stop();
  assert.equal(service.verification.check().last, undefined, 'it has not ended by itself');
});
