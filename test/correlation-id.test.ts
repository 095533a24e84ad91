// Correlation ids: stored on each kind of record that takes one, returned, and searchable in lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customerForm } from './support/data.ts';
import { assertRefused, type Body } from './support/http.ts';
import { startService } from './support/service.ts';

const amount = { value: '5.00', currency: 'USD' };

test('stores, returns and searches correlation ids', async (t) => {
  const { call, newCustomer, newLabel, reallocation } = await startService(t);
  const customer = await newCustomer({ available: '1000.00' });
  const [from, to] = [await newLabel(customer, '100.00'), await newLabel(customer)];
  const kinds = [
    { path: '/customers', body: customerForm(), list: '/customers' },
    { path: `${customer}/labels`, body: { amount, name: 'Tax' }, list: `${customer}/labels` },
    { path: '/label-reallocations', body: reallocation(from, to, '5.00'), list: `${customer}/label-reallocations` },
    { path: `${customer}/deposits`, body: { amount } },
    { path: `${customer}/withdrawals`, body: { amount } },
  ];
  for (const { path, body, list } of kinds) {
    const correlationId = `${path.split('/').at(-1)} 7/ü`;
    const plain = (await call('POST', path, { body })).headers.location!;
    const made = (await call('POST', path, { body: { ...body, correlationId } })).headers.location!;
    assert.equal((await call('GET', made)).body.correlationId, correlationId, path);
    assert.equal('correlationId' in (await call('GET', plain)).body, false, path);
    // The customer forms treat an empty optional member as absent.
    for (const refused of [...(path === '/customers' ? [] : ['']), 'x'.repeat(256), 'line\nbreak']) {
      const answer = await call('POST', path, { body: { ...body, correlationId: refused } });
      assertRefused(answer, { status: 400, code: 'ValidationError', path: '/correlationId' });
    }
    if (!list) continue;
    const found = await call('GET', `${list}?limit=1&correlationId=${encodeURIComponent(correlationId)}`);
    const elements = Object.values(found.body._embedded)[0] as Body[];
    assert.deepEqual([elements.map((one) => one._links.self.href), found.body.total], [[made], 1], path);
    assert.match(found.body._links.self.href, /correlationId=/);
  }
});
