// Commands for the keys of applications: what they print, store and refuse.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { exportJWK } from 'jose';
import { assertionForm, assertionOf, newKey } from './support/client-keys.ts';
import { assertIssued, openClient } from './support/oauth.ts';
import { assertOneLine, runCli, runCliJson, scratch, settingsOf } from './support/process.ts';
import { startService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

type Shown = {
  client_id: string;
  client_secret?: string;
  secrets: unknown[];
  keys: { thumbprint: string; algorithm: string; last_used?: string }[];
  requires?: string;
  secret?: string;
  trusted_issuer?: string;
  jwks_uri?: string;
};

const service = await openClient(await startService({ after }));
const env = { ...settingsOf(service), PUBLIC_URL: service.url };
const folder = scratch({ after });
const [one, two] = [await newKey('ES256'), await newKey('PS256')];
const CREATE = ['application', 'create', '--account', service.client.account_id, '--name', 'n', '--scope', 'read'];

const run = (t: TestContext, ...args: string[]) => runCliJson<Shown>(t, args, env);
const show = (t: TestContext, id: string) => run(t, 'application', 'show', id);

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('an application is created with a key set, has no secret, and rotates its keys', async (t) => {
  const { client_id, ...made } = await run(t, ...CREATE, '--jwks', file('one.json', { keys: [one.jwk] }));
  assert.deepEqual(made, { account_id: service.client.account_id });
  const ask = async (key = one) => service.post('/token', assertionForm(await assertionOf(key, { client_id, url: service.url })));
  assertIssued(await ask());
  await waitUntil('the use is stored', async () => (await show(t, client_id)).keys[0]?.last_used !== undefined);
  await run(t, 'application', 'secure', client_id, '--jwks', file('both.json', { keys: [one.jwk, two.jwk] }));
  const both = await show(t, client_id);
  assert.deepEqual(both.keys.map(({ thumbprint }) => thumbprint).sort(), [one.thumbprint, two.thumbprint].sort());
  assert.ok(both.keys.find(({ thumbprint }) => thumbprint === one.thumbprint)?.last_used, 'a key that stays keeps its last use');
  assert.deepEqual(both.secrets, []);
  assertIssued(await ask(two));
  await run(t, 'application', 'secure', client_id, '--jwks', file('two.json', { keys: [two.jwk] }));
  assert.deepEqual(
    (await show(t, client_id)).keys.map(({ algorithm }) => algorithm),
    ['PS256'],
  );
  await waitUntil('the former key is refused', async () => (await ask()).status === 401);
  const { stdout } = await runCli(t, ['application', 'show', client_id], env);
  assert.ok(stdout.includes(two.thumbprint));
});

test('an application with a secret gets keys, refuses the secret, and trusts an issuer instead', async (t) => {
  const { client_id, client_secret } = await run(t, ...CREATE);
  await run(t, 'application', 'secure', client_id, '--jwks-uri', 'https://client.example/keys', '--secret', 'refused', '--yes');
  await waitUntil('the secret is refused', async () => (await service.ask(client_id, client_secret!)).status === 401);
  const shown = await show(t, client_id);
  assert.deepEqual([shown.jwks_uri, shown.secret], ['https://client.example/keys', 'refused']);
  const trust = ['--trust-issuer', 'https://token.actions.githubusercontent.com', '--subject', 'repo:example/backend'];
  await run(t, 'application', 'secure', client_id, ...trust, '--secret', 'accepted');
  const trusting = await show(t, client_id);
  assert.deepEqual([trusting.jwks_uri, trusting.trusted_issuer, trusting.secret], [undefined, trust[1], undefined]);
  await waitUntil('the secret works again', async () => (await service.ask(client_id, client_secret!)).status === 200);
});

test('bad keys and addresses are refused in one line', async (t) => {
  const cases: [string[], RegExp, (1 | 2)?][] = [
    [['--jwks', join(folder, 'missing.json')], /missing\.json cannot be read: ENOENT/],
    [['--jwks', file('text.json', 'not json')], /text\.json is not JSON/],
    [['--jwks', file('key.json', one.jwk)], /is not a JWK set/],
    [['--jwks', file('empty.json', { keys: [] })], /has one or 2 keys/],
    [['--jwks', file('three.json', { keys: [one.jwk, two.jwk, (await newKey()).jwk] })], /has one or 2 keys/],
    [['--jwks', file('twice.json', { keys: [one.jwk, one.jwk] })], /the same key twice/],
    [['--jwks', file('private.json', { keys: [await exportJWK(one.privateKey)] })], /private or secret/],
    [['--jwks', file('shared.json', { keys: [{ kty: 'oct', k: 'AAAA' }] })], /private or secret/],
    [['--jwks', file('curve.json', { keys: [{ ...one.jwk, crv: 'P-384' }] })], /must be EC with P-256/],
    [['--jwks', file('point.json', { keys: [{ ...one.jwk, x: 'AAAA' }] })], /is not valid/],
    [['--jwks', file('alg.json', { keys: [{ ...one.jwk, alg: 'HS256' }] })], /The alg of a key must be ES256/],
    [['--jwks-uri', 'https://169.254.169.254/keys'], /private or local/],
    [['--jwks-uri', 'https://localhost/keys'], /private or local/],
    [['--jwks-uri', 'file:///etc/passwd'], /must begin with https/],
    [['--jwks-uri', 'https://client.example/keys#x'], /no #/],
    [['--trust-issuer', 'https://issuer.example'], /come together/, 2],
    [['--jwks', 'a', '--jwks-uri', 'b'], /not both/, 2],
  ];
  for (const [args, message, code] of cases) assertOneLine(await runCli(t, [...CREATE, ...args], env), message, code);
});
