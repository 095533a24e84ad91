// Keys of applications in the console: given, replaced and removed, and what they require.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, test } from 'node:test';
import { exportJWK } from 'jose';
import { assertionForm, assertionOf, type KeyPair, newKey } from '../../../../test/support/client-keys.ts';
import { openClient } from '../../../../test/support/oauth.ts';
import { cookieIn, newLink, openSession } from '../../../../test/support/operators.ts';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await openClient(await startService({ after }));
const pathOf = (id: string) => `/console/applications/${id}`;

async function tokenStatus(key: KeyPair, client_id: string): Promise<number> {
  const form = assertionForm(await assertionOf(key, { client_id, url: shared.url }));
  return (await shared.post('/token', form)).status;
}

/** What a page refuses. */
function messageIn(text: string): string | undefined {
  return /role="alert".*?<p>(.*?)<\/p>/s.exec(text)?.[1];
}

function idIn(location: string | undefined): string {
  return /applications\/([0-9a-f-]{36})/.exec(location!)![1]!;
}

async function keysOf({ sql }: TestService, id: string): Promise<string[]> {
  const rows = await sql<{ thumbprint: string }>`
    select thumbprint from application_key where application_id = ${id} order by thumbprint`;
  return rows.map(({ thumbprint }) => thumbprint);
}

/** An application that a person creates with one pasted key. */
async function createKeyed(key: KeyPair) {
  const session = await openSession(shared, 'operator', 'finance');
  const form = { name: 'Backend', account: shared.client.account_id, scope: 'read', way: 'keys', keys: JSON.stringify(key.jwk) };
  const made = await session.submit('/console/applications/new', form);
  assert.equal(made.status, 303, messageIn(made.text));
  return { ...session, id: idIn(made.headers.location) };
}

test('an application is created with a pasted key, gets a second one, and loses the first after a question', async () => {
  const [one, two] = [await newKey('ES256'), await newKey('EdDSA')];
  one.jwk.kid = 'first-key';
  const { load, submit, id, operator } = await createKeyed(one);
  const path = pathOf(id);
  assert.equal(await tokenStatus(one, id), 200);
  await waitUntil('the use is shown', async () => !/muted">never/.test((await load(path)).text));
  const { text } = await load(path);
  for (const shown of ['first-key', 'ES256', one.thumbprint, 'No secret works']) assert.ok(text.includes(shown), shown);
  assert.equal((await submit(`${path}/keys/add`, { keys: JSON.stringify({ keys: [two.jwk] }) })).status, 303);
  assert.deepEqual([await tokenStatus(one, id), await tokenStatus(two, id)], [200, 200]);
  const question = (await load(`${path}/keys/remove?key=${one.thumbprint}`)).text;
  assert.match(question, /Remove the key first-key of Backend\?/);
  assert.match(question, /Its other key stays/);
  assert.equal((await submit(`${path}/keys/remove`, { key: one.thumbprint })).status, 303);
  await waitUntil('the removed key is refused', async () => (await tokenStatus(one, id)) === 401);
  assert.equal(await tokenStatus(two, id), 200);
  assert.match((await load(`${path}/keys/remove?key=${two.thumbprint}`)).text, /gets no new token at all/);
  const again = await submit(`${path}/keys/remove`, { key: one.thumbprint });
  assert.deepEqual([again.status, /does not have this key any more/.test(again.text)], [400, true]);
  const entries = await listAudit(shared.sql, { operatorId: operator.id }, 3);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['secure_application', 'secure_application', 'create_application'],
  );
});

test('keys that cannot be are refused with the reason, and what was entered stays', async () => {
  const [one, two, three] = [await newKey(), await newKey(), await newKey()];
  one.jwk.kid = 'one';
  const { submit, id } = await createKeyed(one);
  const path = `${pathOf(id)}/keys/add`;
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const cases: [unknown, RegExp][] = [
    ['', /Paste the public key/],
    ['{"kty":"EC"', /not JSON/],
    ['-----BEGIN PUBLIC KEY-----', /not PEM/],
    ['[]', /not a JSON object/],
    [{ keys: [] }, /one or 2 keys/],
    [weak, /2048 to 8192 bits/],
    [{ ...two.jwk, crv: 'P-384' }, /EC with P-256/],
    [one.jwk, /has this key already/],
    [{ ...two.jwk, kid: 'one' }, /Two keys have the same kid/],
    [{ keys: [two.jwk, three.jwk] }, /at most 2 keys/],
    [{ keys: [two.jwk, two.jwk] }, /the same key twice/],
  ];
  for (const [given, message] of cases) {
    const keys = typeof given === 'string' ? given : JSON.stringify(given);
    const { status, text } = await submit(path, { keys });
    assert.equal(status, 400, keys);
    assert.match(text, message);
    const entered = /<textarea[^>]*>([^<]*)<\/textarea>/.exec(text)![1]!.replaceAll('&quot;', '"');
    assert.equal(entered, keys);
  }
  assert.deepEqual(await keysOf(shared, id), [one.thumbprint]);
});

