// An OTLP/HTTP trace collector on loopback that checks the format and collects spans.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestScope } from './test-scope.ts';

export type CollectedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  beganNs: bigint;
  endedNs: bigint;
  attributes: Record<string, string | number>;
  links: { traceId: string; spanId: string }[];
  failed: boolean;
  service: Record<string, string | number>;
};

// biome-ignore lint/suspicious/noExplicitAny: what it must be is asserted
type Json = any;
type Attribute = { key: string; value: { stringValue?: string; intValue?: string } };

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const ERROR = 2;

/** Starts a collector. It answers with `statuses` first, then with 200. */
export async function startCollector(t: TestScope, statuses: number[] = []) {
  const spans: CollectedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    headers.push(request.headers);
    const status = statuses.shift() ?? 200;
    if (status === 200) {
      assert.equal(`${request.method} ${request.url}`, 'POST /v1/traces');
      spans.push(...readSpans(JSON.parse(Buffer.concat(chunks).toString())));
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, spans, headers };
}

function readSpans(request: Json): CollectedSpan[] {
  return request.resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ scope, spans }: Json) => {
      assert.ok(scope.name && scope.version);
      return spans.map((span: Json) => readSpan(span, read(resource.attributes)));
    }),
  );
}

function readSpan(span: Json, service: Record<string, string | number>): CollectedSpan {
  for (const { traceId, spanId } of [span, ...(span.links ?? [])]) {
    assert.match(traceId, TRACE_ID);
    assert.match(spanId, SPAN_ID);
  }
  if (span.parentSpanId !== undefined) assert.match(span.parentSpanId, SPAN_ID);
  const [beganNs, endedNs] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
  assert.ok(beganNs <= endedNs && Math.abs(Number(endedNs / 1_000_000n) - Date.now()) < 600_000, 'times are current');
  assert.ok(span.name && span.kind >= 1 && span.kind <= 5);
  const { traceId, spanId, parentSpanId, name, kind } = span;
  const attributes = read(span.attributes);
  const links = span.links ?? [];
  const failed = span.status.code === ERROR;
  return { traceId, spanId, parentSpanId, name, kind, beganNs, endedNs, attributes, links, failed, service };
}

function read(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? Number(intValue ?? assert.fail(key))]),
  );
}
