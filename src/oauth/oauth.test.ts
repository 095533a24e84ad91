// Tests of OAuth over HTTP: client authentication, tokens, rotation, revocation, introspection, discovery, several processes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  calculateJwkThumbprint,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { pino } from 'pino';
import { type Answer, assertRefused } from '../../test/support/http.ts';
import { startService, type TestService } from '../../test/support/service.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Database, Sql } from '../db/sql.ts';
import { KeyError, openSealer } from '../sealing.ts';
import { disableApplication, enableApplication, hashesOf, rotateSecret } from './application.ts';
import { type Authority, openAuthority } from './authority.ts';

const GRANT = { grant_type: 'client_credentials' };
const DAY_MS = 24 * 3_600_000;
/** The statements of one poll for changes: time, applications, keys, revocations. */
const READING_STATEMENTS = 4;

type Fields = Record<string, string>;

async function open(t: TestContext, env: Record<string, string> = {}) {
  const service = await startService(t, { env });
  const { client_id, client_secret } = service.client;
  const post = (path: string, fields: Fields | string, headers: Record<string, string> = {}) =>
    service.call('POST', path, { token: undefined, form: new URLSearchParams(fields).toString(), headers });
  return {
    ...service,
    credentials: { client_id, client_secret },
    post,
    /** Asks for a token with a Basic header made of the two texts without encoding. */
    ask: (id: string, secret: string, fields: Fields | string = GRANT) => post('/token', fields, basic(`${id}:${secret}`)),
    /** Runs a change of an application in a transaction, as a command does. */
    change: <T>(work: (tx: Sql) => Promise<T>) => service.service.database.transaction(work),
  };
}

test('client authentication', async (t) => {
  const service = await open(t);
  const { ask, post, credentials, sql } = service;
  const { client_id, client_secret } = credentials;
  const header = basic(`${client_id}:${client_secret}`);

  await t.test('accepts a header, a form, and both when they agree', async () => {
    assertIssued(await ask(client_id, client_secret));
    assertIssued(await post('/token', { ...GRANT, ...credentials }));
    assertIssued(await post('/token', { ...GRANT, ...credentials }, header));
    assertIssued(await post('/token', { ...GRANT, client_id }, header));
    assertIssued(await post('/token', GRANT, { authorization: header.authorization!.replace('Basic', 'bAsIc') }));
  });

  await t.test('refuses a header and a form that disagree', async () => {
    const others: Fields[] = [
      { client_id: randomUUID() },
      { client_secret: 'other' },
      { client_id: randomUUID(), client_secret },
    ];
    for (const other of others) {
      assertError(await post('/token', { ...GRANT, ...other }, header), 400, 'invalid_request');
    }
  });

  await t.test('refuses a header without credentials', async () => {
    for (const authorization of [
      'Basic',
      'Basic ',
      'Basic ?',
      'Basic a',
      'Basic =',
      `Basic ${base64(client_id)}`,
      `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`,
      `Basic ${base64(`${client_id}:${client_secret}`)} more`,
      `Bearer ${service.token}`,
      'Digest username="x"',
    ]) {
      assertError(await post('/token', GRANT, { authorization }), 401, 'invalid_client');
      assertError(await post('/token', { ...GRANT, ...credentials }, { authorization }), 401, 'invalid_client');
    }
  });

  await t.test('accepts secrets with any character, raw or form-encoded', async () => {
    for (const secret of ['a:b', ':', 'per%cent', '%41', '100%25', 'a+b', 'a b', 'Zoë', '%zz', '%ff']) {
      const { client_id } = await service.newClient();
      const [{ hash, keyId }] = hashesOf(service.service.sealer, secret);
      await sql`update application_secret set hash = ${hash}, key_id = ${keyId} where application_id = ${client_id}`;
      await sql`update application set changed = ${new Date()} where id = ${client_id}`;
      assertIssued(await ask(client_id, secret));
      assertIssued(await ask(client_id, encodeURIComponent(secret)));
      assertIssued(await ask(client_id.replaceAll('-', '%2D'), encodeURIComponent(secret).replaceAll('%20', '+')));
      assertIssued(await post('/token', { ...GRANT, client_id, client_secret: secret }));
      assertError(await ask(client_id, `${secret}x`), 401, 'invalid_client');
    }
  });

  await t.test('refuses a wrong secret, an unknown client, and missing credentials', async () => {
    const unknown = [randomUUID(), '', 'x', "'; drop table application", 'a\0b', 'x'.repeat(5000)];
    for (const id of unknown) assertError(await ask(id, client_secret), 401, 'invalid_client');
    for (const secret of ['', 'x', client_secret.slice(1), `${client_secret}x`, client_secret.toLowerCase()]) {
      assertError(await ask(client_id, secret), 401, 'invalid_client');
    }
    const other = await service.newClient();
    assertError(await ask(other.client_id, client_secret), 401, 'invalid_client');
    const parts: Fields[] = [{}, { client_id }, { client_secret }, { client_id, client_secret: '' }];
    for (const form of parts) {
      assertError(await post('/token', { ...GRANT, ...form }), 401, 'invalid_client');
    }
    const [wrong, missing] = [await ask(client_id, 'wrong'), await ask(randomUUID(), 'wrong')];
    assert.deepEqual(wrong.body, missing.body);
  });

  await t.test('does not store or log secrets, and records their last use', async () => {
    const [row] = await sql<{ text: string }>`select string_agg(s::text, '') as text from application_secret s`;
    for (const spelling of [client_secret, Buffer.from(client_secret).toString('hex')]) assert.ok(!row!.text.includes(spelling));
    assert.ok(!service.logs.join('').includes(client_secret));
    const used = await sql`select 1 from application_secret where application_id = ${client_id} and last_used is not null`;
    assert.equal(used.length, 1);
  });
});

