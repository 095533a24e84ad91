// Tests of tokens with several processes, without the database and without the key.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeyPair, SignJWT } from 'jose';
import { pino } from 'pino';
import { openAuthorityBeside, openClient } from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { KeyError, openSealer } from '../../platform/keys/sealing.ts';
import { disableApplication, rotateSecret } from './application.ts';
import type { Authority } from './authority.ts';

/** The statements of one poll for changes: time, applications, keys, revocations. */
const READING_STATEMENTS = 4;

test('several processes', async (t) => {
  const service = await openClient(await startService(t));
  const { client, change, newClient, token, credentials } = service;
  const other = await openAuthorityBeside(t, service.service);
  const authenticate = (client_id: string, client_secret: string) =>
    other.authenticate({ clientId: client_id, secrets: [client_secret] });

  await t.test('agree on the first signing key when they start concurrently', async () => {
    await service.sql`delete from signing_key`;
    const all = await Promise.all(Array.from({ length: 4 }, () => openAuthorityBeside(t, service.service)));
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
  const { service, client, token } = await openClient(await startService(t));
  const watched = watch(service.database);
  const lines: string[] = [];
  const authority = await openAuthorityBeside(t, {
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
    await assert.rejects(authority.authenticate({ clientId: client.client_id, secrets: ['wrong'] }), { problem: 'unavailable' });
    await assert.rejects(authority.authenticate({ clientId: randomUUID(), secrets: ['new'] }), { problem: 'unavailable' });
    assert.equal(await isRefused(authority, 'unknown'), true);
    assert.equal(lines.filter((line) => line.includes('"level":40')).length, 1, 'logged once');
    watched.away = false;
    await waitUntil('the recovery is logged', async () => lines.some((line) => line.includes('again')));
  });
});

test('names the missing encryption key when it was replaced', async (t) => {
  const { service } = await openClient(await startService(t));
  const sealer = openSealer([Buffer.alloc(32, 1)]);
  await assert.rejects(openAuthorityBeside(t, { ...service, sealer }), KeyError);
});

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

async function isRefused(authority: Authority, token: string): Promise<boolean> {
  return authority.verify(token).then(
    () => false,
    () => true,
  );
}
