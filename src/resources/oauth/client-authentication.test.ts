// Tests of client authentication, of disabled applications and of rotated secrets.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  assertChallenged,
  assertError,
  assertIssued,
  base64,
  basic,
  type Fields,
  GRANT,
  openClient,
} from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { disableApplication, enableApplication, hashesOf, rotateSecret } from './application.ts';

const DAY_MS = 24 * 3_600_000;

// Shared by the tests of the file, unless they change what others see.
const shared = await startService({ after });

const service = await openClient(shared);
const { ask, post, credentials, sql } = service;
const { client_id, client_secret } = credentials;
const header = basic(`${client_id}:${client_secret}`);

test('client authentication: accepts a header, a form, and both when they agree', async () => {
  assertIssued(await ask(client_id, client_secret));
  assertIssued(await post('/token', { ...GRANT, ...credentials }));
  assertIssued(await post('/token', { ...GRANT, ...credentials }, header));
  assertIssued(await post('/token', { ...GRANT, client_id }, header));
  assertIssued(await post('/token', GRANT, { authorization: header.authorization!.replace('Basic', 'bAsIc') }));
});

test('client authentication: refuses a header and a form that disagree', async () => {
  const others: Fields[] = [{ client_id: randomUUID() }, { client_secret: 'other' }, { client_id: randomUUID(), client_secret }];
  for (const other of others) {
    assertError(await post('/token', { ...GRANT, ...other }, header), 400, 'invalid_request');
  }
});

test('client authentication: refuses a header without credentials', async () => {
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

test('client authentication: accepts secrets with any character, raw or form-encoded', async () => {
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

test('client authentication: refuses a wrong secret, an unknown client, and missing credentials', async () => {
  const unknown = [randomUUID(), '', 'x', "'; drop table application", 'x'.repeat(5000)];
  for (const id of unknown) assertError(await ask(id, client_secret), 401, 'invalid_client');
  assertError(await ask('a\0b', client_secret), 400, 'invalid_request');
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

test('client authentication: does not store or log secrets, and records their last use', async () => {
  const [row] = await sql<{ text: string }>`select string_agg(s::text, '') as text from application_secret s`;
  for (const spelling of [client_secret, Buffer.from(client_secret).toString('hex')]) assert.ok(!row!.text.includes(spelling));
  assert.ok(!service.logs.join('').includes(client_secret));
  const used = await sql`select 1 from application_secret where application_id = ${client_id} and last_used is not null`;
  assert.equal(used.length, 1);
});

test('disables and enables an application', async () => {
  const { ask, call, change, credentials, ports } = await openClient(shared);
  const { client_id, client_secret } = credentials;
  await change((tx) => disableApplication(tx, client_id));
  const isRefused = async () => (await call('GET', '/')).status === 401;
  await waitUntil('every process refuses the token', async () => (await Promise.all(ports.map(isRefused))).every(Boolean));
  assertChallenged(await call('GET', '/'), 'InvalidAccessToken', 'invalid_token');
  assertError(await ask(client_id, client_secret), 401, 'invalid_client');
  await change((tx) => enableApplication(tx, client_id));
  assertIssued(await ask(client_id, client_secret));
  await waitUntil('the token is valid again', async () => !(await Promise.all(ports.map(isRefused))).some(Boolean));
  assert.equal(await change((tx) => disableApplication(tx, randomUUID())), false);
  assert.equal(await change((tx) => enableApplication(tx, randomUUID())), false);
});

test('rotates a secret', async () => {
  const { ask, change, client, call, credentials, service } = await openClient(shared);
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
