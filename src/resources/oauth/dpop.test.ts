// Tests of tokens that are bound to a key (RFC 9449): proofs at /token and on requests, replays in two processes, and downgrades.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { decodeJwt, exportJWK, SignJWT } from 'jose';
import { type KeyPair, newKey, proofOf, securedClient, sendJson, startKeyServer } from '../../../test/support/client-keys.ts';
import { type Answer, assertRefused } from '../../../test/support/http.ts';
import { assertChallenged, assertError, base64, GRANT, openClient } from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { systemClock } from '../../core/clock.ts';
import { changeTerms } from './application-key.ts';
import { openProofs } from './proof.ts';

const shared = await startService({ after }, { env: { TOKEN_FAILURES_PER_MINUTE: '0' } });
const service = await openClient(shared);
const { url, client, call } = service;
const key = await newKey();

type Change = Parameters<typeof proofOf>[2];
type Secret = { client_id: string; client_secret: string };

/** Asks for a token with a proof. */
async function ask(by: KeyPair, change: Change = {}, who: Secret = client): Promise<Answer> {
  const dpop = await proofOf(by, { method: 'POST', url: `${url}/token` }, change);
  return askWith(dpop, who);
}

function askWith(dpop: string, { client_id, client_secret }: Secret = client): Promise<Answer> {
  return service.post('/token', { ...GRANT, client_id, client_secret }, { dpop });
}

async function boundToken(by: KeyPair = key, who: Secret = client): Promise<string> {
  const answer = await ask(by, {}, who);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.access_token;
}

const headers = (token: string, dpop: string, scheme = 'DPoP') => ({ authorization: `${scheme} ${token}`, dpop });

/** Calls with a valid proof, except for what is changed. */
async function prove(
  token: string,
  change: Change = {},
  { by = key, method = 'GET', path = '/customers' } = {},
): Promise<Answer> {
  const dpop = await proofOf(by, { method, url: `${url}${path.replace(/\?.*/, '')}`, token }, change);
  return call(method, path, { token: undefined, headers: headers(token, dpop) });
}

function assertProofRefused(answer: Answer, message: RegExp, error = 'invalid_dpop_proof'): void {
  assertRefused(answer, { status: 401, code: 'InvalidAccessToken' });
  assert.match(answer.body.message, message);
  const challenge = answer.headers['www-authenticate']!;
  assert.ok(challenge.startsWith(`DPoP realm="earmark", error="${error}", error_description="`), challenge);
  assert.ok(challenge.endsWith(', algs="ES256 EdDSA PS256"'), challenge);
}

for (const alg of ['ES256', 'EdDSA', 'PS256']) {
  test(`a token is bound to a key by ${alg}, and each request proves it`, async () => {
    const by = await newKey(alg);
    const issued = await ask(by);
    assert.deepEqual([issued.status, issued.body.token_type], [200, 'DPoP'], issued.text);
    const token = issued.body.access_token;
    assert.deepEqual(decodeJwt(token).cnf, { jkt: by.thumbprint });
    for (let time = 0; time < 3; time++) assert.equal((await prove(token, {}, { by })).status, 200);
    assert.equal((await prove(token, {}, { by, path: '/customers?limit=1' })).status, 200);
    const { credentials } = service;
    const { body } = await service.post('/token/introspect', { ...credentials, token });
    assert.deepEqual([body.active, body.token_type, body.cnf], [true, 'DPoP', { jkt: by.thumbprint }]);
  });
}

test('a proof is for one method and one URL', async () => {
  const token = await boundToken();
  const other = new URL(url);
  other.port = '1';
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ htm: 'POST' }, /htm is not/],
    [{ htm: 'get' }, /htm is not/],
    [{ htm: undefined }, /htm is not/],
    [{ htu: `${url}/labels` }, /htu is not/],
    [{ htu: `${url}/customers/` }, /htu is not/],
    [{ htu: `${url}/Customers` }, /htu is not/],
    [{ htu: `${url}//customers` }, /htu is not/],
    [{ htu: `${url}/x%2Fcustomers` }, /htu is not/],
    [{ htu: `${other.origin}/customers` }, /htu is not/],
    [{ htu: `${url.replace('http:', 'https:')}/customers` }, /htu is not/],
    [{ htu: `${url.replace('localhost', 'localhost.')}/customers` }, /htu is not/],
    [{ htu: `${url.replace('localhost', '127.0.0.1')}/customers` }, /htu is not/],
    [{ htu: `${url.replace('http://', 'http://user@')}/customers` }, /htu is not/],
    [{ htu: '/customers' }, /htu is not/],
    [{ htu: [`${url}/customers`] }, /htu is not/],
    [{ htu: undefined }, /htu is not/],
  ];
  for (const [claims, message] of cases) assertProofRefused(await prove(token, { claims }), message);
  for (const htu of [
    `${url}/%63ustomers`,
    `${url}/customers?limit=5#x`,
    `${url.replace('http://localhost', 'HTTP://LOCALHOST')}/customers`,
    `${url}/x/../customers`,
  ])
    assert.equal((await prove(token, { claims: { htu } })).status, 200, htu);
  const get = await proofOf(key, { method: 'GET', url: `${url}/customers`, token });
  const posted = await call('POST', '/customers', { token: undefined, body: {}, headers: headers(token, get) });
  assertProofRefused(posted, /htm is not/);
});

