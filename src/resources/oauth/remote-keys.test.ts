// Tests of keys at addresses: key sets of applications and issuers of workload identities, and servers that do harm.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  assertionForm,
  assertionOf,
  type KeyPair,
  newKey,
  securedClient,
  sendJson,
  startKeyServer,
} from '../../../test/support/client-keys.ts';
import { assertRefused } from '../../../test/support/http.ts';
import { assertError, assertIssued, openClient } from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';
import { createAddressPolicy } from '../../platform/http/address-policy.ts';
import { openSender } from '../../platform/http/send.ts';
import { openRemoteKeys } from './remote-keys.ts';

const shared = await startService(
  { after },
  { env: { WEBHOOK_ALLOW_PRIVATE: 'true', TOKEN_FAILURES_PER_MINUTE: '0' }, processes: 1 },
);
const service = await openClient(shared);
const key = await newKey();

const ask = (assertion: string, more: Record<string, string> = {}) => service.post('/token', assertionForm(assertion, more));
const askAs = async (client_id: string, by: KeyPair) => ask(await assertionOf(by, { client_id, url: service.url }));

test('keys at an address are read once, and again for a key that they lack', async (t) => {
  let keys = [key.jwk];
  const server = await startKeyServer(t, (_request, response) => sendJson(response, { keys }));
  const { client_id } = await securedClient(service, { jwksUri: `${server.url}/keys` });
  for (let time = 0; time < 3; time++) assertIssued(await askAs(client_id, key));
  assert.equal(server.counted.requests, 1);
  const next = await newKey('EdDSA');
  keys = [next.jwk];
  for (let time = 0; time < 3; time++) assertError(await askAs(client_id, next), 401, 'invalid_client');
  assert.equal(server.counted.requests, 1, 'unknown keys cause no requests for half a minute');
});

test('a set of keys is read again after 20 minutes, and after 30 seconds for an unknown key', async (t) => {
  let keys = [key.jwk];
  const server = await startKeyServer(t, (_request, response) => sendJson(response, { keys }));
  const sender = openSender(createAddressPolicy({ mode: 'sandbox', webhookAllowPrivate: true, webhookPorts: undefined }));
  t.after(async () => sender.close());
  const remote = openRemoteKeys(sender, { warn() {} });
  const source = { jwksUri: server.url };
  const read = async (options?: { isUnknown: true }) =>
    (await remote.keysOf(source, options)).map(({ thumbprint }) => thumbprint);
  const startMs = performance.now();
  let aheadMs = 0;
  t.mock.method(performance, 'now', () => startMs + aheadMs);
  assert.deepEqual(await read(), [key.thumbprint]);
  const next = await newKey();
  keys = [next.jwk];
  aheadMs = 29_000;
  assert.deepEqual(await read({ isUnknown: true }), [key.thumbprint]);
  aheadMs = 31_000;
  assert.deepEqual(await read(), [key.thumbprint]);
  assert.deepEqual(await read({ isUnknown: true }), [next.thumbprint]);
  keys = [key.jwk];
  aheadMs += 19 * 60_000;
  assert.deepEqual(await read(), [next.thumbprint]);
  aheadMs += 2 * 60_000;
  assert.deepEqual(await read(), [key.thumbprint]);
});

test('a thousand addresses are remembered, and the oldest one is read again after that', async (t) => {
  const server = await startKeyServer(t, (_request, response) => sendJson(response, { keys: [key.jwk] }));
  const sender = openSender(createAddressPolicy({ mode: 'sandbox', webhookAllowPrivate: true, webhookPorts: undefined }));
  t.after(async () => sender.close());
  const remote = openRemoteKeys(sender, { warn() {} });
  const read = async (number: number) => (await remote.keysOf({ jwksUri: `${server.url}/${number}` })).length;
  for (let number = 0; number < 1_000; number++) assert.equal(await read(number), 1);
  assert.deepEqual([await read(0), server.counted.requests], [1, 1_000], 'all are remembered');
  assert.equal(await read(1_000), 1);
  assert.deepEqual([await read(999), server.counted.requests], [1, 1_001], 'the newest are remembered');
  assert.deepEqual([await read(0), server.counted.requests], [1, 1_002], 'the oldest is read again');
});

test('an issuer that redirects, is too large, or whose document names an address inside the network is not believed', async (t) => {
  const server = await startKeyServer(t, (request, response) => {
    const issuer = `${server.url}${request.url!.replace('/.well-known/openid-configuration', '')}`;
    if (request.url!.startsWith('/moved')) return void response.writeHead(307, { location: '/good' }).end();
    const padding = request.url!.startsWith('/large') ? 'x'.repeat(10_000_000) : '';
    const jwks_uri = request.url!.startsWith('/inside') ? 'file:///etc/passwd' : 'http://169.254.169.254/keys';
    sendJson(response, { issuer, jwks_uri, padding });
  });
  const subject = 'worker';
  for (const path of ['moved', 'large', 'inside']) {
    const issuer = `${server.url}/${path}`;
    const { client_id } = await securedClient(service, { trust: { issuer, subject } });
    const token = await assertionOf(key, { client_id, url: service.url }, { claims: { iss: issuer, sub: subject } });
    assertRefused(await ask(token, { client_id }), { status: 503, code: 'ServiceUnavailable' });
  }
});

