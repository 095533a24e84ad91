// The specification, sentence by sentence: tokens, authentication and versioning.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, HAL } from './support/http.ts';
import { openAccount, openLabels, startService } from './support/service.ts';

// Shared by all tests of the file; each group has its own account.
const shared = await startService({ after });

test('POST {base_url}/token', async (t) => {
  const service = await openAccount(shared);
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

test('Authentication', async (t) => {
  const service = await openAccount(shared);

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
  const service = await openLabels(shared);
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