test('token requests', async (t) => {
  const service = await open(t);
  const { ask, post, send, credentials } = service;
  const { client_id, client_secret } = credentials;

  await t.test('answers with a bearer token, its lifetime and its scopes', async () => {
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

  await t.test('several tokens of an application are valid at the same time', async () => {
    const tokens = [await ask(client_id, client_secret), await ask(client_id, client_secret)].map(
      ({ body }) => body.access_token,
    );
    assert.notEqual(tokens[0], tokens[1]);
    for (const token of tokens) assert.equal((await service.call('GET', '/', { token })).status, 200);
  });

  await t.test('refuses missing, empty and repeated parameters', async () => {
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

  await t.test('refuses another grant type', async () => {
    for (const grant_type of ['password', 'authorization_code', 'CLIENT_CREDENTIALS', ' client_credentials']) {
      assertError(await ask(client_id, client_secret, { grant_type }), 400, 'unsupported_grant_type');
    }
  });

  await t.test('narrows the scope on request', async () => {
    const narrowed = await ask(client_id, client_secret, { ...GRANT, scope: 'write read' });
    assert.equal(narrowed.body.scope, 'read write');
    const token = (await ask(client_id, client_secret, { ...GRANT, scope: 'read' })).body.access_token;
    assert.equal((await service.call('GET', '/customers', { token })).status, 200);
    const label = service.nowhere('label');
    const answer = await service.call('POST', '/label-reallocations', { token, body: service.reallocation(label, label, '1') });
    assertRefused(answer, { status: 403, code: 'Forbidden' });
  });

  await t.test('refuses a scope that is unknown or not granted', async () => {
    const reader = await service.newClient(['read']);
    assert.equal((await ask(reader.client_id, reader.client_secret)).body.scope, 'read');
    for (const scope of ['write', 'read write', 'admin', ' ', 'read  read', 'READ']) {
      assertError(await ask(reader.client_id, reader.client_secret, { ...GRANT, scope }), 400, 'invalid_scope');
    }
  });

  await t.test('refuses a body that is not a form', async () => {
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

  await t.test('accepts any Accept header, and no other method', async () => {
    const headers = { ...basic(`${client_id}:${client_secret}`), accept: 'text/html' };
    assertIssued(await post('/token', GRANT, headers));
    assertRefused(await service.call('GET', '/token', { token: undefined }), { status: 405, code: 'MethodNotAllowed' });
  });
});

test('disables and enables an application', async (t) => {
  const { ask, call, change, client, credentials } = await open(t);
  const { client_id, client_secret } = credentials;
  await change((tx) => disableApplication(tx, client_id));
  await waitUntil('the token has expired', async () => (await call('GET', '/')).status === 401);
  assertChallenged(await call('GET', '/'), 'InvalidAccessToken', 'invalid_token');
  assertError(await ask(client_id, client_secret), 401, 'invalid_client');
  await change((tx) => enableApplication(tx, client_id));
  assertIssued(await ask(client_id, client_secret));
  assert.equal((await call('GET', '/', { token: client.token })).status, 200);
  assert.equal(await change((tx) => disableApplication(tx, randomUUID())), false);
  assert.equal(await change((tx) => enableApplication(tx, randomUUID())), false);
});

test('rotates a secret', async (t) => {
  const { ask, change, client, call, credentials, service } = await open(t);
  const { client_id, client_secret: first } = credentials;
  const rotate = (overlapMs: number) => change((tx) => rotateSecret(tx, service.sealer, client_id, { overlapMs }));

  const second = (await rotate(DAY_MS))!;
  assertIssued(await ask(client_id, second));
  assertIssued(await ask(client_id, first));

  const third = (await rotate(DAY_MS))!;
  assertIssued(await ask(client_id, third));
  assertIssued(await ask(client_id, second));
  assertError(await ask(client_id, first), 401, 'invalid_client');

  const fourth = (await rotate(300))!;
  assertIssued(await ask(client_id, fourth));
  assertIssued(await ask(client_id, third));
  await sleep(350);
  assertError(await ask(client_id, third), 401, 'invalid_client');
  assertIssued(await ask(client_id, fourth));

  const [fifth, sixth] = (await Promise.all([rotate(DAY_MS), rotate(DAY_MS)])) as [string, string];
  assertIssued(await ask(client_id, fifth));
  assertIssued(await ask(client_id, sixth));
  assertError(await ask(client_id, fourth), 401, 'invalid_client');

  assert.equal((await call('GET', '/', { token: client.token })).status, 200);
  assert.equal(await change((tx) => rotateSecret(tx, service.sealer, randomUUID())), undefined);
});

test('access tokens', async (t) => {
  const service = await open(t);
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

  await t.test('accepts a valid token', async () => {
    assert.equal((await call('GET', '/', { token: await make() })).status, 200);
    assert.equal((await call('GET', '/', { token: await make({ claims: { exp: nowS + 60 } }) })).status, 200);
    for (const scheme of ['bearer', 'BEARER']) {
      assert.equal((await call('GET', '/', { token: undefined, headers: { authorization: `${scheme} ${token}` } })).status, 200);
    }
  });

  await t.test('refuses an expired token of the service as expired', async () => {
    const expired = await make({ claims: past });
    for (let time = 0; time < 2; time++) {
      assertChallenged(await call('GET', '/', { token: expired }), 'ExpiredAccessToken', 'invalid_token');
    }
  });

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
  for (const [kind, token] of Object.entries(bad)) {
    await t.test(kind, async () => {
      assertChallenged(await call('GET', '/', { token }), 'InvalidAccessToken', 'invalid_token');
    });
  }

  await t.test('refuses a missing token and credentials of another scheme', async () => {
    for (const headers of [{}, basic('a:b'), { authorization: token }, { authorization: 'Bearerx y' }]) {
      const answer = await call('GET', '/', { token: undefined, headers });
      assertRefused(answer, { status: 401, code: 'InvalidAccessToken' });
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="earmark"');
    }
  });

  await t.test('names a missing scope', async () => {
    const { token } = await service.newClient(['write']);
    const answer = await call('GET', '/customers', { token });
    assertRefused(answer, { status: 403, code: 'Forbidden' });
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="earmark", error="insufficient_scope", scope="read"');
  });

  await t.test('needs no token for an unknown route', async () => {
    assertRefused(await call('GET', '/nowhere', { token: undefined }), { status: 404, code: 'NotFound' });
  });
});

test('revokes tokens', async (t) => {
  const { call, post, token, client, credentials, newClient, tokenOf, service } = await open(t);
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

  const restarted = await openBeside(t, service);
  await assert.rejects(restarted.verify(token), { problem: 'invalidAccessToken' });
  assert.equal((await restarted.verify(beside)).applicationId, client.client_id);
});

test('introspects tokens', async (t) => {
  const { post, token, client, credentials, newClient, url } = await open(t);
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

test('discovery: a client with only the base URL finds the token endpoint and verifies a token', async (t) => {
  const { call, url, send, credentials, token } = await open(t);
  const { body: metadata } = await call('GET', '/.well-known/oauth-authorization-server', { token: undefined });
  assert.equal(metadata.issuer, url);
  assert.deepEqual(metadata.grant_types_supported, ['client_credentials']);
  assert.deepEqual(metadata.response_types_supported, []);
  assert.deepEqual(metadata.scopes_supported, ['read', 'write', 'funds', 'review']);
  for (const endpoint of ['token', 'revocation', 'introspection']) {
    const path = metadata[`${endpoint}_endpoint`].replace(url, '');
    const form = new URLSearchParams({ ...GRANT, ...credentials, token }).toString();
    assert.equal((await send('POST', path, { form })).status, 200);
    assert.deepEqual(metadata[`${endpoint}_endpoint_auth_methods_supported`], ['client_secret_basic', 'client_secret_post']);
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

test('several processes', async (t) => {
  const service = await open(t);
  const { client, change, newClient, token, credentials } = service;
  const other = await openBeside(t, service.service);
  const authenticate = (client_id: string, client_secret: string) =>
    other.authenticate({ clientId: client_id, secrets: [client_secret] });

  await t.test('agree on the first signing key when they start concurrently', async () => {
    await service.sql`delete from signing_key`;
    const all = await Promise.all(Array.from({ length: 4 }, () => openBeside(t, service.service)));
    const [first] = all.map((authority) => authority.jwks());
    assert.equal(first!.keys.length, 1);
    for (const authority of all) assert.deepEqual(authority.jwks(), first);
    const [application] = [await all[0]!.authenticate({ clientId: client.client_id, secrets: [client.client_secret] })];
    const { access_token } = all[0]!.issue(application!, ['read']);
    assert.equal((await other.verify(access_token)).applicationId, client.client_id, 'looks up an unknown key');
    assert.equal((await service.call('GET', '/', { token: access_token })).status, 200);
  });

  await t.test('know immediately what another process created: an application, its token, a second secret', async () => {
    const made = await newClient(['read']);
    assert.deepEqual((await other.verify(made.token)).scopes, new Set(['read']));
    assert.equal((await authenticate(made.client_id, made.client_secret))?.id, made.client_id);
    const second = (await change((tx) => rotateSecret(tx, service.service.sealer, made.client_id)))!;
    assert.equal((await authenticate(made.client_id, second))?.id, made.client_id);
  });

  await t.test('learn soon what another process ended: a token, an application', async () => {
    assert.equal((await other.verify(token)).accountId, client.account_id);
    await service.post('/token/revoke', { ...credentials, token });
    await waitUntil('the token is refused', async () => isRefused(other, token));
    const second = await service.tokenOf(client);
    await other.verify(second);
    await change((tx) => disableApplication(tx, client.client_id));
    await waitUntil('the second token is refused', async () => isRefused(other, second));
    assert.equal(await authenticate(client.client_id, client.client_secret), undefined);
  });
});

test('work without the database', async (t) => {
  const { service, client, token } = await open(t);
  const watched = watch(service.database);
  const lines: string[] = [];
  const authority = await openBeside(t, {
    ...service,
    database: watched.database,
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
  });
  const credentials = { clientId: client.client_id, secrets: [client.client_secret] };
  const application = (await authority.authenticate(credentials))!;

  await t.test('tokens are issued and verified without queries', async () => {
    const before = watched.statements;
    const startMs = performance.now();
    for (let count = 0; count < 500; count++) {
      assert.ok(await authority.authenticate(credentials));
      await authority.verify(authority.issue(application, ['read']).access_token);
    }
    // One poll a second, and one at the start and the end.
    const readings = 2 + (performance.now() - startMs) / 1000;
    assert.ok(
      watched.statements - before <= readings * READING_STATEMENTS,
      `${watched.statements - before} statements, more than those that follow changes`,
    );
  });

  await t.test('guesses cause no additional queries', async () => {
    const startMs = Date.now();
    watched.statements = 0;
    const guesses = Array.from({ length: 2000 }, () => authority.authenticate({ clientId: randomUUID(), secrets: ['guess'] }));
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'guess' })
      .sign((await generateKeyPair('EdDSA')).privateKey);
    const tokens = Array.from({ length: 200 }, (_, number) =>
      isRefused(authority, `${forged.slice(0, -9)}${String(number).padStart(9, '0')}`),
    );
    assert.ok((await Promise.all(guesses)).every((found) => found === undefined));
    assert.ok((await Promise.all(tokens)).every(Boolean));
    const readings = 2 + Math.ceil((Date.now() - startMs) / 100);
    assert.ok(
      watched.statements <= readings * READING_STATEMENTS,
      `${watched.statements} statements in ${Date.now() - startMs} ms`,
    );
  });

  await t.test('cached credentials work while the database is down', async () => {
    watched.away = true;
    await sleep(2200);
    assert.ok(await authority.authenticate(credentials));
    assert.equal((await authority.verify(token)).applicationId, client.client_id);
    await authority.verify(authority.issue(application, ['read']).access_token);
    assert.equal(await authority.authenticate({ clientId: client.client_id, secrets: ['wrong'] }), undefined);
    assert.equal(await isRefused(authority, 'unknown'), true);
    assert.equal(lines.filter((line) => line.includes('"level":40')).length, 1, 'logged once');
    watched.away = false;
    await waitUntil('the recovery is logged', async () => lines.some((line) => line.includes('again')));
  });
});

test('names the missing encryption key when it was replaced', async (t) => {
  const { service } = await open(t);
  const sealer = openSealer([Buffer.alloc(32, 1)]);
  await assert.rejects(openBeside(t, { ...service, sealer }), KeyError);
});

test('each use of a token checks its expiry', async (t) => {
  const { service, token, client } = await open(t);
  let nowMs = Date.now();
  const authority = await openBeside(t, service, { now: () => new Date(nowMs) });
  await authority.verify(token);
  nowMs = decodeJwt(token).exp! * 1000 - 1;
  assert.equal((await authority.verify(token)).applicationId, client.client_id);
  nowMs += 1;
  await assert.rejects(authority.verify(token), { problem: 'expiredAccessToken' });
});

function basic(credentials: string): Record<string, string> {
  return { authorization: `Basic ${base64(credentials)}` };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Token issuing and verification as in another process on the same database. */
async function openBeside(
  t: TestContext,
  service: Parameters<typeof openAuthority>[0],
  clock: Clock = systemClock,
): Promise<Authority> {
  const { config, database, sealer, log } = service;
  const authority = await openAuthority({ config, database, sealer, log, clock });
  t.after(() => authority.close());
  return authority;
}

/** A database that counts its statements and can be made unavailable. */
function watch(database: Database) {
  const watched = { statements: 0, away: false, database };
  const sql = async (text: TemplateStringsArray, ...values: unknown[]) => {
    watched.statements += 1;
    if (watched.away) throw new Error('away');
    return database.sql(text, ...values);
  };
  watched.database = { ...database, sql: sql as Sql };
  return watched;
}

async function signingKey({ sql, service }: TestService) {
  const [row] = await sql<{ kid: string; privateJwk: Buffer }>`select kid, private_jwk from signing_key`;
  const jwk = JSON.parse(service.sealer.open(row!.privateJwk, `signing_key:${row!.kid}`).toString());
  return { kid: row!.kid, key: await importJWK(jwk, 'EdDSA') };
}

async function isRefused(authority: Authority, token: string): Promise<boolean> {
  return authority.verify(token).then(
    () => false,
    () => true,
  );
}

function assertKeptNowhere(answer: Answer): void {
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers.pragma, 'no-cache');
}

function assertIssued(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.token_type, 'Bearer');
  assertKeptNowhere(answer);
}

function assertError(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, answer.text);
  const { body } = answer;
  assert.deepEqual(Object.keys(body), ['error', 'error_description', 'code', 'message']);
  assert.equal(body.error, error, answer.text);
  assert.equal(body.code.toLowerCase(), error.replaceAll('_', ''));
  assert.equal(body.message, body.error_description);
  assert.equal(answer.headers['www-authenticate'], status === 401 ? 'Basic realm="earmark"' : undefined);
  assert.match(answer.headers['content-type']!, /^application\/json/);
  assertKeptNowhere(answer);
}

function assertChallenged(answer: Answer, code: string, error: string): void {
  assertRefused(answer, { status: 401, code });
  const challenge = `Bearer realm="earmark", error="${error}", error_description="${answer.body.message}"`;
  assert.equal(answer.headers['www-authenticate'], challenge);
}