test('a private key that is pasted is neither stored, logged nor shown again, also without a session', async (t) => {
  const own = await startService(t);
  const key = await newKey();
  const { client_id: id } = await own.newClient();
  const { load, submit, operator } = await openSession(own, 'operator', 'finance');
  const jwk = await exportJWK(key.privateKey);
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const texts: [string, string][] = [
    [JSON.stringify(jwk), jwk.d!],
    [JSON.stringify({ keys: [jwk] }).slice(0, -2), jwk.d!],
    [pem, pem.split('\n')[1]!],
    ['{"kty":"oct","k":"c2VjcmV0LW9mLXR3bw"}', 'c2VjcmV0LW9mLXR3bw'],
  ];
  const fields = (keys: string) => ({
    ...{ name: 'n', account: own.client.account_id, scope: 'read', way: 'keys' },
    ...{ issuer: 'https://issuer.example', subject: 's', keys },
  });
  for (const [keys, secret] of texts) {
    for (const form of [`${pathOf(id)}/keys/add`, `${pathOf(id)}/keys/trust`, '/console/applications/new']) {
      const { status, text } = await submit(form, fields(keys));
      assert.equal(status, 400, form);
      assert.match(text, /private or secret key\. Nothing of it was stored/);
      assert.ok(!text.includes(secret), 'it is not shown again');
    }
  }
  // A form that is sent without a session is kept for the sign-in.
  const headers = { 'sec-fetch-site': 'same-origin', accept: 'text/html', referer: `${own.url}/console/applications/new` };
  const form = new URLSearchParams(fields(texts[0]![0])).toString();
  const sent = await own.send('POST', '/console/applications/new', { headers, form });
  assert.match(String(sent.headers.location), /form=kept/);
  const cookie = cookieIn(sent.headers['set-cookie']);
  const entered = await own.send('POST', await newLink(own, operator.id), { headers: { ...headers, cookie } });
  assert.match(String(entered.headers.location), /applications\/new\?kept=/);
  const kept = { cookie: cookieIn(entered.headers['set-cookie']) };
  const { text } = await own.send('GET', String(entered.headers.location), { headers: { ...headers, ...kept } });
  assert.ok(text.includes('value="https://issuer.example"'), 'the other fields are there again');
  assert.ok(!text.includes(jwk.d!));
  const stored = JSON.stringify([await own.sql`select * from application_key`, await own.sql`select * from audit_entry`]);
  for (const [, secret] of texts) assert.ok(!stored.includes(secret) && !own.logs.join('').includes(secret));
  assert.deepEqual(await keysOf(own, id), []);
  assert.equal((await load(pathOf(id))).status, 200);
});