test('a proof is accepted within a minute of its time, with the hash of its token', async () => {
  const token = await boundToken();
  const nowS = () => Math.floor(Date.now() / 1000);
  for (const iat of [
    () => nowS() - 61,
    () => nowS() + 65,
    () => nowS() * 1000,
    () => undefined,
    () => String(nowS()),
    () => null,
  ]) {
    assertProofRefused(await prove(token, { claims: { iat: iat() } }), /iat is more than 60 seconds/);
  }
  for (const offset of [-55, 57]) assert.equal((await prove(token, { claims: { iat: nowS() + offset } })).status, 200);
  for (const ath of [undefined, '', 'x', decodeJwt(await boundToken()).jti]) {
    assertProofRefused(await prove(token, { claims: { ath } }), /ath is not the hash/);
  }
  for (const jti of [undefined, '', 7, 'x'.repeat(257)])
    assertProofRefused(await prove(token, { claims: { jti } }), /jti is missing/);
});

test('a proof is accepted once, also by two processes at once, and after a restart', async (t) => {
  const beside = await startService(t, { beside: shared, processes: 1, env: { PUBLIC_URL: url } });
  const token = await boundToken();
  for (let round = 0; round < 10; round++) {
    const dpop = await proofOf(key, { method: 'GET', url: `${url}/customers`, token });
    const send = (one: typeof shared.send) => one('GET', '/customers', { token: undefined, headers: headers(token, dpop) });
    const answers = await Promise.all([send(shared.send), send(beside.send), send(shared.send), send(beside.send)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    for (const answer of answers) if (answer.status !== 200) assertProofRefused(answer, /jti was used before/);
    if (round > 0) continue;
    const later = await startService(t, { beside: shared, processes: 1, env: { PUBLIC_URL: url } });
    assertProofRefused(await send(later.send), /jti was used before/);
  }
  const dpop = await proofOf(key, { method: 'POST', url: `${url}/token` });
  const asked = await Promise.all([askWith(dpop), askWith(dpop), askWith(dpop)]);
  assert.deepEqual(asked.map(({ status }) => status).sort(), [200, 400, 400]);
});

test('used ids are forgotten once they cannot be used any more, and their number is bounded', async () => {
  const token = await boundToken();
  await shared.sql`
    insert into used_proof (hash, expires) select gen_random_uuid(), now() - interval '1 second' from generate_series(1, 20)`;
  const old = async () =>
    Number((await shared.sql<{ n: bigint }>`select count(*) as n from used_proof where expires < now()`)[0]!.n);
  await waitUntil(
    'they are deleted',
    async () => {
      assert.equal((await prove(token)).status, 200);
      return (await old()) === 0;
    },
    30_000,
  );
  const rows = await shared.sql<{ bytes: number; lasts: number }>`
    select pg_column_size(u) as bytes, extract(epoch from expires - now())::int as lasts from used_proof u order by expires desc limit 1`;
  assert.ok(rows[0]!.lasts <= 181 && rows[0]!.bytes < 60, JSON.stringify(rows));
});

test('a proof whose use cannot be stored is not accepted', async () => {
  const token = await boundToken();
  const dpop = await proofOf(key, { method: 'GET', url: `${url}/customers`, token });
  const send = () => call('GET', '/customers', { token: undefined, headers: headers(token, dpop) });
  await shared.sql`alter table used_proof rename to used_proof_away`;
  try {
    assert.ok((await send()).status >= 500);
  } finally {
    await shared.sql`alter table used_proof_away rename to used_proof`;
  }
  assert.deepEqual([(await send()).status, (await send()).status], [200, 401]);
});

test('more keys than are kept in memory prove their own tokens only', async () => {
  const used = new Set<string>();
  const replays = { use: async ({ jti }: { jti: string }) => used.size < used.add(jti).size };
  const proofs = openProofs({ issuer: () => url, clock: systemClock, replays, nonces: undefined, signersMax: 2 });
  const check = async (by: KeyPair, header = {}) =>
    proofs.check(await proofOf(by, { method: 'GET', url: `${url}/customers` }, { header }), {
      applicationId: client.client_id,
      method: 'GET',
      path: '/customers',
    });
  const others = await Promise.all([newKey('EdDSA'), newKey('ES256'), newKey('EdDSA')]);
  for (const by of [key, ...others, key, ...others]) {
    assert.equal(await check(by), by.thumbprint);
    // One key can send many headers, each of which is remembered.
    for (const kid of ['a', 'b']) assert.equal(await check(by, { kid }), by.thumbprint);
  }
  await assert.rejects(check(others[1]!, { jwk: key.jwk }), /signature is wrong/);
});

test('a bound token is refused as a bearer token, and a bearer token as a bound one', async () => {
  const token = await boundToken();
  const dpop = await proofOf(key, { method: 'GET', url: `${url}/customers`, token });
  for (const given of [
    { authorization: `Bearer ${token}` },
    { authorization: `bearer ${token}` },
    headers(token, dpop, 'Bearer'),
  ]) {
    for (let time = 0; time < 2; time++) {
      assertProofRefused(
        await call('GET', '/customers', { token: undefined, headers: given }),
        /bound to a key/,
        'invalid_token',
      );
    }
  }
  const plain = service.token;
  for (let time = 0; time < 2; time++) assertProofRefused(await prove(plain), /not bound to a key/, 'invalid_token');
  assert.equal((await call('GET', '/customers', { token: plain })).status, 200);
  assertProofRefused(
    await call('GET', '/customers', { token: undefined, headers: { authorization: `DPoP ${token}` } }),
    /DPoP is missing/,
  );
  assert.equal((await call('GET', '/customers', { token: undefined, headers: headers(token, dpop, 'dpop') })).status, 200);
});

test('a stolen token is of no use with another key, and a stolen proof of none with another token', async () => {
  const token = await boundToken();
  const thief = await newKey();
  assertProofRefused(await prove(token, {}, { by: thief }), /jwk is not the key of the token/);
  assertProofRefused(await prove(token, { header: { jwk: key.jwk } }, { by: thief }), /signature is wrong/);
  const dpop = await proofOf(key, { method: 'GET', url: `${url}/customers`, token });
  const other = await boundToken();
  assertProofRefused(await call('GET', '/customers', { token: undefined, headers: headers(other, dpop) }), /ath is not/);
});

test('no header of a proof weakens its signature, or makes the service ask an address', async (t) => {
  const token = await boundToken();
  const claims = { htm: 'GET', htu: `${url}/customers`, iat: Math.floor(Date.now() / 1000), jti: randomUUID() };
  const part = (value: object) => base64(JSON.stringify(value)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
  const send = (dpop: string | string[]) =>
    call('GET', '/customers', { token: undefined, headers: { authorization: `DPoP ${token}`, dpop } });
  const { jwk } = key;
  assertProofRefused(await send(`${part({ alg: 'none', typ: 'dpop+jwt', jwk })}.${part(claims)}.`), /not one signed JWT/);
  assertProofRefused(await send(`${part({ alg: 'none', typ: 'dpop+jwt', jwk })}.${part(claims)}.AAAA`), /alg is not one of/);
  const hmac = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: jwk as object });
  assertProofRefused(await send(await hmac.sign(Buffer.from(JSON.stringify(jwk)))), /alg is not one of/);
  const oct = { kty: 'oct', k: 'AAAA' };
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ typ: 'JWT' }, /typ is not/],
    [{ typ: undefined }, /typ is not/],
    [{ jwk: undefined }, /jwk is not accepted/],
    [{ jwk: oct }, /private or secret/],
    [{ jwk: await exportJWK(key.privateKey) }, /private or secret/],
    [{ jwk: undefined, jku: 'http://127.0.0.1:1/' }, /jwk is not accepted/],
    [{ jwk: undefined, kid: key.thumbprint }, /jwk is not accepted/],
    [{ jwk: { ...jwk, crv: 'secp256k1' } }, /jwk is not accepted/],
  ];
  for (const [header, message] of cases) assertProofRefused(await prove(token, { header }), message);
  const critical = { alg: 'ES256', typ: 'dpop+jwt', jwk, crit: ['x'], x: 1 };
  assertProofRefused(await send(`${part(critical)}.${part(claims)}.AAAA`), /crit is not supported/);
  const stranger = await newKey();
  const their = await startKeyServer(t, (_request, response) => sendJson(response, { keys: [stranger.jwk] }));
  const named = { jku: `${their.url}/keys`, x5u: `${their.url}/cert`, kid: '../../keys' };
  assert.equal((await prove(token, { header: named })).status, 200);
  assertProofRefused(await prove(token, { header: { ...named, jwk } }, { by: stranger }), /The signature is wrong/);
  assert.equal(their.counted.requests, 0);
  const good = await proofOf(key, { method: 'GET', url: `${url}/customers`, token });
  const second = await proofOf(key, { method: 'GET', url: `${url}/customers`, token });
  for (const dpop of [[good, second], '', 'x', '..', `${good}.x`, `${good} `.repeat(20)]) {
    assertProofRefused(await send(dpop), /not one signed JWT/);
  }
  assert.equal((await send(good)).status, 200);
});

