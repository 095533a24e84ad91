// Tests of the sandbox data: a business with money, labels, and owners of whom one needs a document.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Body } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { readCredentials } from './credentials.ts';

test('the customer is a verified LLC with a verified owner and one that needs a document', async (t) => {
  const service = await startService(t);
  const sandbox = readCredentials(join(service.dataDir, 'sandbox.json'))!;
  const token = await service.tokenOf(sandbox);
  const get = async (url: string): Promise<Body> => (await service.call('GET', url, { token })).body;
  const customer = await get(sandbox.customer);
  assert.deepEqual([customer.type, customer.businessType, customer.status], ['business', 'llc', 'verified']);
  assert.equal(customer.controller.title, 'Director');
  const { _embedded, total } = await get(customer._links['beneficial-owners'].href);
  const owners: Body[] = _embedded['beneficial-owners'];
  assert.deepEqual([total, owners.map((owner) => owner.verificationStatus).sort()], [2, ['document', 'verified']]);
  for (const { verificationStatus, _links } of owners) {
    assert.equal('verify-with-document' in _links, verificationStatus === 'document');
    assert.equal((await get(_links.documents.href)).total, 0);
  }
  const certification = await service.call('POST', customer._links['certify-beneficial-ownership'].href, {
    token,
    body: { status: 'certified' },
  });
  assert.equal(certification.body.status, 'certified', certification.text);
  assert.ok(!('certify-beneficial-ownership' in (await get(sandbox.customer))._links));
  const { body } = await service.call('GET', '/events?order=oldest', { token });
  const topics: string[] = body._embedded.events.map((event: Body) => event.topic);
  assert.equal(topics.filter((topic) => topic === 'customer_beneficial_owner_created').length, 2);
});