test('a key set that is too large, redirects, fails or is none is not read, and its client waits no longer than five seconds', async (t) => {
  const server = await startKeyServer(t, (request, response) => {
    if (request.url === '/large') return void sendJson(response, { keys: [key.jwk], padding: 'x'.repeat(10_000_000) });
    if (request.url === '/many') return void sendJson(response, { keys: Array(51).fill(key.jwk) });
    if (request.url === '/moved') return void response.writeHead(302, { location: '/keys' }).end();
    if (request.url === '/failed') return void response.writeHead(500).end();
    if (request.url === '/none') return void response.end('<html>');
    if (request.url === '/keys') return void sendJson(response, { keys: [key.jwk] });
    if (request.url === '/slow') {
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer));
    }
  });
  for (const path of ['large', 'many', 'moved', 'failed', 'none']) {
    const { client_id } = await securedClient(service, { jwksUri: `${server.url}/${path}` });
    assertRefused(await askAs(client_id, key), { status: 503, code: 'ServiceUnavailable' });
  }
  const { client_id } = await securedClient(service, { jwksUri: `${server.url}/slow` });
  const startMs = performance.now();
  const before = server.counted.requests;
  const answers = await Promise.all([askAs(client_id, key), askAs(client_id, key), askAs(client_id, key)]);
  for (const answer of answers) assertRefused(answer, { status: 503, code: 'ServiceUnavailable' });
  assert.equal(server.counted.requests - before, 1, 'clients share one request');
  assert.ok(performance.now() - startMs < 10_000);
  assertIssued(await askAs((await securedClient(service, { jwksUri: `${server.url}/keys` })).client_id, key));
});

test('private keys in a set, and keys for encryption, are passed over', async (t) => {
  const { exportJWK } = await import('jose');
  const secret = { ...(await exportJWK(key.privateKey)), kid: 'private' };
  let keys: unknown[] = [secret, { ...key.jwk, use: 'enc' }, null, 7, { kty: 'oct', k: 'AAAA' }];
  const server = await startKeyServer(t, (_request, response) => sendJson(response, { keys }));
  const { client_id } = await securedClient(service, { jwksUri: server.url });
  assertError(await askAs(client_id, key), 401, 'invalid_client');
  keys = [...keys, key.jwk];
  assertIssued(await askAs((await securedClient(service, { jwksUri: `${server.url}/again` })).client_id, key));
});

test('addresses inside the network are not asked, also not by a name that resolves to them later', async (t) => {
  const server = await startKeyServer(t, (_request, response) => sendJson(response, { keys: [key.jwk] }));
  const { port } = new URL(server.url);
  const policy = { mode: 'sandbox', webhookAllowPrivate: false, webhookPorts: undefined } as const;
  const answers = [[{ address: '93.184.216.34', family: 4 }], [{ address: '127.0.0.1', family: 4 }]];
  let asked = 0;
  const guard = createAddressPolicy(policy, async () => answers[Math.min(asked++, 1)]!);
  const sender = openSender(guard, { timeoutMs: 1_000 });
  t.after(async () => sender.close());
  assert.equal(guard.faultOf(`http://keys.example:${port}/`), undefined, 'the name is accepted when it is stored');
  asked = 1;
  await assert.rejects(
    openRemoteKeys(sender, { warn() {} }).keysOf({ jwksUri: `http://keys.example:${port}/` }),
    /private or local/,
  );
  await assert.rejects(openRemoteKeys(sender, { warn() {} }).keysOf({ jwksUri: server.url }), /private or local/);
  assert.equal(server.counted.requests, 0);
});

test('a workload authenticates with a token of an issuer that its application trusts', async (t) => {
  const rsa = await newKey('RS256');
  const subject = 'system:serviceaccount:payments:worker';
  const server = await startKeyServer(t, (request, response) => {
    if (request.url === '/keys') return sendJson(response, { keys: [rsa.jwk] });
    const issuer = request.url?.startsWith('/other') ? 'https://elsewhere.example' : server.url;
    sendJson(response, { issuer, jwks_uri: `${server.url}/keys` });
  });
  const { client_id } = await securedClient(service, { trust: { issuer: server.url, subject } });
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: server.url, sub: subject, jti: undefined, exp: now + 3600, aud: [service.url] };
  const make = (change: object = {}, by = rsa) =>
    assertionOf(by, { client_id, url: service.url }, { claims: { ...claims, ...change } });
  const token = await make();
  assertIssued(await ask(token, { client_id }));
  assertIssued(await ask(token, { client_id }));
  assertIssued(await ask(await make({ aud: service.url }), { client_id }));
  assertError(await ask(token), 400, 'invalid_request');
  for (const change of [
    { iss: 'https://elsewhere.example' },
    { sub: 'system:serviceaccount:payments:other' },
    { sub: subject.toUpperCase() },
    { aud: 'https://kubernetes.default.svc' },
    { aud: [service.url, 'https://kubernetes.default.svc'] },
    { exp: now - 1 },
    { exp: undefined },
  ])
    assertError(await ask(await make(change), { client_id }), 401, 'invalid_client');
  assertError(await ask(await make({}, await newKey('RS256')), { client_id }), 401, 'invalid_client');
  assertError(await askAs(client_id, rsa), 401, 'invalid_client');
  const other = await securedClient(service, { trust: { issuer: `${server.url}/other`, subject } });
  const mixed = await make({ iss: `${server.url}/other` });
  assertRefused(await ask(mixed, { client_id: other.client_id }), { status: 503, code: 'ServiceUnavailable' });
  const pinned = await securedClient(service, { trust: { issuer: 'https://inside.example', subject }, keys: [rsa.jwk] });
  assertIssued(await ask(await make({ iss: 'https://inside.example' }), { client_id: pinned.client_id }));
});