test('wrong proofs at /token are refused in the format of OAuth', async () => {
  const cases: [Change, RegExp][] = [
    [{ claims: { htu: `${url}/customers` } }, /htu is not/],
    [{ claims: { htm: 'GET' } }, /htm is not/],
    [{ claims: { iat: 1 } }, /iat is more/],
    [{ header: { typ: 'JWT' } }, /typ is not/],
  ];
  for (const [change, message] of cases) {
    const answer = await ask(key, change);
    assertError(answer, 400, 'invalid_dpop_proof');
    assert.match(answer.body.message, message);
  }
});

test('an application can require DPoP', async () => {
  const made = await securedClient(service, {});
  const { body } = await service.ask(made.client_id, made.client_secret);
  const bearer = body.access_token;
  assert.equal((await call('GET', '/', { token: bearer })).status, 200);
  await service.change((tx) => changeTerms(tx, made.client_id, { requiredBinding: 'dpop' }));
  await waitUntil('older tokens are refused', async () => (await call('GET', '/', { token: bearer })).status === 401);
  assertError(await service.ask(made.client_id, made.client_secret), 400, 'invalid_dpop_proof');
  const token = await boundToken(key, made);
  assert.equal((await prove(token, {}, { path: '/' })).status, 200);
});

test('a token that is refused for now, as not bound, can be revoked', async () => {
  const { client_id, client_secret } = await securedClient(service, {});
  const tokens: string[] = [];
  for (let token = 0; token < 2; token++) tokens.push((await service.ask(client_id, client_secret)).body.access_token);
  const [revoked, kept] = tokens;
  const answers = (token: string | undefined, status: number) =>
    waitUntil(`a call is ${status}`, async () => (await call('GET', '/', { token })).status === status);
  await service.change((tx) => changeTerms(tx, client_id, { requiredBinding: 'dpop' }));
  await answers(revoked, 401);
  assert.equal((await service.post('/token/revoke', { client_id, client_secret, token: revoked! })).status, 200);
  await service.change((tx) => changeTerms(tx, client_id, { requiredBinding: null }));
  await answers(kept, 200);
  assertChallenged(await call('GET', '/', { token: revoked }), 'InvalidAccessToken', 'invalid_token');
});

