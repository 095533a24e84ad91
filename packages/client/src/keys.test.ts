// Tests of clients with a key instead of a secret, and of tokens that are bound to a key, against a running service.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { ClientJwk } from '../../../src/resources/oauth/client-key.ts';
import { newKey, securedClient } from '../../../test/support/client-keys.ts';
import { usd } from '../../../test/support/data.ts';
import { openClient } from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';
import { Earmark, type EarmarkOptions, ForbiddenError, InvalidAccessTokenError, TokenRefusedError } from './client.ts';

const service = await openClient(await startService({ after }));
const { url, credentials } = service;
const { client_id: clientId, client_secret: clientSecret } = credentials;

const ALGORITHMS = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  EdDSA: { name: 'Ed25519' },
  PS256: { name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
};

const makePair = (alg: keyof typeof ALGORITHMS, isExtractable = false) =>
  crypto.subtle.generateKey(ALGORITHMS[alg] as EcKeyGenParams, isExtractable, ['sign', 'verify']);

/** A new application with this public key. */
async function applicationWith(publicKey: CryptoKey): Promise<string> {
  const jwk = (await crypto.subtle.exportKey('jwk', publicKey)) as ClientJwk;
  return (
    await securedClient(service, { keys: [{ kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y, n: jwk.n, e: jwk.e }] as never })
  ).client_id;
}

/** A client, and its requests. */
function watch(options: Omit<EarmarkOptions, 'url'>, fail = 0) {
  const sent: { path: string; headers: Headers; form: URLSearchParams; status: number }[] = [];
  let failures = fail;
  const earmark = new Earmark({
    ...({ url, ...options } as EarmarkOptions),
    fetch: async (target, init) => {
      const path = new URL(String(target)).pathname;
      const response = await fetch(target, init);
      const form = new URLSearchParams(init?.body instanceof URLSearchParams ? init.body : '');
      sent.push({ path, headers: new Headers(init?.headers), form, status: response.status });
      // The service got it, and the client does not learn it.
      if (failures-- > 0) throw new TypeError('the connection broke');
      return response;
    },
  });
  return { earmark, sent };
}

for (const alg of ['ES256', 'EdDSA', 'PS256'] as const) {
  test(`a client gets its tokens with a private key for ${alg}, which cannot be read`, async () => {
    const { privateKey, publicKey } = await makePair(alg);
    const own = await applicationWith(publicKey);
    const { earmark, sent } = watch({ clientId: own, privateKey });
    await earmark.root();
    assert.deepEqual(
      sent.map(({ path }) => path),
      ['/token', '/'],
    );
    assert.deepEqual([...sent[0]!.form.keys()], ['grant_type', 'client_assertion_type', 'client_assertion']);
    assert.equal(decodeProtectedHeader(sent[0]!.form.get('client_assertion')!).alg, alg);
  });

  test(`a private JWK for ${alg} is imported, and its kid is sent`, async () => {
    const { privateKey, publicKey } = await makePair(alg, true);
    const jwk = { ...(await crypto.subtle.exportKey('jwk', privateKey)), kid: '2026-05', use: 'sig', alg };
    const { earmark, sent } = watch({ clientId: await applicationWith(publicKey), privateKey: jwk });
    await earmark.root();
    assert.equal(decodeProtectedHeader(sent[0]!.form.get('client_assertion')!).kid, '2026-05');
  });
}

test('each attempt has an assertion and a proof of its own', async () => {
  const { privateKey, publicKey } = await makePair('ES256');
  const { earmark, sent } = watch({ clientId: await applicationWith(publicKey), privateKey, dpop: true }, 3);
  await earmark.root();
  assert.deepEqual(
    sent.map(({ path, status }) => `${path} ${status}`),
    [...['/token 200', '/token 200', '/token 200', '/token 200'], '/ 200'],
  );
  const ids = sent.slice(0, 4).map(({ form }) => decodeJwt(form.get('client_assertion')!).jti);
  assert.equal(new Set(ids).size, 4);
  assert.equal(new Set(sent.map(({ headers }) => decodeJwt(headers.get('dpop')!).jti)).size, 5);
});

