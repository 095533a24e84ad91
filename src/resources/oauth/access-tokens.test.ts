// Tests of access tokens: signatures, claims, expiry and revocation.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { decodeJwt, generateKeyPair, importJWK, SignJWT } from 'jose';
import { assertRefused } from '../../../test/support/http.ts';
import {
  assertChallenged,
  assertError,
  assertKeptNowhere,
  basic,
  openAuthorityBeside,
  openClient,
} from '../../../test/support/oauth.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';

// Shared by the tests of the file, unless they change what others see.
const shared = await startService({ after });

const service = await openClient(shared);
const { call, token } = service;
const { kid, key } = await signingKey(service);
const claims = decodeJwt(token);
const nowS = Math.floor(Date.now() / 1000);
type Change = { header?: Record<string, unknown>; claims?: Record<string, unknown>; key?: typeof key };
const make = (change: Change = {}) =>
  new SignJWT({ ...claims, ...change.claims })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid, ...change.header })
    .sign(change.key ?? key);
const { privateKey: stranger } = await generateKeyPair('EdDSA');
const past = { iat: nowS - 7200, exp: nowS - 3600 };
const YEAR_S = 365 * 86_400;

const bad: Record<string, string> = {
  'of another key': await make({ key: stranger }),
  'of another key, and expired': await make({ key: stranger, claims: past }),
  'of an unknown kid': await make({ key: stranger, header: { kid: 'unknown' } }),
  'without a kid': await make({ header: { kid: undefined } }),
  'of another issuer': await make({ claims: { iss: 'http://elsewhere.example' } }),
  'of another issuer, and expired': await make({ claims: { ...past, iss: 'http://elsewhere.example' } }),
  'for another audience': await make({ claims: { aud: 'http://elsewhere.example' } }),
  'of another type': await make({ header: { typ: 'JWT' } }),
  'without a type': await make({ header: { typ: undefined } }),
  'without an expiry': await make({ claims: { exp: undefined } }),
  'without an id': await make({ claims: { jti: undefined } }),
  'of an application that is not': await make({ claims: { client_id: randomUUID() } }),
  'of another account than its application': await make({ claims: { account_id: (await shared.newClient()).account_id } }),
  'with a critical header': `${encode({ alg: 'EdDSA', typ: 'at+jwt', kid, crit: ['x'], x: 1 })}.${token.split('.')[1]}.${token.split('.')[2]}`,
  'signed with none': `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${token.split('.')[1]}.`,
  'signed with the public key as a secret': await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
    .sign(Buffer.from(JSON.stringify(service.service.authority.jwks().keys[0]))),
  'with other claims': `${token.split('.')[0]}.${encode({ ...claims, scope: 'read write' })}.${token.split('.')[2]}`,
  'with another signature': `${token.slice(0, -10)}AAAAAAAAAA`,
  'cut off': token.slice(0, -1),
  'without a signature': token.split('.').slice(0, 2).join('.'),
  'of two words': `${token} ${token}`,
  'of nothing': '',
  'of dots': '..',
  'of a word': 'secret',
};

test('access tokens: accepts a valid token', async () => {
  assert.equal((await call('GET', '/', { token: await make() })).status, 200);
  assert.equal((await call('GET', '/', { token: await make({ claims: { exp: nowS + 60 } }) })).status, 200);
  for (const scheme of ['bearer', 'BEARER']) {
    assert.equal((await call('GET', '/', { token: undefined, headers: { authorization: `${scheme} ${token}` } })).status, 200);
  }
});

test('access tokens: refuses an expired token of the service as expired, and one of a future that a reset took back', async () => {
  const future = { iat: nowS + YEAR_S, exp: nowS + YEAR_S + 3600 };
  for (const token of [await make({ claims: past }), await make({ claims: future })]) {
    for (let time = 0; time < 2; time++) {
      assertChallenged(await call('GET', '/', { token }), 'ExpiredAccessToken', 'invalid_token');
    }
  }
});

for (const [kind, token] of Object.entries(bad)) {
  test(kind, async () => {
    assertChallenged(await call('GET', '/', { token }), 'InvalidAccessToken', 'invalid_token');
  });
}

test('access tokens: refuses a missing token and credentials of another scheme', async () => {
  for (const headers of [{}, basic('a:b'), { authorization: token }, { authorization: 'Bearerx y' }]) {
    const answer = await call('GET', '/', { token: undefined, headers });
    assertRefused(answer, { status: 401, code: 'InvalidAccessToken' });
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="earmark"');
  }
});

