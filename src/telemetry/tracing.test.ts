// Tests of traces against an OTLP collector: from a caller's traceparent through the batch to the webhook, and off by default.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { reallocation } from '../../test/support/data.ts';
import { sendWhileLocked } from '../../test/support/locked-label.ts';
import { runCli, settingsOf } from '../../test/support/process.ts';
import { readExposition } from '../../test/support/prometheus.ts';
import { startService } from '../../test/support/service.ts';
import { type CollectedSpan, startCollector } from '../../test/support/trace-collector.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { startReceiver } from '../../test/support/webhooks.ts';
import { newId } from '../ids.ts';
import { openExporter } from './otlp.ts';
import { openRegistry } from './registry.ts';
import { readTraceparent } from './trace.ts';

const SERVER = 2;
const CLIENT = 3;
const hex = (bytes: number) => randomBytes(bytes).toString('hex');

test('traces a request through its batch to its webhook', async (t) => {
  const collector = await startCollector(t);
  const service = await startService(t, {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20key, x-other=b',
      OTEL_SERVICE_NAME: 'payments',
      OTEL_TRACES_SAMPLER_ARG: '0',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  });
  const { call } = service;
  const receiver = await startReceiver(t, (response, { body }) => {
    response.statusCode = body.topic === 'customer_deposit_created' ? 500 : 200;
    response.end();
  });
  const customer = await service.newCustomer({ available: '100.00' });
  const [from, to] = [await service.newLabel(customer, '50.00'), await service.newLabel(customer)];
  const secret = randomUUID();
  const subscription = await call('POST', '/webhook-subscriptions', { body: { url: receiver.url, secret } });
  assert.equal(subscription.status, 201);

  const traced = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string, traceId: string) => traced(traceId).find((span) => span.name === name);
  /** Makes a call in a new trace and waits for its spans with these names. */
  const follow = async (names: string[], method: string, path: string, options: Parameters<typeof call>[2]) => {
    const [traceId, callerId] = [hex(16), hex(8)];
    const headers = { traceparent: `00-${traceId}-${callerId}-01` };
    const answer = await call(method, path, { ...options, headers });
    await waitUntil(`the spans ${names} arrive`, () => names.every((name) => named(name, traceId)));
    return { answer, traceId, callerId, spans: names.map((name) => named(name, traceId)!) };
  };

  await t.test('traces a reallocation', async () => {
    const { answer, traceId, callerId, spans } = await follow(
      ['POST /label-reallocations', 'wait for batch', 'commit', 'webhook customer_label_reallocation_created'],
      'POST',
      '/label-reallocations',
      { body: reallocation(from, to, '1.00') },
    );
    const [request, wait, commit, webhook] = spans as [CollectedSpan, CollectedSpan, CollectedSpan, CollectedSpan];
    assert.equal(answer.status, 201);
    assert.deepEqual([request.kind, request.parentSpanId, request.failed], [SERVER, callerId, false]);
    assert.deepEqual(request.attributes, {
      'http.request.method': 'POST',
      'http.route': '/label-reallocations',
      'http.response.status_code': 201,
      'earmark.request_id': answer.headers['x-request-id'],
      'earmark.application': service.client.client_id,
      'earmark.batch_size': 1,
    });
    assert.equal(request.service['service.name'], 'payments');

    const batch = collector.spans.find(
      ({ name, links }) => name === 'batch' && links.some(({ spanId }) => spanId === request.spanId),
    )!;
    assert.notEqual(batch.traceId, traceId, 'a batch belongs to many requests');
    assert.deepEqual(batch.links, [{ traceId, spanId: request.spanId }]);
    for (const part of [wait, commit]) {
      assert.equal(part.parentSpanId, request.spanId);
      assert.deepEqual(part.links, [{ traceId: batch.traceId, spanId: batch.spanId }]);
    }
    assert.ok(request.beganNs <= wait.beganNs && wait.endedNs <= commit.beganNs && commit.endedNs <= request.endedNs);
    const posted = collector.spans.find(({ parentSpanId }) => parentSpanId === batch.spanId)!;
    assert.deepEqual([posted.name, posted.kind, posted.traceId], ['post_transfers', CLIENT, batch.traceId]);

    const delivered = receiver.received.find(({ body }) => body.topic === 'customer_label_reallocation_created')!;
    assert.deepEqual([webhook.kind, webhook.parentSpanId, webhook.failed], [CLIENT, request.spanId, false]);
    assert.equal(delivered.headers.traceparent, `00-${traceId}-${webhook.spanId}-01`);
    assert.equal(webhook.attributes['http.response.status_code'], 200);
  });

  await t.test('traces a write without a batch, and a refused webhook', async () => {
    const person = { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com' };
    const body = { amount: { value: '1.00', currency: 'USD' } };
    const funded = ['webhook customer_label_ledger_entry_created', 'webhook customer_label_created'];
    const [{ spans }] = await Promise.all([
      follow(['webhook customer_deposit_created', 'commit'], 'POST', `${customer}/deposits`, { body }),
      follow(['webhook customer_created'], 'POST', '/customers', { body: person }),
      follow(funded, 'POST', `${customer}/labels`, { body }),
    ]);
    assert.equal(spans[0]!.failed, true);
  });

  await t.test('traces a refusal without marking it as failed', async () => {
    const { spans } = await follow(['POST /label-reallocations', 'commit'], 'POST', '/label-reallocations', {
      body: reallocation(from, to, '99.00'),
    });
    const { attributes, failed } = spans[0]!;
    assert.deepEqual(
      [attributes['error.type'], attributes['earmark.fault'], failed],
      ['ValidationError', 'InsufficientFunds', false],
    );
  });

  await t.test('follows the sampling decision of the caller, otherwise the ratio, and stores nothing for the rest', async () => {
    const [kept] = await service.sql<{ traces: number }>`select count(*)::int as traces from event_trace`;
    const before = collector.spans.length;
    const traceId = hex(16);
    for (const traceparent of [`00-${traceId}-${hex(8)}-00`, 'nothing', '']) {
      const body = reallocation(from, to, '1.00');
      assert.equal((await call('POST', '/label-reallocations', { body, headers: { traceparent } })).status, 201);
    }
    const others = 3;
    const reallocations = () => receiver.received.filter(({ body }) => body.topic === 'customer_label_reallocation_created');
    await waitUntil('the spans are exported', () => reallocations().length === 1 + others);
    assert.ok(
      reallocations()
        .slice(1)
        .every(({ headers }) => headers.traceparent === undefined),
    );
    const [now] = await service.sql<{ traces: number }>`select count(*)::int as traces from event_trace`;
    assert.deepEqual(now, kept);
    // Spans that are exported later would have arrived by now.
    await follow(['GET /labels/:id'], 'GET', from, {});
    assert.equal(collector.spans.length, before + 1);
  });

  await t.test('sends the headers of the collector, and does not log them', () => {
    assert.deepEqual([collector.headers[0]!['x-key'], collector.headers[0]!['x-other']], ['a key', 'b']);
    assert.ok(!service.logs.join('').includes('a key'));
  });

  await t.test('deletes the traces of the day before', async () => {
    const [row] = await service.sql<{ traces: number }>`select count(*)::int as traces from event_trace`;
    const old = newId(7);
    await service.sql`
      insert into event_trace (bucket, event_id, traceparent, created) values (7, ${old}, 'x', now() - interval '2 days')`;
    const { stdout } = await runCli(t, ['jobs', 'run', 'prune-traces', '--json'], settingsOf(service));
    assert.deepEqual(JSON.parse(stdout), { deleted: 1 });
    assert.deepEqual(await service.sql`select count(*)::int as traces from event_trace`, [row]);
  });

  await t.test('exports the remaining spans at the end', async () => {
    const [traceId] = [hex(16)];
    await call('GET', from, { headers: { traceparent: `00-${traceId}-${hex(8)}-01` } });
    await service.stop();
    assert.equal(traced(traceId).length, 1);
  });
});

