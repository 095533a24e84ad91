// Bounds of the interface (§1) under hostile requests: faults, arrays and CPU time.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Document } from './support/contract.ts';
import { customerForm } from './support/data.ts';
import { assertRefused, HAL } from './support/http.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';

const KIB = 1024;
/** A request of the largest size takes at most twenty milliseconds; a quadratic step would take more than a hundred. */
const CPU_MAX_MS = 80;
const FAULTS_MAX = 50;

const bad = { status: 400, code: 'ValidationError' };

const service = await startService({ after });
const document: Document = (await service.send('GET', '/openapi.json')).body;
const customer = await service.newCustomer();

test('reports at most 50 faults, and bounds every array of a request', async () => {
  const { call } = service;
  const many = Array.from({ length: 10_000 }, (_, n) => n.toString(36));
  const greedy = { url: 'https://example.com/', secret: 'a secret', topics: many };
  const send = () => call('POST', '/webhook-subscriptions', { body: greedy });
  // The first one of a process takes longer.
  await send();
  const answer = await quick('topics', send);
  assertRefused(answer, bad);
  assert.equal(answer.body._embedded.errors.length, FAULTS_MAX);
  assert.ok(answer.text.length < 128 * KIB, `${answer.text.length} characters`);
  const query = Array.from({ length: 2000 }, (_, n) => `x${n}=1`).join('&');
  assert.equal((await call('GET', `/customers?${query}`)).body._embedded.errors.length, FAULTS_MAX);

  const bodies = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map((operation) => Object(operation).requestBody),
  );
  const arrays = schemasIn(bodies).filter(({ type }) => type === 'array');
  assert.ok(arrays.length >= 2);
  for (const array of arrays) assert.equal(typeof array.maxItems, 'number', JSON.stringify(array));
});

test('takes linear time for every header and every member of a body', async () => {
  const { call, port, token } = service;
  const spaces = ' '.repeat(14_000);
  const pumped = [
    spaces,
    'a'.repeat(14_000),
    `${'a='.repeat(7000)}`,
    `"${'\\'.repeat(14_000)}`,
    ',;'.repeat(7000),
    '=";'.repeat(4600),
  ];
  const headers: [name: string, prefix: string][] = [
    ['Content-Type', 'application/json; charset='],
    ['Content-Type', 'application/json; a="'],
    ['Content-Type', 'multipart/form-data; boundary='],
    ['Accept', `${HAL};a="`],
    ['Accept', 'text/html, '],
    ['If-None-Match', 'W/"'],
    ['Idempotency-Key', '"'],
    ['X-Request-Id', '0'],
    ['traceparent', '00-'],
    ['Content-Encoding', 'identity'],
    ['X-Forwarded-For', '127.0.0.1,'],
    ['Authorization', 'Bearer '],
    ['Authorization', 'Basic '],
  ];
  for (const [name, prefix] of headers) {
    for (const pump of pumped) {
      for (const path of ['/label-reallocations', '/token', `${new URL(customer).pathname}/documents`]) {
        const lines = [
          `POST ${path} HTTP/1.1`,
          'Host: localhost',
          'Connection: close',
          'Content-Length: 2',
          `${name}: ${prefix}${pump}"b"c`,
        ];
        if (name !== 'Authorization') lines.push(`Authorization: Bearer ${token}`);
        if (name !== 'Content-Type') lines.push('Content-Type: application/json');
        const [answer] = await quick(`${name}: ${prefix}${pump.slice(0, 8)}`, () =>
          sendBytes(port, `${lines.join('\r\n')}\r\n\r\n{}`),
        );
        assert.ok(answer!.status >= 400 && answer!.status < 500, answer!.text);
      }
    }
  }
  const members = ['firstName', 'email', 'phone', 'website', 'postalCode', 'ipAddress', 'type'];
  const prefixes = ['', 'a@', 'https://'];
  for (const member of members) {
    for (const prefix of prefixes) {
      for (const unit of [' ', 'a', '0', '-', 'a.', 'a@', '0-', '%']) {
        const value = `${prefix}${unit.repeat((60 * KIB) / unit.length)}\n!`;
        const body = { ...customerForm(), [member]: value };
        const { status } = await quick(`${member}: ${prefix}${unit}`, () => call('POST', '/customers', { body }));
        assert.equal(status, 400, member);
      }
    }
  }
});

/** Awaits work of the service, which runs in this process, and checks its CPU time against the limit. */
async function quick<T>(what: string, work: () => Promise<T>): Promise<T> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  assert.ok((user + system) / 1000 < CPU_MAX_MS, `${what} takes ${(user + system) / 1000} ms`);
  return result;
}

/** All schemas within a part of the document, including those it refers to. */
function schemasIn(part: unknown, seen = new Set<unknown>()): Record<string, unknown>[] {
  if (part === null || typeof part !== 'object' || seen.has(part)) return [];
  seen.add(part);
  const { $ref } = part as { $ref?: string };
  const names = $ref?.split('/').slice(1) ?? [];
  const target = names.reduce((node: unknown, name) => (node as Record<string, unknown>)[name], document as unknown);
  const inside = $ref === undefined ? Object.values(part) : [target];
  return [part as Record<string, unknown>, ...inside.flatMap((one) => schemasIn(one, seen))];
}
