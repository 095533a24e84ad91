// Tests of token requests, introspection and discovery.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { calculateJwkThumbprint, createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { assertRefused } from '../../../test/support/http.ts';
import { assertError, assertIssued, assertKeptNowhere, basic, GRANT, openClient } from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';

// Shared by the tests of the file, unless they change what others see.
const shared = await startService({ after });

const service = await openClient(shared);
const { ask, post, send, credentials } = service;
const { client_id, client_secret } = credentials;

test('token requests: answers with a bearer token, its lifetime and its scopes', async () => {
  const { body, headers } = await ask(client_id, client_secret);
  const { access_token, ...rest } = body;
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'read write funds review' });
  assert.match(headers['content-type']!, /^application\/json/);
  const { iat, exp, jti, ...claims } = decodeJwt(access_token);
  assert.equal(exp, iat! + 3600);
  assert.match(jti!, /^[0-9a-f-]{36}$/);
  const who = { sub: client_id, client_id, account_id: service.client.account_id };
  assert.deepEqual(claims, { iss: service.url, aud: service.url, scope: 'read write funds review', ...who });
  assert.deepEqual({ ...decodeProtectedHeader(access_token), kid: '' }, { alg: 'EdDSA', typ: 'at+jwt', kid: '' });
});

test('token requests: several tokens of an application are valid at the same time', async () => {
  const tokens = [await ask(client_id, client_secret), await ask(client_id, client_secret)].map(({ body }) => body.access_token);
  assert.notEqual(tokens[0], tokens[1]);
  for (const token of tokens) assert.equal((await service.call('GET', '/', { token })).status, 200);
});

test('token requests: refuses missing, empty and repeated parameters', async () => {
  for (const form of ['', 'grant_type=', 'scope=read']) {
    assertError(await ask(client_id, client_secret, form), 400, 'invalid_request');
  }
  const all = new URLSearchParams({ ...GRANT, ...credentials, scope: 'read' });
  for (const name of ['grant_type', 'client_id', 'client_secret', 'scope', 'else']) {
    const twice = new URLSearchParams([...all, [name, all.get(name) ?? 'x'], ['else', 'x']]).toString();
    assertError(await post('/token', twice), 400, 'invalid_request');
  }
  assertIssued(await ask(client_id, client_secret, { ...GRANT, else: 'x', toString: 'x' }));
});

test('token requests: refuses another grant type', async () => {
  for (const grant_type of ['password', 'authorization_code', 'CLIENT_CREDENTIALS', ' client_credentials']) {
    assertError(await ask(client_id, client_secret, { grant_type }), 400, 'unsupported_grant_type');
  }
});

test('token requests: narrows the scope on request', async () => {
  const narrowed = await ask(client_id, client_secret, { ...GRANT, scope: 'write read' });
  assert.equal(narrowed.body.scope, 'read write');
  const token = (await ask(client_id, client_secret, { ...GRANT, scope: 'read' })).body.access_token;
  assert.equal((await service.call('GET', '/customers', { token })).status, 200);
  const label = service.nowhere('label');
  const answer = await service.call('POST', '/label-reallocations', { token, body: service.reallocation(label, label, '1') });
  assertRefused(answer, { status: 403, code: 'Forbidden' });
});

test('token requests: refuses a scope that is unknown or not granted', async () => {
  const reader = await service.newClient(['read']);
  assert.equal((await ask(reader.client_id, reader.client_secret)).body.scope, 'read');
  for (const scope of ['write', 'read write', 'admin', ' ', 'read  read', 'READ']) {
    assertError(await ask(reader.client_id, reader.client_secret, { ...GRANT, scope }), 400, 'invalid_scope');
  }
});