test('with the ratio 1 every request starts a trace', async (t) => {
  const collector = await startCollector(t);
  const service = await startService(t, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } });
  const customer = await service.newCustomer({ available: '10.00' });
  const [from, to] = [await service.newLabel(customer, '10.00'), await service.newLabel(customer)];
  const body = reallocation(from, to, '0.01');
  await sendWhileLocked(service, from, () =>
    Array.from({ length: 20 }, () => service.call('POST', '/label-reallocations', { body })),
  );
  await service.stop();
  const requests = collector.spans.filter(({ name }) => name === 'POST /label-reallocations');
  assert.deepEqual([requests.length, new Set(requests.map(({ traceId }) => traceId)).size], [20, 20]);
  assert.ok(requests.every(({ parentSpanId }) => parentSpanId === undefined));
  const batches = collector.spans.filter(({ name }) => name === 'batch');
  const linked = batches.flatMap(({ links }) => links.map(({ spanId }) => spanId));
  assert.ok(requests.every(({ spanId }) => linked.includes(spanId)));
  assert.ok(batches.some(({ links }) => links.length > 1));
});

test('a collector that refuses, is briefly down, or is too slow loses only spans', async (t) => {
  const collector = await startCollector(t, [400, 503]);
  const registry = openRegistry();
  const warnings: unknown[] = [];
  const log = { warn: (warning: unknown) => warnings.push(warning) } as never;
  const config = { url: `${collector.endpoint}/v1/traces`, headers: {}, serviceName: 'x', ratio: 1 };
  const exporter = openExporter(config, { registry, log });
  const add = (count: number) => {
    for (let n = 0; n < count; n++) {
      exporter.add({ traceId: hex(16), spanId: hex(8), name: 'n', kind: 'internal', beganMs: 0, endedMs: performance.now() });
    }
  };
  const counts = async () => {
    const { value } = readExposition(await registry.expose());
    return [value('earmark_spans_exported_total'), value('earmark_spans_dropped_total')];
  };
  add(512);
  await waitUntil('the excess spans are dropped', async () => (await counts())[1] === 512);
  assert.deepEqual(warnings, [{ reason: 'status 400', spans: 512 }]);
  // Of many spans at a time 512 are in flight and 8192 wait.
  add(10_000);
  assert.deepEqual(await counts(), [0, 512 + 10_000 - 8_704]);
  await waitUntil('the spans are sent, the first after a retry', async () => (await counts())[0] === 8_704);
  assert.equal(collector.spans.length, 8_704);
  await exporter.close();
});

