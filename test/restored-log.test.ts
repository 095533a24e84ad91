// Transparency logs after a restore: nothing is signed until the operator shows that no promise is broken, or forks.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { parseCheckpoint } from '../packages/proof/src/note.ts';
import { makeDatabase } from './support/database.ts';
import { coveredLog } from './support/logs.ts';
import { assertOneLine, runCli, runCliJson, settingsOf } from './support/process.ts';
import { openLabels, startService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

const service = await startService({ after });
const folder = mkdtempSync(join(tmpdir(), 'earmark-log-'));
after(() => rmSync(folder, { recursive: true }));

const account = await openLabels(service);
const before = await coveredLog(account);
const backup = join(folder, 'backup');
const path = `/accounts/${account.client.account_id}/log/checkpoint`;
const file = (name: string, note: string) => {
  writeFileSync(join(folder, name), note);
  return join(folder, name);
};

test('a restored log is continued, forked or held', async (t) => {
  const { code, stderr } = await runCli(t, ['backup', backup], settingsOf(service));
  assert.equal(code, 0, stderr);
  await account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
  const later = await coveredLog(account);
  const [same, lost] = [file('same', before.note), file('lost', later.note)];

  await t.test('refuses a checkpoint that the log does not reach, and a forged one', async (t) => {
    const databaseUrl = await makeDatabase(t, { empty: true });
    const at = settingsOf({ databaseUrl, dataDir: service.dataDir });
    const refused = await runCli(t, ['restore', backup, '--checkpoint', lost], at);
    assertOneLine(refused, new RegExp(`has ${before.size} entries, and the checkpoint ${later.size}: entries are lost`));
    assertOneLine(await runCli(t, ['log', 'continue', '--checkpoint', lost], at), /entries are lost/);
    const forged = file('forged', before.note.replace(`\n${before.size}\n`, `\n${before.size - 1}\n`));
    assertOneLine(await runCli(t, ['log', 'continue', '--checkpoint', forged], at), /is not signed by a key of this database/);
    assertOneLine(await runCli(t, ['log', 'continue'], at), /needs --checkpoint or --fork-log/, 2);

    const restored = await startBeside(t, databaseUrl);
    await restored.call('POST', '/label-reallocations', {
      body: account.reallocation(account.from, account.to, '2.00'),
      token: account.token,
    });
    const { text } = await restored.send('GET', path, { token: account.token });
    assert.equal(text, before.note, 'the checkpoint of the backup is the newest');

    assert.deepEqual(await runCliJson(t, ['log', 'continue', '--fork-log', '--yes'], at), { continued: 0, forked: 3, held: 0 });
    const forked = await waitUntil('the fork is signed', async () => {
      const answer = await restored.send('GET', path, { token: account.token });
      const checkpoint = parseCheckpoint(answer.text);
      return checkpoint && checkpoint.size > before.size ? checkpoint : undefined;
    });
    assert.match(forked.origin, new RegExp(`^${before.origin}/\\d{10}$`));
    assert.match(
      await findFork(t, restored.port, lost),
      new RegExp(`forked: the log is now ${forked.origin}, not ${before.origin};`),
    );
  });

  await t.test('continues after the checkpoint that the log contains', async (t) => {
    const databaseUrl = await makeDatabase(t, { empty: true });
    const at = settingsOf({ databaseUrl, dataDir: service.dataDir });
    const restored = await runCliJson<{ logs: string }>(t, ['restore', backup, '--checkpoint', same], at);
    assert.equal(restored.logs, '2 held, nothing is signed; see earmark log continue --help', 'those of the other accounts');
    const beside = await startBeside(t, databaseUrl);
    await beside.call('POST', '/label-reallocations', {
      body: account.reallocation(account.from, account.to, '2.00'),
      token: account.token,
    });
    const next = await waitUntil('the log is signed', async () => {
      const checkpoint = parseCheckpoint((await beside.send('GET', path, { token: account.token })).text);
      return checkpoint && checkpoint.size > before.size ? checkpoint : undefined;
    });
    assert.equal(next.origin, before.origin);
    // The operator kept the later past back: who holds its checkpoint finds that another one took its place.
    assert.match(
      await findFork(t, beside.port, lost),
      new RegExp(`forked: the first ${later.size} entries are not those of the earlier`),
    );
  });
});

/** Audits a restored service against the checkpoint that an auditor kept, and returns what it names. */
async function findFork(t: TestContext, port: number, kept: string): Promise<string> {
  const { account_id, client_id, client_secret } = account.client;
  const { log } = await account.get(`${service.url}/accounts/${account_id}`);
  const args = ['audit', '--url', `http://localhost:${port}`, '--account', account_id, '--key', log.key, '--checkpoint', kept];
  const { code, stdout, stderr } = await runCli(t, args, { EARMARK_CLIENT_ID: client_id, EARMARK_CLIENT_SECRET: client_secret });
  assert.equal(code, 1, stdout + stderr);
  assert.match(stdout, /^BROKEN/);
  return stdout;
}

function startBeside(t: TestContext, databaseUrl: string) {
  const env = { PUBLIC_URL: service.url };
  return startService(t, { beside: { databaseUrl, dataDir: service.dataDir, besides: [] }, env });
}
