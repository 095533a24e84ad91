// Tests of the root resource and of accounts over HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, HAL } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

const link = (href: string, type: string) => ({ href, type: HAL, 'resource-type': type });

test('the root links to every collection, whatever the scopes of the token', async (t) => {
  const { call, url, client, newClient } = await startService(t);
  const { status, body, headers } = await call('GET', '/');
  assert.equal(status, 200);
  assert.deepEqual(body, {
    _links: {
      account: link(`${url}/accounts/${client.account_id}`, 'account'),
      customers: link(`${url}/customers`, 'customer'),
      events: link(`${url}/events`, 'event'),
      'webhook-subscriptions': link(`${url}/webhook-subscriptions`, 'webhook-subscription'),
      openapi: { href: `${url}/openapi.json`, type: 'application/json' },
    },
  });
  assert.ok(headers.etag);
  const funds = await newClient(['funds'], client.account_id);
  assert.deepEqual((await call('GET', '/', { token: funds.token })).body, body);
  const stranger = await newClient();
  assert.equal(
    (await call('GET', '/', { token: stranger.token })).body._links.account.href,
    `${url}/accounts/${stranger.account_id}`,
  );
  assertRefused(await call('GET', '/', { token: undefined }), { status: 401, code: 'InvalidAccessToken' });
  assert.equal((await call('GET', body._links.customers.href)).status, 200);
  assert.equal((await call('GET', body._links.openapi.href)).body.openapi, '3.1.0');
});

test('links start with PUBLIC_URL', async (t) => {
  const { call, client } = await startService(t, { env: { PUBLIC_URL: 'https://pay.example.com/' } });
  const { account } = (await call('GET', '/', { headers: { host: 'elsewhere.example' } })).body._links;
  assert.equal(account.href, `https://pay.example.com/accounts/${client.account_id}`);
});

test('an account is readable only by its own applications', async (t) => {
  const { call, url, client, newClient, nowhere } = await startService(t);
  const own = `${url}/accounts/${client.account_id}`;
  const { created, log, ...account } = (await call('GET', own)).body;
  assert.deepEqual(Object.keys(log), ['origin', 'key']);
  assert.deepEqual(account, {
    _links: { self: link(own, 'account'), customers: link(`${url}/customers`, 'customer') },
    id: client.account_id,
    name: 'Test',
  });
  assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const reader = await newClient(['read'], client.account_id);
  assert.equal((await call('GET', own, { token: reader.token })).status, 200);

  const forbidden = { status: 403, code: 'Forbidden', message: 'The supplied credentials are not authorized for this resource.' };
  assertRefused(await call('GET', own, { token: (await newClient()).token }), forbidden);
  assertRefused(
    await call('GET', own, { token: (await newClient(['write', 'funds', 'review'], client.account_id)).token }),
    forbidden,
  );
  const missing = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };
  for (const none of [nowhere('account'), `${url}/accounts/1`, `${url}/accounts/${client.account_id.toUpperCase()}`]) {
    assertRefused(await call('GET', none), missing);
  }
  assertRefused(await call('DELETE', own), { status: 405, code: 'MethodNotAllowed' });
});
