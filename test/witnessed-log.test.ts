// Logs with witnesses: an auditor notices a history that the operator shows to nobody else, and a witness that is away delays nothing.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseCheckpoint, parseVerifier } from '../packages/proof/src/note.ts';
import { isCosignedBy } from '../packages/proof/src/sign.ts';
import { makeDatabase } from './support/database.ts';
import { coveredLog } from './support/logs.ts';
import { runCli, settingsOf } from './support/process.ts';
import { openLabels, startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';
import { type StartedWitness, startWitness } from './support/witness.ts';

type Account = TestService & { from: string; to: string };

const settingOf = (...witnesses: StartedWitness[]) => witnesses.map(({ key, url }) => `${key}@${url}`).join(',');
const pathOf = ({ client }: Account) => `/accounts/${client.account_id}/log/checkpoint`;

/** An account whose log the witnesses know. */
async function openWitnessed(service: TestService, ...witnesses: StartedWitness[]): Promise<Account & { logKey: string }> {
  const account = await openLabels(service);
  const { log } = await account.get(`${account.url}/accounts/${account.client.account_id}`);
  for (const { know } of witnesses) know(log.key);
  return { ...account, logKey: log.key };
}

/** The newest checkpoint that is served as witnessed, when it has a number of entries. */
function witnessedLog(account: Account, size: number): Promise<string> {
  return waitUntil('a checkpoint is witnessed', async () => {
    const { text } = await account.send('GET', `${pathOf(account)}?witnessed=true`, { token: account.token });
    return (parseCheckpoint(text)?.size ?? -1) >= size ? text : undefined;
  });
}

async function audit(t: TestContext, account: Account & { logKey: string }, port: number, ...more: string[]) {
  const { account_id, client_id, client_secret } = account.client;
  const args = ['audit', '--url', `http://localhost:${port}`, '--account', account_id, '--key', account.logKey, ...more];
  return runCli(t, args, { EARMARK_CLIENT_ID: client_id, EARMARK_CLIENT_SECRET: client_secret });
}

test('an auditor with a witness notices a fork that the operator shows to one party only', async (t) => {
  const witness = await startWitness(t, 'auditor.test/w1');
  const service = await startService(t, { env: { LOG_WITNESSES: settingOf(witness) } });
  const account = await openWitnessed(service, witness);
  const folder = mkdtempSync(join(tmpdir(), 'earmark-fork-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const before = await coveredLog(account);
  await witnessedLog(account, before.size);

  // The operator copies the service, and goes on with the same log in both: the party at the copy is shown another history.
  const kept = join(folder, 'checkpoint');
  writeFileSync(kept, before.note);
  const backup = await runCli(t, ['backup', join(folder, 'backup')], settingsOf(service));
  assert.equal(backup.code, 0, backup.stderr);
  const databaseUrl = await makeDatabase(t, { empty: true });
  const at = settingsOf({ databaseUrl, dataDir: service.dataDir });
  assert.equal((await runCli(t, ['restore', join(folder, 'backup'), '--checkpoint', kept], at)).code, 0);
  const env = { PUBLIC_URL: service.url, LOG_WITNESSES: settingOf(witness) };
  const copy = await startService(t, { beside: { databaseUrl, dataDir: service.dataDir, besides: [] }, env });

  await account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
  await witnessedLog(account, (await coveredLog(account)).size);
  const body = account.reallocation(account.from, account.to, '2.00');
  for (let more = 0; more < 3; more++)
    assert.equal((await copy.call('POST', '/label-reallocations', { body, token: account.token })).status, 201);
  await waitUntil('the copy is signed', async () => {
    const { text } = await copy.send('GET', pathOf(account), { token: account.token });
    return (parseCheckpoint(text)?.size ?? 0) >= before.size + 3;
  });

  const unaware = await audit(t, account, copy.port, '--checkpoint', kept);
  assert.equal(unaware.code, 0, 'alone, the party at the copy cannot know');
  const [honest, forked] = await Promise.all([
    audit(t, account, service.port, '--witness', witness.key),
    audit(t, account, copy.port, '--witness', witness.key, '--checkpoint', kept),
  ]);
  assert.equal(honest.code, 0, honest.stdout + honest.stderr);
  assert.match(honest.stdout, /^holds {3}witnesses: 1 of 1 have cosigned it$/m);
  assert.equal(forked.code, 1, forked.stdout + forked.stderr);
  assert.match(
    forked.stdout,
    /^BROKEN {2}not witnessed: none of the witnesses cosigned a checkpoint that covers event \S+, and 1 of 1 must\n$/,
  );
  assert.match(copy.logs.join(''), /a witness refuses a checkpoint: it has seen another history of the log/);
  const metrics = await copy.send('GET', '/metrics');
  assert.match(metrics.text, /earmark_log_witness_answers_total\{witness="auditor.test\/w1",answer="refused"\} [1-9]/);
  assert.match(witness.stderr(), /a checkpoint does not extend the one that was cosigned last/);
});

test('an old checkpoint that is witnessed does not cover newer events', async (t) => {
  const witness = await startWitness(t, 'auditor.test/w1');
  const service = await startService(t, { env: { LOG_WITNESSES: settingOf(witness) } });
  const account = await openWitnessed(service, witness);
  const { size } = await coveredLog(account);
  const note = await witnessedLog(account, size);
  await account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
  await coveredLog(account);
  // The operator goes on, and shows the log as it was.
  await service.sql`
    update transparency_log set checkpoint = ${note}, witnessed = ${note}, held = now() where account_id = ${account.client.account_id}`;
  const { code, stdout, stderr } = await audit(t, account, service.port, '--witness', witness.key);
  assert.equal(code, 1, stdout + stderr);
  assert.match(stdout, /^BROKEN {2}not witnessed: only auditor\.test\/w1 cosigned a checkpoint that covers event/);
});

test('two of three witnesses are enough, and one that is away delays neither requests nor the log', async (t) => {
  const witnesses = await Promise.all(['one', 'two', 'away'].map((name) => startWitness(t, `${name}.test/w`)));
  const [one, two, away] = witnesses as [StartedWitness, StartedWitness, StartedWitness];
  const env = { LOG_WITNESSES: settingOf(...witnesses), LOG_WITNESS_QUORUM: '2' };
  const service = await startService(t, { env });
  const account = await openWitnessed(service, ...witnesses);
  // It accepts connections and does not answer.
  away.child.kill('SIGSTOP');
  t.after(() => away.child.kill('SIGCONT'));
  await account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
  const { size } = await coveredLog(account);
  const note = await witnessedLog(account, size);
  const cosigners = witnesses.filter(({ key }) => isCosignedBy(note, parseVerifier(key, 'cosignature')!));
  assert.deepEqual(cosigners, [one, two]);
  const { text } = await account.send('GET', pathOf(account), { token: account.token });
  assert.equal(text, note, 'the newest checkpoint has the cosignatures too');
  const quorum = ['--witness', `${one.key},${two.key},${away.key}`, '--quorum'];
  const enough = await audit(t, account, service.port, ...quorum, '2');
  assert.equal(enough.code, 0, enough.stdout + enough.stderr);
  const few = await audit(t, account, service.port, ...quorum, '3');
  assert.match(few.stdout, /^BROKEN {2}not witnessed: only one\.test\/w, two\.test\/w cosigned .* and 3 of 3 must\n$/);
  assert.match((await service.send('GET', '/metrics')).text, /answers_total\{witness="away\.test\/w",answer="away"\} [1-9]/);
  away.child.kill('SIGCONT');
  await account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
  const all = await waitUntil('the third witness is asked again', async () => {
    const answer = await audit(t, account, service.port, ...quorum, '3');
    return answer.code === 0 ? answer : undefined;
  });
  assert.match(all.stdout, /witnesses: 3 of 3 have cosigned it/);
});