test('an address and an issuer replace keys, as the page says, and wrong ones are refused', async () => {
  const key = await newKey();
  const { load, submit, id } = await createKeyed(key);
  const path = pathOf(id);
  assert.match((await load(`${path}/keys/address`)).text, /replaces the stored key/);
  for (const [address, message] of [
    ['', /Give the address/],
    ['https://169.254.169.254/keys', /private or local/],
    ['https://client.example/keys#x', /no #/],
    ['file:///etc/passwd', /must begin with https/],
  ] as const) {
    const refused = await submit(`${path}/keys/address`, { address });
    assert.deepEqual([refused.status, message.test(refused.text)], [400, true], messageIn(refused.text));
    assert.ok(address === '' || refused.text.includes(`value="${address}"`), 'it is there again');
  }
  assert.equal((await submit(`${path}/keys/address`, { address: 'https://client.example/keys' })).status, 303);
  assert.deepEqual(await keysOf(shared, id), []);
  await waitUntil('the stored key is refused', async () => (await tokenStatus(key, id)) !== 200);
  assert.match((await load(path)).text, /https:\/\/client\.example\/keys/);
  assert.match((await load(`${path}/keys/trust`)).text, /replaces https:\/\/client\.example\/keys/);
  const half = await submit(`${path}/keys/trust`, { issuer: 'https://issuer.example', subject: '' });
  assert.deepEqual([half.status, /Give the issuer and the subject/.test(half.text)], [400, true]);
  const trusted = { issuer: 'https://issuer.example', subject: 'repo:example' };
  assert.equal((await submit(`${path}/keys/trust`, trusted)).status, 303);
  const { text } = await load(path);
  assert.ok(text.includes('repo:example') && !text.includes('client.example'));
  assert.match((await load(`${path}/keys/remove`)).text, /Remove the trusted issuer of Backend\?/);
  assert.equal((await submit(`${path}/keys/remove`)).status, 303);
  assert.match((await load(path)).text, /cannot authenticate/);
});

test('a secret is refused only beside a key, and accepted again', async () => {
  const key = await newKey();
  const { client_id: id, client_secret: secret } = await shared.newClient();
  const { load, submit } = await openSession(shared, 'admin');
  const path = pathOf(id);
  const locked = await submit(`${path}/secret-use`, { secret: 'refused' });
  assert.deepEqual([locked.status, /has no key, so it needs its secret/.test(locked.text)], [400, true]);
  assert.equal((await submit(`${path}/secret-use`, { secret: 'maybe' })).status, 400);
  assert.equal((await submit(`${path}/keys/add`, { keys: JSON.stringify(key.jwk) })).status, 303);
  assert.match((await load(`${path}/secret-use`)).text, /Key last used/);
  assert.equal((await submit(`${path}/secret-use`, { secret: 'refused' })).status, 303);
  await waitUntil('the secret is refused', async () => (await shared.ask(id, secret)).status === 401);
  assert.equal(await tokenStatus(key, id), 200);
  assert.match((await load(path)).text, /Accept its secret again/);
  await submit(`${path}/secret-use`, { secret: 'accepted' });
  await waitUntil('the secret is accepted', async () => (await shared.ask(id, secret)).status === 200);
});

test('an application must bind its tokens from a question on, until bearer tokens are accepted again', async () => {
  const { client_id: id, token } = await shared.newClient();
  const { load, submit } = await openSession(shared, 'admin');
  const path = `${pathOf(id)}/binding`;
  const call = async () => (await shared.call('GET', '/customers', { token })).status;
  assert.ok(!(await load(path)).text.includes('mTLS'), 'no proxy of this service reports certificates');
  assert.match((await load(`${path}?require=dpop`)).text, /not bound to a key are refused within a second/);
  assert.equal(await call(), 200);
  assert.equal((await submit(path, { require: 'something' })).status, 400);
  assert.equal((await submit(path, { require: 'dpop' })).status, 303);
  await waitUntil('the bearer token is refused', async () => (await call()) === 401);
  assert.match((await load(`${path}?require=nothing`)).text, /Whoever has a bearer token can use it/);
  await submit(path, { require: 'nothing' });
  await waitUntil('the bearer token is accepted', async () => (await call()) === 200);
});

test('only operators change keys', async () => {
  const { id } = await createKeyed(await newKey());
  for (const role of ['viewer', 'reviewer', 'finance'] as const) {
    const { load, submit } = await openSession(shared, role);
    for (const action of ['keys/add', 'keys/address', 'keys/trust', 'keys/remove', 'secret-use', 'binding'])
      assert.deepEqual(
        [(await submit(`${pathOf(id)}/${action}`)).status, (await load(`${pathOf(id)}/${action}`)).status],
        [403, 403],
        `${role} ${action}`,
      );
  }
});

test('a key of an application with funds waits for a second person, who reads what it replaces; removing one waits for nobody', async (t) => {
  const own = await startService(t, { env: { FOUR_EYES: 'true' } });
  const { client_id: id, account_id: account } = await own.newClient(['funds']);
  const [one, other] = [await openSession(own, 'admin'), await openSession(own, 'admin')];
  const [key, next, late] = [await newKey(), await newKey(), await newKey()];
  const path = pathOf(id);
  const ask = async (pair: KeyPair) => {
    const asked = await one.submit(`${path}/keys/add`, { keys: JSON.stringify(pair.jwk) });
    return String(asked.headers.location).split('?')[0]!;
  };
  const [first, second, third] = [await ask(key), await ask(next), await ask(late)];
  assert.deepEqual(await keysOf(own, id), [], 'it waits');
  assert.ok((await other.load(first)).text.includes(key.thumbprint));
  assert.equal((await one.submit(`${first}/approve`)).status, 403);
  assert.equal((await other.submit(`${first}/approve`)).status, 303);
  const stale = await other.submit(`${second}/approve`);
  assert.deepEqual([stale.status, /not as it was when it was asked for/.test(stale.text)], [400, true]);
  assert.equal((await other.submit(`${third}/refuse`)).status, 303);
  assert.deepEqual(await keysOf(own, id), [key.thumbprint]);
  assert.equal((await one.submit(`${path}/keys/remove`, { key: key.thumbprint })).headers.location, `${path}?done=key-removed`);
  assert.deepEqual(await keysOf(own, id), []);
  // A new application with a key has no secret to collect: it is created by the approval.
  const form: [string, string][] = [
    ['name', 'Payouts'],
    ['account', account],
    ['scope', 'funds'],
    ['way', 'keys'],
    ['keys', JSON.stringify(next.jwk)],
  ];
  const created = String((await one.submit('/console/applications/new', form)).headers.location).split('?')[0]!;
  assert.equal((await other.submit(`${created}/approve`)).status, 303);
  const [made] = await own.sql<{ id: string }>`select id from application where name = 'Payouts'`;
  assert.deepEqual(await keysOf(own, made!.id), [next.thumbprint]);
});
