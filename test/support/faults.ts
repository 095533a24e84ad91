// Calls that write, and the answer of a service that cannot.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { amountOf } from './data.ts';
import { type Answer, assertPlainRefusal } from './http.ts';
import type { TestService } from './service.ts';

/** Opens two labels of a service, and calls that write. */
export async function openLabels(service: TestService) {
  const { customer, from, to } = await service.newLabels();
  const move = (key?: string) =>
    service.call('POST', '/label-reallocations', { body: service.reallocation(from, to, '1.00'), ...(key && { key }) });
  const label = (key?: string) => service.call('POST', `${customer}/labels`, { body: amountOf('1.00'), ...(key && { key }) });
  return { ...service, customer, from, to, move, label };
}

/** A connection of the test, separate from those of the service. */
export async function connectBeside(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}

export function assertUnavailable(answer: Answer): void {
  assertPlainRefusal(answer, 'unavailable');
  assert.match(answer.headers['retry-after']!, /^[1-9][0-9]*$/);
}
