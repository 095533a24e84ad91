// The specification, sentence by sentence and in its order: what the service does, and label reallocations.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, HAL } from './support/http.ts';
import { openLabels, startService } from './support/service.ts';

const uuidUrl = (base: string, path: string) => new RegExp(`^${base}/${path}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`);

// Shared by all tests of the file; each group has its own account.
const shared = await startService({ after });

/** For the rules of a reallocation. */
const service = await openLabels(shared);
const { call, from, to, reallocation } = service;

test('What the service does', async (t) => {
  const service = await openLabels(shared);
  const { call, from, to } = service;

  await t.test('Every request is authorised with an OAuth 2.0 access token.', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/customers'],
      ['GET', from],
      ['POST', '/label-reallocations'],
    ] as const) {
      assertRefused(await call(method, path, { token: undefined, ...(method === 'POST' && { body: {} }) }), {
        status: 401,
        code: 'InvalidAccessToken',
      });
    }
  });

  await t.test('An application obtains an application access token from its client credentials.', async () => {
    const token = await service.tokenOf(service.client);
    assert.equal((await call('GET', '/', { token })).status, 200);
  });

  await t.test('The token is used for calling customer-related endpoints.', async () => {
    assert.equal((await call('GET', service.customer)).status, 200);
  });

  await t.test('A label reallocation moves an amount of money from a source label to a destination label.', async () => {
    assert.equal((await call('POST', '/label-reallocations', { body: service.reallocation(from, to, '10.00') })).status, 201);
    assert.deepEqual((await call('GET', from)).body.amount, { value: '90.00', currency: 'USD' });
    assert.deepEqual((await call('GET', to)).body.amount, { value: '10.00', currency: 'USD' });
  });

  await t.test('Ledger entries are created for both labels.', async () => {
    const newest = async (label: string) => (await call('GET', `${label}/ledger-entries`)).body._embedded['ledger-entries'][0];
    const [left, arrived] = [await newest(from), await newest(to)];
    assert.deepEqual([left.amount.value, left.balance.value, left._links.label.href], ['-10.00', '90.00', from]);
    assert.deepEqual([arrived.amount.value, arrived.balance.value, arrived._links.label.href], ['10.00', '10.00', to]);
    assert.equal(left._links['label-reallocation'].href, arrived._links['label-reallocation'].href);
  });
});

test('Label reallocation: the creation request body', async (t) => {
  const service = await openLabels(shared);
  const { call, from, to, reallocation } = service;
  const whole = reallocation(from, to, '1.00');

  const without: Record<string, unknown> = {
    '_links.from.href': { ...whole, _links: { ...whole._links, from: {} } },
    '_links.to.href': { ...whole, _links: { ...whole._links, to: {} } },
    'amount.value': { ...whole, amount: { currency: 'USD' } },
    'amount.currency': { ...whole, amount: { value: '1.00' } },
  };
  for (const [field, body] of Object.entries(without)) {
    await t.test(`\`${field}\` is required.`, async () => {
      const before = await service.snapshot();
      const answer = await call('POST', '/label-reallocations', { body });
      assertRefused(answer, {
        status: 400,
        code: 'BadRequest',
        message: 'The request body contains bad syntax or is incomplete.',
      });
      assert.deepEqual(await service.snapshot(), before);
    });
  }

  await t.test('`amount.value` is a string, a decimal amount; `amount.currency` is a string, a currency code.', async () => {
    for (const [value, currency] of [
      [1, 'USD'],
      ['1.00', 840],
      [null, 'USD'],
      [{}, 'USD'],
    ]) {
      assertRefused(await call('POST', '/label-reallocations', { body: reallocation(from, to, value, currency) }), {
        status: 400,
        code: 'BadRequest',
      });
    }
    assertRefused(await call('POST', '/label-reallocations', { body: reallocation(from, to, 'one') }), {
      status: 400,
      code: 'ValidationError',
      path: '/amount/value',
    });
    assertRefused(await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00', 'XYZ') }), {
      status: 400,
      code: 'ValidationError',
      path: '/amount/currency',
    });
  });
});

test('Label reallocation: 1. A label is addressed as `{base_url}/labels/<label_id>`.', async () => {
  assert.match(from, uuidUrl(service.url, 'labels'));
  const id = from.split('/').at(-1)!;
  for (const href of [
    id,
    `/labels/${id}`,
    `http://elsewhere.example/labels/${id}`,
    `${service.url}/customers/${id}`,
    `${from}/`,
    `${from}?a=b`,
    `${service.url}/labels/7`,
    '',
  ]) {
    assertRefused(await call('POST', '/label-reallocations', { body: reallocation(href, to, '1.00') }), {
      status: 400,
      code: 'BadRequest',
    });
    assertRefused(await call('POST', '/label-reallocations', { body: reallocation(from, href, '1.00') }), {
      status: 400,
      code: 'BadRequest',
    });
  }
});

