// Tests of clients that authenticate by assertions (RFC 7523): claims, algorithms, replays, rotation and forbidden secrets.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SignJWT } from 'jose';
import {
  assertionForm,
  assertionOf,
  type KeyPair,
  newKey,
  proofOf,
  securedClient,
  sendJson,
  startKeyServer,
} from '../../../test/support/client-keys.ts';
import type { Answer } from '../../../test/support/http.ts';
import { assertError, assertIssued, base64, basic, GRANT, openClient } from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { changeTerms } from './application-key.ts';

const shared = await startService({ after }, { env: { TOKEN_FAILURES_PER_MINUTE: '0', WEBHOOK_ALLOW_PRIVATE: 'true' } });
const service = await openClient(shared);
const key = await newKey();
const { client_id, client_secret } = await securedClient(service, { keys: [key.jwk] });
const client = { client_id, url: service.url };

const ask = (assertion: string, more: Record<string, string> = {}) => service.post('/token', assertionForm(assertion, more));
const asked = async (change: Parameters<typeof assertionOf>[2], by: KeyPair = key) => ask(await assertionOf(by, client, change));

function assertClaimRefused(answer: Answer, message: RegExp): void {
  assertError(answer, 401, 'invalid_client');
  assert.match(answer.body.message, message);
}

for (const alg of ['ES256', 'EdDSA', 'PS256']) {
  test(`an application gets a token with an assertion by ${alg}, and no secret`, async () => {
    const own = await newKey(alg);
    const made = { ...(await securedClient(service, { keys: [own.jwk] })), url: service.url };
    const answer = await ask(await assertionOf(own, made));
    assertIssued(answer);
    assert.equal((await service.call('GET', '/', { token: answer.body.access_token })).status, 200);
  });
}

test('an Ed25519 key as WebCrypto exports it, with the alg of RFC 9864, is one for EdDSA', async () => {
  const own = await newKey('EdDSA');
  const jwk = { ...own.jwk, alg: 'Ed25519' };
  const made = { ...(await securedClient(service, { keys: [jwk] })), url: service.url };
  assertIssued(await ask(await assertionOf(own, made)));
});

test('an assertion is accepted with the client_id, and at the other endpoints', async () => {
  assertIssued(await ask(await assertionOf(key, client), { client_id }));
  const token = (await asked({})).body.access_token;
  const form = async () => ({ token, ...assertionForm(await assertionOf(key, client)) });
  assert.equal((await service.post('/token/introspect', await form())).body.active, true);
  assert.equal((await service.post('/token/revoke', await form())).status, 200);
  assert.equal((await service.post('/token/introspect', await form())).body.active, false);
});

test('an assertion is accepted once', async () => {
  const assertion = await assertionOf(key, client);
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(assertion)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
  assertClaimRefused(await ask(assertion), /jti was used before/);
  const jti = 'the same id';
  const other = await newKey();
  const another = { ...(await securedClient(service, { keys: [other.jwk] })), url: service.url };
  assertIssued(await asked({ claims: { jti } }));
  assertIssued(await ask(await assertionOf(other, another, { claims: { jti } })));
  assertClaimRefused(await asked({ claims: { jti } }), /jti was used before/);
});

