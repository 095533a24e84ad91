// The specification, sentence by sentence and in its order: authentication and label reallocations.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertRefused, HAL } from './support/http.ts';
import { startService } from './support/service.ts';

const uuidUrl = (base: string, path: string) => new RegExp(`^${base}/${path}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`);

/** A service with a customer that has a label with 100.00 USD and an empty one. */
async function withLabels(t: TestContext) {
  const service = await startService(t);
  const customer = await service.newCustomer({ available: '500.00' });
  const [from, to] = [await service.newLabel(customer, '100.00'), await service.newLabel(customer)];
  return { ...service, customer, from, to };
}

test('What the service does', async (t) => {
  const service = await withLabels(t);
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
  const service = await withLabels(t);
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

  await t.test('1. A label is addressed as `{base_url}/labels/<label_id>`.', async () => {
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

  await t.test('2. Both labels must belong to the same Verified Customer.', async () => {
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

  await t.test('3. When the source label has insufficient funds, the reallocation does not succeed.', async () => {
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

  await t.test('4. A successful reallocation creates ledger entries for both labels.', async () => {
    const made = await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
    const { _links } = (await call('GET', made.headers.location!)).body;
    assert.equal((await call('GET', _links['from-ledger-entry'].href)).body.amount.value, '-1.00');
    assert.equal((await call('GET', _links['to-ledger-entry'].href)).body.amount.value, '1.00');
  });

  await t.test(
    '5. A created reallocation is addressed as `{base_url}/label-reallocations/<reallocation_id>`, in the `Location` response header.',
    async () => {
      const made = await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
      assert.match(made.headers.location!, uuidUrl(service.url, 'label-reallocations'));
      const { body } = await call('GET', made.headers.location!);
      assert.equal(body._links.self.href, made.headers.location);
      assert.deepEqual([body._links.from.href, body._links.to.href, body.amount], [from, to, { value: '1.00', currency: 'USD' }]);
    },
  );
});

test('Error body: `code` and `message`, both strings.', async (t) => {
  const { call, nowhere } = await startService(t);
  const { body } = await call('GET', nowhere('label'));
  assert.deepEqual(body, { code: 'NotFound', message: 'The requested resource was not found.' });
});

test('POST {base_url}/token', async (t) => {
  const service = await startService(t);
  const { client_id, client_secret } = service.client;
  const basic = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;

  await t.test(
    'Request headers `Authorization: Basic` and `Content-Type: application/x-www-form-urlencoded`; body parameter `grant_type=client_credentials`.',
    async () => {
      const answer = await service.send('POST', '/token', {
        form: 'grant_type=client_credentials',
        headers: { authorization: basic },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.token_type, 'Bearer');
      assert.equal((await service.call('GET', '/', { token: answer.body.access_token })).status, 200);
    },
  );

  await t.test('Body `client_id` (application key), `client_secret` (application secret), `grant_type`.', async () => {
    const form = new URLSearchParams({ client_id, client_secret, grant_type: 'client_credentials' }).toString();
    assert.equal((await service.send('POST', '/token', { form })).status, 200);
    assert.equal((await service.send('POST', '/token', { form, headers: { authorization: basic } })).status, 200);
  });

  await t.test('`grant_type` must be `client_credentials`.', async () => {
    for (const form of ['grant_type=password', 'grant_type=', '']) {
      const answer = await service.send('POST', '/token', { form, headers: { authorization: basic } });
      assert.equal(answer.status, 400);
      assert.match(answer.body.error, /unsupported_grant_type|invalid_request/);
    }
  });

  await t.test("A secret that is not the application's gets no token.", async () => {
    const form = new URLSearchParams({ client_id, client_secret: 'wrong', grant_type: 'client_credentials' }).toString();
    const answer = await service.send('POST', '/token', { form });
    assert.deepEqual([answer.status, answer.body.error, answer.body.access_token], [401, 'invalid_client', undefined]);
  });
});

test('POST {base_url}/label-reallocations', async (t) => {
  const service = await withLabels(t);
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

test('Authentication', async (t) => {
  const service = await startService(t);

  await t.test('2. The `client_secret` must be kept secret: it is neither stored nor logged.', async () => {
    const rows = await service.sql`select jsonb_agg(s)::text as text from application_secret s`;
    assert.ok(!String(rows[0]!.text).includes(service.client.client_secret));
    assert.ok(!service.logs.join('').includes(service.client.client_secret));
  });

  await t.test('4. The token is used in the header `Authorization: Bearer <ACCESS_TOKEN>`.', async () => {
    assert.equal((await service.call('GET', '/', { token: service.token })).status, 200);
    assertRefused(await service.call('GET', `/?access_token=${service.token}`, { token: undefined }), {
      status: 401,
      code: 'InvalidAccessToken',
    });
  });

  await t.test(
    '5. An invalid access token is answered with `InvalidAccessToken`, an expired one with `ExpiredAccessToken`.',
    async () => {
      assertRefused(await service.call('GET', '/', { token: 'nonsense' }), { status: 401, code: 'InvalidAccessToken' });
      const brief = await startService(t, { env: { TOKEN_TTL_SECONDS: '1' } });
      await new Promise((resume) => setTimeout(resume, 1100));
      assertRefused(await brief.call('GET', '/', { token: brief.token }), { status: 401, code: 'ExpiredAccessToken' });
    },
  );
});

test('Versioning', async (t) => {
  const service = await withLabels(t);
  const { call, from, to, reallocation } = service;

  await t.test('The version is carried in the media type `application/vnd.<vendor>.v1.hal+json`.', async () => {
    assert.equal((await call('GET', from)).headers['content-type'], `${HAL}; charset=utf-8`);
    const other = await startService(t, { env: { MEDIA_TYPE_VENDOR: 'acme' } });
    const answer = await other.send('GET', '/', { token: other.token, headers: { accept: 'application/vnd.acme.v1.hal+json' } });
    assert.equal(answer.headers['content-type'], 'application/vnd.acme.v1.hal+json; charset=utf-8');
    assert.equal(answer.body._links.customers.type, 'application/vnd.acme.v1.hal+json');
  });

  await t.test('The `Accept` header on requests must be that media type; it is the only available option for it.', async () => {
    for (const accept of ['application/json', 'text/html', HAL.replace('v1', 'v2'), `${HAL};q=0`]) {
      assertRefused(await call('GET', from, { headers: { accept } }), { status: 406, code: 'InvalidVersion' });
    }
  });

  await t.test('Creation requests also send that media type in `Content-Type`.', async () => {
    const body = reallocation(from, to, '1.00');
    assert.equal((await call('POST', '/label-reallocations', { body, headers: { 'content-type': HAL } })).status, 201);
    assertRefused(await call('POST', '/label-reallocations', { body, headers: { 'content-type': 'text/plain' } }), {
      status: 415,
      code: 'UnsupportedRequestContentType',
    });
  });
});
