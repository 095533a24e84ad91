// Keys in the console: each kind is listed, and a new one is made after a question.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { query } from '../../../../test/support/database.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';
import { listLogKeys } from '../../../ledger/log/log-key.ts';
import { listSigningKeys } from '../../../resources/oauth/signing-key.ts';

const shared = await startService({ after });
const KEYS = '/console/operations/keys';

test('an operator makes new keys, seals everything under the newest one, and each is in the audit log', async () => {
  const { load, submit, operator } = await openSession(shared, 'operator');
  const [signing, log] = [await listSigningKeys(shared.sql), await listLogKeys(shared.sql)];
  assert.ok((await load('/console/operations')).text.includes(`href="${KEYS}"`));
  assert.match((await load(`${KEYS}/signing`)).text, /signs tokens after ten minutes/);
  await submit(`${KEYS}/signing`);
  assert.match((await load(`${KEYS}/log`)).text, /for a year/);
  await submit(`${KEYS}/log`);
  assert.deepEqual(
    [(await listSigningKeys(shared.sql)).length, (await listLogKeys(shared.sql)).length],
    [signing.length + 1, log.length + 1],
  );
  const { text } = await load(KEYS);
  assert.ok(text.includes(signing[0]!.kid.slice(0, 12)) && text.includes(log[0]!.id) && text.includes('signs next'));
  assert.ok(text.includes(`<code>${shared.service.sealer.keyIds[0]}</code>`) && text.includes('not counted'));
  assert.match((await load(`${KEYS}?count=yes`)).text, /\d+ application secrets/);
  await submit(`${KEYS}/encryption`);
  await waitUntil('everything is sealed', async () => /sealed under the newest key, at/.test((await load(KEYS)).text));
  assert.equal((await shared.call('GET', '/')).status, 200, 'present tokens still work');
  const actions = (await listAudit(shared.sql, { operatorId: operator.id }, 3)).map(({ action }) => action);
  assert.deepEqual(actions, ['rotate_encryption_keys', 'rotate_log_keys', 'rotate_signing_keys']);
});

test('the steps after a leak of the signing key end what it signed', async (t) => {
  const service = await startService(t);
  const { load, submit } = await openSession(service, 'operator');
  assert.match((await load(KEYS)).text, /href="\/docs\/operations\/keys#after-a-suspected-leak"/);
  assert.match((await load(`${KEYS}/signing`)).text, /does not stop a leaked key/);
  const { text } = await service.send('GET', '/docs/operations/keys', { headers: { accept: 'text/html' } });
  const plain = text.replace(/<[^>]+>/g, '').replaceAll('&lt;', '<');
  const [statement] = /delete from signing_key where [^;]+;/.exec(plain) ?? assert.fail('the guide has no statement');
  const leaked = await service.tokenOf(service.client);
  await submit(`${KEYS}/signing`);
  await query(service.databaseUrl, statement);
  await service.stop();
  const restarted = await startService(t, { beside: service, env: { PUBLIC_URL: service.url } });
  assert.equal((await restarted.call('GET', '/', { token: leaked })).status, 401);
  const token = await restarted.tokenOf(service.client);
  assert.equal((await restarted.call('GET', '/', { token })).status, 200);
});

test('who only reads sees the keys and no buttons', async () => {
  const { load, submit } = await openSession(shared, 'viewer');
  const { text } = await load(`${KEYS}?count=yes`);
  assert.ok(text.includes('Encryption keys') && !text.includes('New key') && text.includes('not counted'));
  for (const kind of ['signing', 'log', 'encryption'])
    assert.deepEqual([(await load(`${KEYS}/${kind}`)).status, (await submit(`${KEYS}/${kind}`)).status], [403, 403], kind);
});