test('reads traceparent as W3C Trace Context defines it', () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const context = { traceId: trace, spanId: span };
  assert.deepEqual(readTraceparent(`00-${trace}-${span}-01`), { context, sampled: true });
  assert.deepEqual(readTraceparent(`00-${trace}-${span}-02`), { context, sampled: false });
  assert.deepEqual(readTraceparent(`cc-${trace}-${span}-03-more`), { context, sampled: true });
  const zero = (digits: number) => '0'.repeat(digits);
  const wrong = [
    ...[undefined, '', trace, `00-${trace}-${span}`, `00-${trace}-${span}-1`, `00-${trace}-${span}-01-more`],
    ...[`ff-${trace}-${span}-01`, `00-${zero(32)}-${span}-01`, `00-${trace}-${zero(16)}-01`],
    ...[`00-${trace.toUpperCase()}-${span}-01`, ` 00-${trace}-${span}-01`, `00-${trace}-${span}-01\n`],
  ];
  for (const text of wrong) assert.equal(readTraceparent(text), undefined, String(text));
});

test('loads no module of tracing when it is off', () => {
  const root = join(import.meta.dirname, '..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const importing = (name: string) =>
    files.filter((file) => new RegExp(`^import [^;]*/${name}.ts';$`, 'm').test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(importing('tracing'), []);
  assert.deepEqual(importing('otlp'), ['telemetry/tracing.ts']);
});