test('Label reallocation: 2. Both labels must belong to the same Verified Customer.', async () => {
  const before = await service.snapshot();
  const stranger = await service.newLabel(await service.newCustomer());
  const after = await service.snapshot();
  const answer = await call('POST', '/label-reallocations', { body: reallocation(from, stranger, '1.00') });
  assertRefused(answer, { status: 400, code: 'ValidationError', path: '/_links/to/href', fault: 'Invalid' });
  assert.notDeepEqual(after, before);
  assert.deepEqual(await service.snapshot(), after);

  const suspended = await service.newCustomer({ available: '5.00' });
  const [one, other] = [await service.newLabel(suspended, '5.00'), await service.newLabel(suspended)];
  assert.equal((await call('POST', suspended, { body: { status: 'suspended' } })).status, 200);
  assertRefused(await call('POST', '/label-reallocations', { body: reallocation(one, other, '1.00') }), {
    status: 400,
    code: 'ValidationError',
    path: '/_links/from/href',
  });
  assert.equal((await call('POST', suspended, { body: { status: 'reactivated' } })).status, 200);
  assert.equal((await call('POST', '/label-reallocations', { body: reallocation(one, other, '1.00') })).status, 201);
});

test('Label reallocation: 3. When the source label has insufficient funds, the reallocation does not succeed.', async () => {
  const before = await service.snapshot();
  const answer = await call('POST', '/label-reallocations', { body: reallocation(from, to, '100.01') });
  assertRefused(answer, {
    status: 400,
    code: 'ValidationError',
    fault: 'InsufficientFunds',
    path: '/amount/value',
    message: 'Insufficient funds: 100.00 USD available.',
  });
  assert.deepEqual(await service.snapshot(), before);
});

test('Label reallocation: 4. A successful reallocation creates ledger entries for both labels.', async () => {
  const made = await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
  const { _links } = (await call('GET', made.headers.location!)).body;
  assert.equal((await call('GET', _links['from-ledger-entry'].href)).body.amount.value, '-1.00');
  assert.equal((await call('GET', _links['to-ledger-entry'].href)).body.amount.value, '1.00');
});

test('Label reallocation: 5. A created reallocation is addressed as `{base_url}/label-reallocations/<reallocation_id>`, in the `Location` response header.', async () => {
  const made = await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
  assert.match(made.headers.location!, uuidUrl(service.url, 'label-reallocations'));
  const { body } = await call('GET', made.headers.location!);
  assert.equal(body._links.self.href, made.headers.location);
  assert.deepEqual([body._links.from.href, body._links.to.href, body.amount], [from, to, { value: '1.00', currency: 'USD' }]);
});

test('Error body: `code` and `message`, both strings.', async () => {
  const { call, nowhere } = shared;
  const { body } = await call('GET', nowhere('label'));
  assert.deepEqual(body, { code: 'NotFound', message: 'The requested resource was not found.' });
});

test('POST {base_url}/label-reallocations', async (t) => {
  const service = await openLabels(shared);
  const { call, from, to, reallocation } = service;

  await t.test('Success: the response is a created result and carries the `Location` header.', async () => {
    const answer = await call('POST', '/label-reallocations', {
      body: reallocation(from, to, '2.50'),
      headers: { 'content-type': HAL, accept: HAL },
    });
    assert.equal(answer.status, 201);
    assert.match(answer.headers.location!, uuidUrl(service.url, 'label-reallocations'));
    assert.equal(answer.text, '');
  });

  await t.test('`BadRequest`: body has bad syntax or is incomplete.', async () => {
    for (const raw of ['{', '', '[]', 'null', '"x"', '{}', '{"_links":{}}', '{"amount":{"value":"1","value":"2"}}']) {
      const answer = await call('POST', '/label-reallocations', { raw });
      assertRefused(answer, {
        status: 400,
        code: 'BadRequest',
        message: 'The request body contains bad syntax or is incomplete.',
      });
    }
  });

  await t.test('`Forbidden`: caller not authorised to create a label reallocation.', async () => {
    const before = await service.snapshot();
    const wanted = { status: 403, code: 'Forbidden', message: 'Not authorized to create label reallocation' };
    const reader = await service.newClient(['read'], service.client.account_id);
    assertRefused(
      await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00'), token: reader.token }),
      wanted,
    );
    const stranger = await service.newClient();
    assertRefused(
      await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00'), token: stranger.token }),
      wanted,
    );
    assert.deepEqual(await service.snapshot(), before);
  });

  await t.test('`NotFound`: a referenced label does not exist.', async () => {
    const missing = { status: 404, code: 'NotFound', message: 'Label not found' };
    const nowhere = service.nowhere('label');
    assertRefused(await call('POST', '/label-reallocations', { body: reallocation(nowhere, to, '1.00') }), missing);
    assertRefused(await call('POST', '/label-reallocations', { body: reallocation(from, nowhere, '1.00') }), missing);
  });
});