test('with dpop, tokens are bound and each call has a proof', async () => {
  const { earmark, sent } = watch({ clientId, clientSecret, dpop: true });
  const customer = await service.newCustomer({ available: '10.00' });
  const label = await earmark.labels.create(customer, { amount: usd('1.00') });
  await earmark.labels.list(customer, { limit: 1 }).page();
  await earmark.labels.get(label);
  const [, ...calls] = sent;
  const token = await earmark.accessToken();
  assert.deepEqual(
    calls.map(({ headers, status }) => [headers.get('authorization'), status]),
    [201, 200, 200].map((status) => [`DPoP ${token}`, status]),
  );
  assert.ok((decodeJwt(token).cnf as { jkt?: string }).jkt);
  const stolen = new Earmark({ url, token });
  await assert.rejects(stolen.root(), InvalidAccessTokenError);
  await assert.rejects(new Earmark({ url, token, dpop: true }).root(), /jwk is not the key of the token/);
});

test('a page keeps its key pair, and its server gets bound tokens with the proofs that the page makes', async () => {
  const pair = await makePair('ES256');
  const proofs: (string | undefined)[] = [];
  const token = async (proof?: string) => {
    proofs.push(proof);
    const { body } = await service.post('/token', { grant_type: 'client_credentials', ...credentials }, { dpop: proof! });
    return body.access_token;
  };
  const { earmark } = watch({ token, dpop: pair });
  await earmark.root();
  await new Earmark({ url, token, dpop: pair }).root();
  const keys = proofs.map((proof) => JSON.stringify(decodeProtectedHeader(proof!).jwk));
  assert.equal(new Set(keys).size, 1);
  const asked: unknown[] = [];
  await new Earmark({
    url,
    token: async (...given) =>
      service.token +
      asked
        .push(...given)
        .toString()
        .slice(1),
  }).root();
  assert.deepEqual(asked, [undefined], 'no proof without dpop');
});

test('a page gets a token for one customer, bound to its own key, from a server that has the key of the application', async () => {
  const { privateKey, publicKey } = await makePair('EdDSA');
  const server = new Earmark({ url, clientId: await applicationWith(publicKey), privateKey, dpop: true });
  const customer = await service.newCustomer({ available: '10.00' });
  const token = async (proof?: string) => (await server.customerToken(customer, { proof })).access_token;
  const page = new Earmark({ url, token, dpop: true });
  assert.equal((await page.customers.balance(customer)).balances[0]!.total.value, '10.00');
  await assert.rejects(page.labels.create(customer, { amount: usd('1.00') }), ForbiddenError);
  await assert.rejects(page.customers.get(await service.newCustomer()), ForbiddenError);
  const { scope, token_type } = await server.customerToken(customer, { actions: ['read', 'write'] });
  assert.deepEqual([scope, token_type], ['read write', 'Bearer']);
  await assert.rejects(page.customerToken(customer), TypeError);
});

test('a nonce that the service requires is taken from its refusal', async (t) => {
  const strict = await openClient(await startService(t, { env: { DPOP_NONCE: 'required' }, processes: 1 }));
  const paths: string[] = [];
  const earmark = new Earmark({
    url: strict.url,
    clientId: strict.client.client_id,
    clientSecret: strict.client.client_secret,
    dpop: true,
    fetch: (target, init) => {
      paths.push(new URL(String(target)).pathname);
      return fetch(target, init);
    },
  });
  await earmark.root();
  await earmark.root();
  assert.deepEqual(paths, ['/token', '/token', '/', '/']);
});

test('keys that cannot be used are refused before anything is sent', async () => {
  const { privateKey } = await newKey('RS256');
  const { jwk } = await newKey();
  for (const wrong of [jwk, { kty: 'oct', k: 'AAAA' }, {}, privateKey]) {
    const { earmark, sent } = watch({ clientId, privateKey: wrong as JsonWebKey });
    await assert.rejects(earmark.root(), TypeError);
    assert.deepEqual(sent, []);
  }
  const { privateKey: stranger } = await makePair('EdDSA');
  await assert.rejects(watch({ clientId, privateKey: stranger }).earmark.root(), TokenRefusedError);
});
