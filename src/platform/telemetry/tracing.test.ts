// Tests of traces against an OTLP collector: of requests, batches and webhooks, and off by default.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { reallocation } from '../../../test/support/data.ts';
import type { Answer } from '../../../test/support/http.ts';
import { sendWhileLocked } from '../../../test/support/locked-label.ts';
import { readExposition } from '../../../test/support/prometheus.ts';
import { startService } from '../../../test/support/service.ts';
import { type CollectedSpan, startCollector } from '../../../test/support/trace-collector.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { openExporter } from './otlp.ts';
import { openRegistry } from './registry.ts';
import { readTraceparent } from './trace.ts';

const SERVER = 2;
const CLIENT = 3;
const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** The service samples only requests whose caller does. */
const calm = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0', OTEL_SERVICE_NAME: 'payments' });

test('traces a reallocation through its batch', async () => {
  const { service, collector, from, to, follow } = calm;
  const { answer, traceId, callerId, spans } = await follow(
    ['POST /label-reallocations', 'wait for batch', 'commit'],
    'POST',
    '/label-reallocations',
    { body: reallocation(from, to, '1.00') },
  );
  const [request, wait, commit] = spans as [CollectedSpan, CollectedSpan, CollectedSpan];
  assert.equal(answer.status, 201);
  assert.deepEqual([request.kind, request.parentSpanId, request.failed], [SERVER, callerId, false]);
  assert.deepEqual(request.attributes, {
    'http.request.method': 'POST',
    'http.route': '/label-reallocations',
    'http.response.status_code': 201,
    'earmark.request_id': answer.headers['x-request-id'],
    'earmark.application': service.client.client_id,
    'earmark.batch_size': 1,
    'earmark.event_id': (await eventOf(answer)).id,
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
});

test('traces a refusal without marking it as failed, and names no event', async () => {
  const { from, to, follow } = calm;
  const { spans } = await follow(['POST /label-reallocations', 'commit'], 'POST', '/label-reallocations', {
    body: reallocation(from, to, '99.00'),
  });
  const { attributes, failed } = spans[0]!;
  assert.deepEqual(
    [attributes['error.type'], attributes['earmark.fault'], attributes['earmark.event_id'], failed],
    ['ValidationError', 'InsufficientFunds', undefined, false],
  );
});

test('follows the sampling decision of the caller, otherwise the ratio', async () => {
  const { service, collector, from, to, follow } = calm;
  const before = collector.spans.length;
  for (const traceparent of [`00-${hex(16)}-${hex(8)}-00`, 'nothing', '']) {
    const body = reallocation(from, to, '1.00');
    assert.equal((await service.call('POST', '/label-reallocations', { body, headers: { traceparent } })).status, 201);
  }
  // Spans that are exported later would have arrived with the next one.
  await follow(['GET /labels/:id'], 'GET', from, {});
  assert.equal(collector.spans.length, before + 1);
});

test('sends the headers of the collector, and does not log them', () => {
  const { headers } = calm.collector;
  assert.deepEqual([headers[0]!['x-key'], headers[0]!['x-other']], ['a key', 'b']);
  assert.ok(!calm.service.logs.join('').includes('a key'));
});

test('exports the remaining spans at the end', async () => {
  const { service, collector, from } = calm;
  const traceId = hex(16);
  await service.call('GET', from, { headers: { traceparent: `00-${traceId}-${hex(8)}-01` } });
  await service.stop();
  assert.equal(collector.spans.filter((span) => span.traceId === traceId).length, 1);
});

test('the spans of a request and of its webhooks name the same events', async (t) => {
  const { service, collector, customer, follow } = await startTraced({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  const receiver = await startReceiver(t, (response, { body }) => {
    response.statusCode = body.topic === 'customer_label_created' ? 500 : 200;
    response.end();
  });
  const body = { url: receiver.url, secret: randomUUID() };
  assert.equal((await service.call('POST', '/webhook-subscriptions', { body })).status, 201);
  const amount = { value: '1.00', currency: 'USD' };
  const { answer, traceId, spans } = await follow(['POST /customers/:id/labels'], 'POST', `${customer}/labels`, {
    body: { amount },
  });
  assert.equal(answer.status, 201);
  const eventIds = String(spans[0]!.attributes['earmark.event_id']).split(' ');
  assert.equal(eventIds.length, 2, 'a label and its funding');
  const deliveryOf = (id: string) =>
    collector.spans.find(({ name, attributes }) => name.startsWith('webhook ') && attributes['earmark.event_id'] === id);
  await waitUntil('the deliveries are exported', () => eventIds.every(deliveryOf));
  const [created, funded] = eventIds.map((id) => deliveryOf(id)!) as [CollectedSpan, CollectedSpan];
  assert.deepEqual([created.name, created.failed], ['webhook customer_label_created', true]);
  assert.deepEqual([funded.name, funded.failed], ['webhook customer_label_ledger_entry_created', false]);
  assert.deepEqual([funded.kind, funded.parentSpanId, funded.attributes['http.response.status_code']], [CLIENT, undefined, 200]);
  assert.notEqual(funded.traceId, traceId, 'a delivery is a separate trace');
  const sent = receiver.received.find(({ body }) => body.topic === 'customer_label_ledger_entry_created')!;
  assert.equal(sent.headers.traceparent, `00-${funded.traceId}-${funded.spanId}-01`);
});

test('with the ratio 1 every request starts a trace', async () => {
  const { service, collector, from, to } = await startTraced({});
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
  const root = join(import.meta.dirname, '../..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const importing = (name: string) =>
    files.filter((file) => new RegExp(`^import [^;]*/${name}.ts';$`, 'm').test(readFileSync(join(root, file), 'utf8')));
  assert.deepEqual(importing('tracing'), []);
  assert.deepEqual(importing('otlp'), ['platform/telemetry/tracing.ts']);
});

/** Starts a service with a collector, and a customer with two labels. */
async function startTraced(env: Record<string, string>) {
  const collector = await startCollector({ after });
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20key, x-other=b',
    ...env,
  };
  // The requests share a batch.
  const service = await startService({ after }, { env: settings, processes: 1 });
  const customer = await service.newCustomer({ available: '100.00' });
  const [from, to] = [await service.newLabel(customer, '50.00'), await service.newLabel(customer)];

  /** Makes a call in a new trace and waits for its spans with these names. */
  async function follow(names: string[], method: string, path: string, options: Parameters<typeof service.call>[2]) {
    const [traceId, callerId] = [hex(16), hex(8)];
    const named = (name: string) => collector.spans.find((span) => span.traceId === traceId && span.name === name);
    const answer = await service.call(method, path, { ...options, headers: { traceparent: `00-${traceId}-${callerId}-01` } });
    await waitUntil(`the spans ${names} arrive`, () => names.every(named));
    return { answer, traceId, callerId, spans: names.map((name) => named(name)!) };
  }
  return { service, collector, customer, from, to, follow };
}

/** The event that reports what a request created. */
async function eventOf({ headers }: Answer): Promise<{ id: string }> {
  const id = headers.location!.slice(-36);
  const { body } = await calm.service.call('GET', `/events?resourceId=${id}`);
  return body._embedded.events[0];
}