test('a nonce of one process is good for the others, until its three minutes are over', async (t) => {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
  const env = { DPOP_NONCE: 'required' };
  const first = await startService(t, { env, processes: 1, clock });
  const second = await startService(t, { beside: first, env: { ...env, PUBLIC_URL: first.url }, processes: 1, clock });
  const ask = async (one: typeof first, nonce?: string) => {
    const iat = Math.floor(clock.now().getTime() / 1000);
    const dpop = await proofOf(key, { method: 'POST', url: `${first.url}/token`, nonce }, { claims: { iat } });
    const { client_id, client_secret } = first.client;
    const form = new URLSearchParams({ ...GRANT, client_id, client_secret }).toString();
    return one.send('POST', '/token', { form, headers: { dpop } });
  };
  const nonce = String((await ask(first)).headers['dpop-nonce']);
  assert.equal((await ask(second, nonce)).status, 200);
  aheadMs = 119_000;
  assert.equal((await ask(first, nonce)).status, 200);
  aheadMs = 181_000;
  for (const one of [first, second]) assertError(await ask(one, nonce), 400, 'use_dpop_nonce');
});

test('a nonce of the service can be required', async (t) => {
  const strict = await openClient(await startService(t, { env: { DPOP_NONCE: 'required' }, processes: 1 }));
  const at = (path: string) => `${strict.url}${path}`;
  const token = async (nonce?: string) => {
    const dpop = await proofOf(key, { method: 'POST', url: at('/token'), nonce });
    return strict.post('/token', { ...GRANT, ...strict.credentials }, { dpop });
  };
  const first = await token();
  assertError(first, 400, 'use_dpop_nonce');
  const nonce = String(first.headers['dpop-nonce']);
  assertError(await token('invented'), 400, 'use_dpop_nonce');
  const issued = await token(nonce);
  assert.equal(issued.body.token_type, 'DPoP');
  const access = issued.body.access_token;
  const get = async (given?: string) => {
    const dpop = await proofOf(key, { method: 'GET', url: at('/customers'), token: access, nonce: given });
    return strict.call('GET', '/customers', { token: undefined, headers: headers(access, dpop) });
  };
  const refused = await get();
  assertProofRefused(refused, /nonce is missing or too old/, 'use_dpop_nonce');
  const answer = await get(String(refused.headers['dpop-nonce']));
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers['dpop-nonce']), /^[A-Za-z0-9_-]{24}$/);
});