test('token requests: refuses a body that is not a form', async () => {
  const headers = (type: string) => ({ ...basic(`${client_id}:${client_secret}`), 'content-type': type });
  for (const path of ['/token', '/token/revoke', '/token/introspect']) {
    for (const type of ['application/json', 'text/plain', 'application/vnd.earmark.v1.hal+json']) {
      const answer = await service.call('POST', path, { token: undefined, raw: JSON.stringify(GRANT), headers: headers(type) });
      assertRefused(answer, { status: 415, code: 'UnsupportedRequestContentType' });
    }
  }
  const form = 'grant_type=client_credentials';
  assertIssued(await send('POST', '/token', { form, headers: headers('application/x-www-form-urlencoded; charset=UTF-8') }));
  assertError(await send('POST', '/token', { headers: basic(`${client_id}:${client_secret}`) }), 400, 'invalid_request');
  const large = await service.call('POST', '/token', { token: undefined, form: `a=${'x'.repeat(70_000)}` });
  assertRefused(large, { status: 413, code: 'RequestTooLarge' });
});

test('token requests: accepts any Accept header, and no other method', async () => {
  const headers = { ...basic(`${client_id}:${client_secret}`), accept: 'text/html' };
  assertIssued(await post('/token', GRANT, headers));
  assertRefused(await service.call('GET', '/token', { token: undefined }), { status: 405, code: 'MethodNotAllowed' });
});

test('introspects tokens', async () => {
  const { post, token, client, credentials, newClient, url } = await openClient(shared);
  const introspect = (token: string, who: { client_id: string; client_secret: string } = credentials) =>
    post('/token/introspect', { token, client_id: who.client_id, client_secret: who.client_secret });

  const own = await introspect(token);
  assertKeptNowhere(own);
  const { iat, exp, jti, ...rest } = own.body;
  assert.deepEqual(rest, {
    active: true,
    token_type: 'Bearer',
    scope: 'read write funds review',
    client_id: client.client_id,
    sub: client.client_id,
    account_id: client.account_id,
    iss: url,
    aud: url,
  });
  assert.deepEqual([exp - iat, typeof jti], [3600, 'string']);

  const sibling = await newClient(['read'], client.account_id);
  assert.equal((await introspect(token, sibling)).body.active, true);
  const foreign = await newClient();
  assert.deepEqual((await introspect(token, foreign)).body, { active: false });
  assert.deepEqual((await introspect('unknown')).body, { active: false });
  await post('/token/revoke', { ...credentials, token });
  assert.deepEqual((await introspect(token)).body, { active: false });

  assertError(await post('/token/introspect', { token }), 401, 'invalid_client');
  assertError(await post('/token/introspect', credentials), 400, 'invalid_request');
});

test('discovery: a client with only the base URL finds the token endpoint and verifies a token', async () => {
  const { call, url, send, credentials, token } = await openClient(shared);
  const { body: metadata } = await call('GET', '/.well-known/oauth-authorization-server', { token: undefined });
  assert.equal(metadata.issuer, url);
  assert.deepEqual(metadata.grant_types_supported, ['client_credentials']);
  assert.deepEqual(metadata.response_types_supported, []);
  assert.deepEqual(metadata.scopes_supported, ['read', 'write', 'funds', 'review']);
  assert.deepEqual(metadata.authorization_details_types_supported, ['customer']);
  assert.deepEqual(metadata.dpop_signing_alg_values_supported, ['ES256', 'EdDSA', 'PS256']);
  assert.equal(metadata.tls_client_certificate_bound_access_tokens, false);
  for (const endpoint of ['token', 'revocation', 'introspection']) {
    const path = metadata[`${endpoint}_endpoint`].replace(url, '');
    const form = new URLSearchParams({ ...GRANT, ...credentials, token }).toString();
    assert.equal((await send('POST', path, { form })).status, 200);
    assert.deepEqual(metadata[`${endpoint}_endpoint_auth_methods_supported`], [
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
    ]);
    const algorithms = metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`];
    assert.deepEqual(algorithms, ['ES256', 'EdDSA', 'PS256']);
  }

  const set = await call('GET', '/.well-known/jwks.json', { token: undefined });
  assert.match(set.headers['content-type']!, /^application\/json/);
  assert.equal(set.body.keys.length, 1);
  assert.equal(set.body.keys[0].kid, await calculateJwkThumbprint(set.body.keys[0]));
  assert.ok(!('d' in set.body.keys[0]));
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));
  const { payload } = await jwtVerify(token, keys, { issuer: url, audience: url, typ: 'at+jwt' });
  assert.equal(payload.client_id, credentials.client_id);
});