test('an assertion is accepted once by two processes at once, and not after a restart', async (t) => {
  const beside = { beside: shared, processes: 1, env: { PUBLIC_URL: service.url } } as const;
  const second = await startService(t, beside);
  let form = '';
  const send = (one: typeof shared) => one.send('POST', '/token', { form });
  for (let round = 0; round < 5; round++) {
    form = new URLSearchParams(assertionForm(await assertionOf(key, client))).toString();
    const answers = await Promise.all([send(shared), send(second), send(second), send(shared)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    for (const answer of answers) if (answer.status !== 200) assertClaimRefused(answer, /jti was used before/);
  }
  assertClaimRefused(await send(await startService(t, beside)), /jti was used before/);
});

test('claims that are wrong are named, once the signature is right', async () => {
  const AHEAD_S = 65;
  const wrong: [claims: (nowS: number) => Record<string, unknown>, message: RegExp][] = [
    [() => ({ aud: [service.url] }), /aud is not http/],
    [() => ({ aud: `${service.url}/token` }), /aud is not http/],
    [() => ({ aud: undefined }), /aud is not http/],
    [() => ({ exp: undefined }), /exp is missing/],
    [(nowS) => ({ exp: nowS - 1 }), /exp is in the past/],
    [(nowS) => ({ iat: nowS - 61, exp: nowS - 1 }), /exp is in the past/],
    [(nowS) => ({ exp: nowS + 360, iat: nowS - 1 }), /exp is more than 300 seconds ahead/],
    [(nowS) => ({ exp: nowS + 400, iat: undefined }), /exp is more than 300 seconds ahead/],
    [(nowS) => ({ iat: nowS + AHEAD_S, exp: nowS + 2 * AHEAD_S }), /iat is in the future/],
    [(nowS) => ({ nbf: nowS + AHEAD_S }), /nbf is in the future/],
    [() => ({ jti: undefined }), /jti is missing/],
    [() => ({ jti: '' }), /jti is missing/],
    [() => ({ jti: 'x'.repeat(300) }), /jti is missing, or longer/],
    [() => ({ jti: 7 }), /jti is missing/],
  ];
  const askWrong = (claims: (typeof wrong)[number][0], by?: KeyPair) =>
    asked({ claims: claims(Math.floor(Date.now() / 1000)) }, by);
  for (const [claims, message] of wrong) assertClaimRefused(await askWrong(claims), message);
  const stranger = await newKey();
  const answers = await Promise.all(wrong.map(([claims]) => askWrong(claims, stranger)));
  for (const answer of answers) assertClaimRefused(answer, /^Client authentication failed\.$/);
});

test('an assertion of another client is refused', async () => {
  const other = await securedClient(service, { keys: [(await newKey()).jwk] });
  assertClaimRefused(
    await ask(await assertionOf(key, { ...client, client_id: other.client_id })),
    /^Client authentication failed/,
  );
  assertError(await ask(await assertionOf(key, client), { client_id: other.client_id }), 400, 'invalid_request');
  assertError(await asked({ claims: { iss: 'https://issuer.example' } }), 400, 'invalid_request');
  const mixed = await ask(await assertionOf(key, client, { claims: { iss: other.client_id } }), { client_id });
  assertClaimRefused(mixed, /iss is not the client_id/);
});

test('no header of an assertion chooses the key or the algorithm, or makes the service ask an address', async (t) => {
  const stranger = await newKey();
  const their = await startKeyServer(t, (_request, response) => sendJson(response, { keys: [stranger.jwk] }));
  const { x, y } = key.jwk as unknown as { x: string; y: string };
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const publicTexts = [JSON.stringify(key.jwk), point, Buffer.from(x, 'base64url')];
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: client_id, sub: client_id, aud: service.url, jti: 'x', exp: now + 60 };
  for (const secret of publicTexts) {
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret as string));
    assertClaimRefused(await ask(forged), /^Client authentication failed/);
  }
  const part = (value: object) => base64(JSON.stringify(value)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
  for (const alg of ['none', 'None', '']) assertError(await ask(`${part({ alg })}.${part(claims)}.`), 401, 'invalid_client');
  for (const header of [
    { jwk: stranger.jwk },
    { jku: `${their.url}/keys` },
    { x5u: `${their.url}/cert` },
    { kid: '../../keys' },
    { kid: "' or 1 = 1 --" },
    { kid: key.thumbprint, jku: `${their.url}/keys` },
  ])
    assertClaimRefused(await asked({ header }, stranger), /^Client authentication failed/);
  assertIssued(await asked({ header: { jku: `${their.url}/keys`, x5u: `${their.url}/cert` } }));
  assert.equal(their.counted.requests, 0);
  assertError(await asked({ header: { typ: 'at+jwt' } }), 401, 'invalid_client');
  assertError(await ask(await proofOf(key, { method: 'POST', url: `${service.url}/token` })), 401, 'invalid_client');
  const rsa = await newKey('PS256');
  const rs = { ...rsa, alg: 'RS256' };
  const own = await securedClient(service, { keys: [rsa.jwk] });
  const { importJWK, exportJWK } = await import('jose');
  const asRs = (await importJWK({ ...(await exportJWK(rsa.privateKey)), alg: 'RS256' }, 'RS256')) as typeof rsa.privateKey;
  const weak = await assertionOf({ ...rs, privateKey: asRs }, { ...own, url: service.url });
  assertClaimRefused(await ask(weak), /^Client authentication failed/);
});

