// Tests of the metrics: counts of known work, gauges read from the database, and access.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { reallocation } from '../../../test/support/data.ts';
import { idOf } from '../../../test/support/http.ts';
import { sendWhileLocked } from '../../../test/support/locked-label.ts';
import { readExposition } from '../../../test/support/prometheus.ts';
import { startService } from '../../../test/support/service.ts';
import { openUploads } from '../../../test/support/uploads.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { bucketOf, firstIdOf } from '../../core/ids.ts';
import { refreshBeforeExposition } from './backlogs.ts';
import { openMetrics } from './metrics.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-/;
const REALLOCATIONS = { method: 'POST', route: '/label-reallocations' };

// The tests are steps: later ones count what earlier ones caused.
// The requests share a batch.
const service = await openUploads({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true', LANES: '1' }, processes: 1 });
const { call, send, port, token, newOwner, submitted } = service;
const read = async () => readExposition((await send('GET', '/metrics')).text);
const customer = await service.newCustomer();
await call('POST', `${customer}/deposits`, { body: { amount: { value: '100.00', currency: 'USD' } } });
const [from, to] = [await service.newLabel(customer, '50.00'), await service.newLabel(customer)];
const reallocate = (value: string) => call('POST', '/label-reallocations', { body: reallocation(from, to, value) });

test('shows how many documents wait for a decision, and the age of the oldest', async () => {
  const document = idOf(await submitted(await newOwner()));
  // Another one, of two hours ago by its id: what a document is dated follows the clock of a sandbox account.
  const earlier = firstIdOf(new Date(Date.now() - 7_200_000), bucketOf(document));
  await service.sql`
    insert into document select (jsonb_populate_record(d, ${{ id: earlier }})).* from document d where id = ${document}`;
  // The first reading: the database is not asked again for a while.
  const { value } = await read();
  assert.equal(value('earmark_review_queue_documents'), 2);
  const ageSeconds = value('earmark_review_queue_age_seconds')!;
  assert.ok(ageSeconds >= 7200 && ageSeconds < 7300, `${ageSeconds} s`);
  assert.equal(value('earmark_database_up'), 1);
});

test('counts requests, transfers, batches and refusals', async () => {
  const before = await read();
  const grown = async (name: string, labels?: Record<string, string>) =>
    (await read()).value(name, labels)! - (before.value(name, labels) ?? 0);
  const wanted = await sendWhileLocked(service, from, () => Array.from({ length: 20 }, () => reallocate('1.00')));
  assert.ok(wanted.every(({ status }) => status === 201));
  assert.equal((await reallocate('99.00')).body.message, 'Insufficient funds: 30.00 USD available.');
  assert.equal((await call('POST', '/label-reallocations', { body: {} })).status, 400);
  assert.equal((await send('GET', '/nowhere')).status, 404);

  assert.equal(await grown('earmark_http_requests_total', { ...REALLOCATIONS, status: '2xx' }), 20);
  assert.equal(await grown('earmark_http_requests_total', { ...REALLOCATIONS, status: '4xx' }), 2);
  assert.equal(await grown('earmark_http_request_duration_seconds_count', REALLOCATIONS), 22);
  assert.ok((await grown('earmark_http_request_duration_seconds_sum', REALLOCATIONS)) > 0);
  assert.equal(await grown('earmark_http_requests_total', { method: 'GET', route: '(unknown)', status: '4xx' }), 1);
  assert.equal(await grown('earmark_refusals_total', { code: 'ValidationError', fault: 'InsufficientFunds' }), 1);
  assert.equal(await grown('earmark_refusals_total', { code: 'BadRequest', fault: 'Required' }), 1);
  assert.equal(await grown('earmark_transfers_total', { kind: 'reallocation', outcome: 'posted' }), 20);
  assert.equal(await grown('earmark_transfers_total', { kind: 'reallocation', outcome: 'insufficient' }), 1);
  assert.equal(await grown('earmark_batch_size_sum'), 21);
  const batches = await grown('earmark_batch_size_count');
  assert.ok(batches >= 3 && batches < 21, `${batches} batches`);
  assert.equal(await grown('earmark_batch_commit_seconds_count'), batches);
  assert.equal(await grown('earmark_lane_wait_seconds_count'), 21);
  const now = await read();
  assert.equal(now.value('earmark_lane_queue_length'), 0);
  assert.equal(now.value('earmark_http_requests_in_flight'), 1, 'the request for the metrics');
});

test('counts a failed batch', async () => {
  const before = await read();
  // Refused by the database, and by none of the ledger's rules.
  await service.sql`alter table transfer add constraint broken_check check (reference is distinct from 'broken') not valid`;
  const body = { ...reallocation(from, to, '1.00'), reference: 'broken' };
  assert.equal((await call('POST', '/label-reallocations', { body })).status, 500);
  await service.sql`alter table transfer drop constraint broken_check`;
  const now = await read();
  const failures = 'earmark_batch_failures_total';
  assert.equal(now.value(failures), before.value(failures)! + 1);
  assert.equal(now.value('earmark_http_requests_total', { ...REALLOCATIONS, status: '5xx' }), 1);
  assert.equal(now.value('earmark_refusals_total', { code: 'ServerError' }), 1);
});

test('counts issued and refused tokens', async () => {
  const tokens = async () => (await read()).value('earmark_tokens_issued_total')!;
  const before = await tokens();
  await service.tokenOf(service.client);
  assert.equal(await tokens(), before + 1);
  const form = `grant_type=client_credentials&client_id=${service.client.client_id}&client_secret=wrong`;
  assert.equal((await send('POST', '/token', { form })).status, 401);
  assert.equal(await tokens(), before + 1);
  assert.equal((await read()).value('earmark_refusals_total', { code: 'InvalidClient' }), 1);
});

test('counts aborted requests', async () => {
  const socket = connect(port, '127.0.0.1');
  const head = ['POST /customers HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${token}`, 'Content-Length: 99'];
  socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n{`);
  await waitUntil('the request is in flight', async () => (await read()).value('earmark_http_requests_in_flight') === 2);
  socket.destroy();
  const aborted = { method: 'POST', route: '/customers', status: 'aborted' };
  await waitUntil(
    'the request is counted as aborted',
    async () => (await read()).value('earmark_http_requests_total', aborted) === 1,
  );
  assert.equal((await read()).value('earmark_http_requests_in_flight'), 1);
  const line = service.logs.map((line) => JSON.parse(line)).find(({ aborted }) => aborted);
  assert.deepEqual({ route: line.route, status: line.status }, { route: '/customers', status: undefined });
});

test('counts deliveries by outcome, and measures the delay', async (t) => {
  const receiver = await startReceiver(t, (response, { body }) => {
    response.statusCode = body.topic === 'customer_deposit_created' ? 500 : 200;
    response.end();
  });
  const secret = randomUUID();
  const made = await call('POST', '/webhook-subscriptions', { body: { url: receiver.url, secret } });
  assert.equal(made.status, 201);
  await reallocate('1.00');
  const outcome = async (outcome: string) => (await read()).value('earmark_webhook_deliveries_total', { outcome });
  await waitUntil('one is taken', async () => (await outcome('taken')) === 1);
  await call('POST', `${customer}/deposits`, { body: { amount: { value: '1.00', currency: 'USD' } } });
  await waitUntil('one is refused', async () => (await outcome('refused')) === 1);
  receiver.server.close();
  receiver.server.closeAllConnections();
  assert.equal(await outcome('failed'), 0);
  await reallocate('1.00');
  await waitUntil('one has failed', async () => (await outcome('failed')) === 1);
  const now = await read();
  assert.equal(now.value('earmark_webhook_delivery_duration_seconds_count'), 3);
  assert.equal(now.value('earmark_webhook_delay_seconds_count'), 3);
});

test('no metric has an id as a label, and all series of a metric have the same labels', async () => {
  const { samples } = await read();
  assert.ok(samples.length > 300);
  for (const { name, labels } of samples) {
    assert.ok(!Object.values(labels).some((value) => UUID.test(value)), `${name}${JSON.stringify(labels)}`);
    const first = samples.find((one) => one.name === name)!;
    assert.deepEqual(Object.keys(labels), Object.keys(first.labels));
  }
});

test('answers callers on the same machine only, and no proxy for others', async () => {
  for (const name of ['Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'Via', 'x-forwarded-proto']) {
    const answer = await call('GET', '/metrics', { headers: { [name]: 'for=192.0.2.1' } });
    assert.deepEqual([answer.status, answer.body.code], [403, 'Forbidden'], name);
  }
  assert.equal((await send('HEAD', '/metrics')).status, 200);
});

test('METRICS_PORT moves the metrics to another port', async (t) => {
  const service = await startService(t, {
    env: { METRICS_PORT: '0', METRICS_HOST: '127.0.0.1', DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  const answer = await service.call('GET', '/metrics');
  assert.deepEqual([answer.status, answer.body.code], [404, 'NotFound']);
  const line = service.logs.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'metrics are served');
  assert.equal(line.address, '127.0.0.1');
  const base = `http://127.0.0.1:${line.port}`;

  await t.test('measures the backlog when nothing delivers', async () => {
    const secret = randomUUID();
    const made = await service.call('POST', '/webhook-subscriptions', { body: { url: `${base}/hook`, secret } });
    assert.equal(made.status, 201);
    // One event of the customer, one of its verification, one of the deposit.
    await service.newCustomer({ available: '1.00' });
    assert.equal((await service.call('GET', '/events')).body.total, 3);
    await service.sql`update event set created = now() - interval '1 hour'`;
    const served = await fetch(`${base}/metrics?name=x`);
    assert.equal(served.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    const { value } = readExposition(await served.text());
    assert.equal(value('earmark_webhook_backlog_events'), 3);
    const lagSeconds = value('earmark_webhook_lag_seconds')!;
    assert.ok(lagSeconds >= 3600 && lagSeconds < 3700, `${lagSeconds} s`);
  });

  assert.equal((await fetch(`${base}/`)).status, 404);
  assert.equal((await fetch(`${base}/metrics`, { method: 'POST' })).status, 405);
  await service.stop();
  await assert.rejects(fetch(`${base}/metrics`), 'closed with the service');
});

test('a database that is down or slow affects only its own metrics', async () => {
  const metrics = openMetrics();
  const log = { debug() {} } as never;
  const answers = [
    () => Promise.resolve([[metrics.reviews.pending, 3]] as [never, number][]),
    () => Promise.reject(new Error('away')),
    () => new Promise<never>(() => {}),
  ];
  let nowMs = 0;
  refreshBeforeExposition(metrics, () => answers.shift()!(), log, { now: () => nowMs, waitMs: 1 });
  const read = async () => {
    const { value } = readExposition(await metrics.registry.expose());
    return [value('earmark_database_up'), value('earmark_review_queue_documents'), value('earmark_tokens_issued_total')];
  };
  assert.deepEqual(await read(), [1, 3, 0]);
  assert.deepEqual(await read(), [1, 3, 0], 'not queried again immediately');
  nowMs += 10_000;
  assert.deepEqual(await read(), [0, undefined, 0]);
  nowMs += 10_000;
  assert.deepEqual(await read(), [0, undefined, 0]);
});