test('access tokens: names a missing scope', async () => {
  const { token } = await service.newClient(['write']);
  const answer = await call('GET', '/customers', { token });
  assertRefused(answer, { status: 403, code: 'Forbidden' });
  assert.equal(answer.headers['www-authenticate'], 'Bearer realm="earmark", error="insufficient_scope", scope="read"');
});

test('access tokens: needs no token for an unknown route', async () => {
  assertRefused(await call('GET', '/nowhere', { token: undefined }), { status: 404, code: 'NotFound' });
});

test('revokes tokens', async (t) => {
  const { call, post, token, client, credentials, newClient, tokenOf, service } = await openClient(shared);
  const other = await newClient();

  assertError(await post('/token/revoke', { ...credentials }), 400, 'invalid_request');
  assertError(await post('/token/revoke', { token, client_id: client.client_id, client_secret: 'wrong' }), 401, 'invalid_client');
  const unknown = await post('/token/revoke', { ...credentials, token: 'unknown' });
  assert.deepEqual([unknown.status, unknown.text], [200, '']);
  assertKeptNowhere(unknown);

  const stolen = { token, client_id: other.client_id, client_secret: other.client_secret };
  assertError(await post('/token/revoke', stolen), 400, 'invalid_request');
  assert.equal((await call('GET', '/', { token })).status, 200);

  const beside = await tokenOf(client);
  for (let time = 0; time < 2; time++) {
    const revoked = await post(
      '/token/revoke',
      { token, token_type_hint: 'refresh_token' },
      basic(Object.values(credentials).join(':')),
    );
    assert.deepEqual([revoked.status, revoked.text], [200, '']);
    assertChallenged(await call('GET', '/', { token }), 'InvalidAccessToken', 'invalid_token');
  }
  assert.equal((await call('GET', '/', { token: beside })).status, 200);

  const restarted = await openAuthorityBeside(t, service);
  await assert.rejects(restarted.verify(token), { problem: 'invalidAccessToken' });
  assert.equal((await restarted.verify(beside)).applicationId, client.client_id);
});

test('each use of a token checks its expiry', async (t) => {
  const { service, token, client } = await openClient(shared);
  let nowMs = Date.now();
  const authority = await openAuthorityBeside(t, service, { now: () => new Date(nowMs) });
  await authority.verify(token);
  nowMs = decodeJwt(token).exp! * 1000 - 1;
  assert.equal((await authority.verify(token)).applicationId, client.client_id);
  nowMs += 1;
  await assert.rejects(authority.verify(token), { problem: 'expiredAccessToken' });
});

test('a signed token grants no scope that its application lacks', async () => {
  const { client_id, client_secret, account_id } = await service.newClient(['read'], claims.account_id as string);
  const forged = await make({ claims: { sub: client_id, client_id, account_id, scope: 'read write funds review' } });
  for (let time = 0; time < 2; time++) {
    assert.equal((await call('GET', '/customers', { token: forged })).status, 200);
    assertRefused(await call('POST', '/customers', { token: forged, body: {} }), { status: 403, code: 'Forbidden' });
  }
  const { body } = await service.post('/token/introspect', { token: forged, client_id, client_secret });
  assert.deepEqual([body.active, body.scope], [true, 'read']);
});

test('a token loses a scope at once when its application does, and has it again later', async () => {
  const { client_id, token } = await service.newClient(['read', 'write'], claims.account_id as string);
  const scopesAre = async (scopes: string[], status: number) => {
    await shared.sql`update application set scopes = ${scopes}, changed = now() where id = ${client_id}`;
    await waitUntil('the change is known', async () => (await call('GET', '/customers', { token })).status === status);
  };
  await scopesAre(['write'], 403);
  await scopesAre(['read'], 200);
});

test('a signed token lives no longer than the setting says', async () => {
  const lasting = await make({ claims: { iat: nowS - 60, exp: nowS + 10 * YEAR_S } });
  assert.equal((await call('GET', '/', { token: lasting })).status, 200);
  const { body } = await service.post('/token/introspect', { ...service.credentials, token: lasting });
  assert.equal(body.exp - body.iat, shared.service.config.tokenTtlSeconds);
  const old = await make({ claims: { iat: nowS - 7200, exp: nowS + 10 * YEAR_S } });
  assertChallenged(await call('GET', '/', { token: old }), 'ExpiredAccessToken', 'invalid_token');
});

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

async function signingKey({ sql, service }: TestService) {
  const [row] = await sql<{ kid: string; privateJwk: Buffer }>`select kid, private_jwk from signing_key`;
  const jwk = JSON.parse(service.sealer.open(row!.privateJwk, `signing_key:${row!.kid}`).toString());
  return { kid: row!.kid, key: await importJWK(jwk, 'EdDSA') };
}