test('what is not an assertion is refused', async () => {
  for (const text of ['x', 'a.b.c', '..', `${await assertionOf(key, client)}x`, 'x'.repeat(9000)]) {
    assertError(await ask(text), 401, 'invalid_client');
  }
  const assertion = await assertionOf(key, client);
  const form = assertionForm(assertion);
  assertError(await service.post('/token', { ...form, client_secret }), 400, 'invalid_request');
  assertError(await service.post('/token', form, basic(`${client_id}:${client_secret}`)), 400, 'invalid_request');
  assertError(await service.post('/token', { ...form, client_assertion_type: 'x' }), 401, 'invalid_client');
  assertError(await service.post('/token', { ...GRANT, client_assertion: assertion }), 400, 'invalid_request');
  assertError(
    await service.post('/token', { ...GRANT, client_assertion_type: form.client_assertion_type! }),
    400,
    'invalid_request',
  );
});

test('two keys work at once, and a key that was removed does not', async () => {
  const next = await newKey('EdDSA');
  const made = await securedClient(service, { keys: [{ ...key.jwk, kid: 'first' }] });
  const as = async (by: KeyPair, header = {}) => ask(await assertionOf(by, { ...made, url: service.url }, { header }));
  assertIssued(await as(key, { kid: 'first' }));
  assertError(await as(key, { kid: 'second' }), 401, 'invalid_client');
  assertError(await as(next), 401, 'invalid_client');
  await service.change((tx) => changeTerms(tx, made.client_id, { keys: [key.jwk, next.jwk] }));
  await waitUntil('the next key is known', async () => (await as(next)).status === 200);
  assertIssued(await as(key));
  await service.change((tx) => changeTerms(tx, made.client_id, { keys: [next.jwk] }));
  await waitUntil('the former key is refused', async () => (await as(key)).status === 401);
  assertIssued(await as(next));
});

test('an application that forbids its secret has only its key', async () => {
  const made = await securedClient(service, { keys: [key.jwk] });
  assertIssued(await service.ask(made.client_id, made.client_secret));
  await service.change((tx) => changeTerms(tx, made.client_id, { isSecretForbidden: true }));
  await waitUntil('the secret is refused', async () => (await service.ask(made.client_id, made.client_secret)).status === 401);
  assertClaimRefused(await service.ask(made.client_id, made.client_secret), /must authenticate with its key/);
  assertClaimRefused(await service.ask(made.client_id, 'wrong'), /^Client authentication failed/);
  assertIssued(await ask(await assertionOf(key, { ...made, url: service.url })));
});

test('the last use of a key is stored', async () => {
  const made = await securedClient(service, { keys: [key.jwk] });
  assertIssued(await ask(await assertionOf(key, { ...made, url: service.url })));
  await waitUntil('the use is stored', async () => {
    const [row] = await shared.sql<{ lastUsed: Date | null }>`
      select last_used from application_key where application_id = ${made.client_id} and thumbprint = ${key.thumbprint}`;
    return row?.lastUsed !== null;
  });
});
