// Tests of calls with the caller's own tokens: a string, or a function.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { startService } from '../../../test/support/service.ts';
import { Earmark, type EarmarkOptions, InvalidAccessTokenError } from './client.ts';

const service = await startService({ after });
const customer = await service.newCustomer({ available: '10.00' });

test('calls with a given token, without credentials', async () => {
  const { earmark, paths } = open({ token: service.client.token });
  const label = await earmark.labels.create(customer, { amount: usd('1.00') });
  assert.equal((await earmark.labels.get(label)).amount.value, '1.00');
  assert.equal(await earmark.accessToken(), service.client.token);
  assert.ok(!paths.includes('/token'));
});

test('a given token that is refused is an error after one attempt', async () => {
  const { earmark, paths } = open({ token: 'refused' });
  await assert.rejects(earmark.root(), InvalidAccessTokenError);
  assert.deepEqual(paths, ['/']);
});

test('asks a function for each call', async () => {
  let asked = 0;
  const { earmark, paths } = open({
    token: async () => {
      asked += 1;
      return service.client.token;
    },
  });
  await earmark.root();
  await earmark.root();
  assert.deepEqual([asked, paths], [2, ['/', '/']]);
});

test('asks a function once more after a 401, and repeats the request with its key', async () => {
  const tokens = ['refused', service.client.token];
  const { earmark, paths, keys } = open({ token: async () => tokens.shift()! });
  const created = await earmark.labels.create(customer, { amount: usd('1.00') });
  assert.equal(created.replayed, false);
  assert.deepEqual(tokens, []);
  assert.equal(paths.length, 2);
  assert.equal(new Set(keys).size, 1);

  const refused = open({ token: async () => 'refused' });
  await assert.rejects(refused.earmark.root(), InvalidAccessTokenError);
  assert.deepEqual(refused.paths, ['/', '/']);
});

test('a function that fails, or gives no token, ends the call before anything is sent', async () => {
  const offline = new Error('signed out');
  const failing = open({ token: () => Promise.reject(offline) });
  await assert.rejects(failing.earmark.root(), offline);
  for (const none of [undefined, ''] as string[]) {
    const { earmark, paths } = open({ token: async () => none });
    await assert.rejects(earmark.root(), new TypeError('`token` must give an access token as a string.'));
    assert.deepEqual(paths, []);
  }
  assert.deepEqual(failing.paths, []);
});

test('an abort signal ends the wait for a function', async () => {
  const { earmark, paths } = open({ token: () => new Promise<string>(() => {}) });
  await assert.rejects(earmark.root({ signal: AbortSignal.timeout(20) }), { name: 'TimeoutError' });
  await assert.rejects(earmark.root({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.deepEqual(paths, []);
});

test('exactly one way to get tokens is accepted', () => {
  const url = 'https://service.example';
  const [clientId, clientSecret, token] = ['id', 'secret', 'token'];
  const refused = new TypeError('Give clientId with clientSecret or with privateKey, or token.');
  // @ts-expect-error neither
  assert.throws(() => new Earmark({ url }), refused);
  // @ts-expect-error half of the credentials
  assert.throws(() => new Earmark({ url, clientId }), refused);
  // @ts-expect-error half of the credentials
  assert.throws(() => new Earmark({ url, clientSecret }), refused);
  // @ts-expect-error both
  assert.throws(() => new Earmark({ url, clientId, clientSecret, token }), refused);
  // @ts-expect-error both
  assert.throws(() => new Earmark({ url, clientId, token: async () => token }), refused);
  // @ts-expect-error a secret and a key
  assert.throws(() => new Earmark({ url, clientId, clientSecret, privateKey: {} }), refused);
  // @ts-expect-error a key of nobody
  assert.throws(() => new Earmark({ url, privateKey: {} }), refused);
});

/** A client, with the paths and keys of its requests. */
function open({ token }: Pick<EarmarkOptions, 'token'>) {
  const paths: string[] = [];
  const keys: (string | null)[] = [];
  const watched: typeof fetch = (url, init) => {
    paths.push(new URL(String(url)).pathname);
    keys.push(new Headers(init?.headers).get('idempotency-key'));
    return fetch(url, init);
  };
  return { earmark: new Earmark({ url: service.url, token: token!, fetch: watched }), paths, keys };
}
