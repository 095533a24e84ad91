// A verifier that is not ours checks checkpoints, inclusion of every entry, consistency and receipts of a live service (main.go).
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { coveredLog } from '../support/logs.ts';
import { openLabels, startService } from '../support/service.ts';

const run = promisify(execFile);
const shared = await startService({ after });
/** So many that the tree has full tiles and partial ones on two levels. */
const REALLOCATIONS = 600;

test('the verifier of the Go checksum database accepts the log, and rejects a changed one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-audit-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const account = await openLabels(shared);
  const earlier = await coveredLog(account);
  const move = () => account.create('/label-reallocations', account.reallocation(account.from, account.to, '0.01'));
  const moved = await Promise.all(Array.from({ length: REALLOCATIONS }, move));
  const newest = await coveredLog(account);
  assert.ok(newest.size > REALLOCATIONS);

  const url = `${account.url}/accounts/${account.client.account_id}`;
  const { log } = await account.get(url);
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const receipt = await account.send('GET', `${moved[7]}/receipt`, { token: account.token, headers: { accept: 'text/plain' } });
  assert.equal(receipt.status, 200);
  const audit = (key: string, checkpoint: string, proof: string) =>
    run('go', ['run', '.', `${url}/log`, key, checkpoint, proof], {
      cwd: import.meta.dirname,
      env: { ...process.env, TOKEN: account.token },
    });
  const [checkpoint, proof] = [file('checkpoint', earlier.note), file('proof', receipt.text)];
  const { stdout } = await audit(log.key, checkpoint, proof);
  assert.equal(
    stdout,
    `${newest.size} entries are in the tree, which extends that of ${earlier.size} entries; the receipt holds\n`,
  );

  const wrong = receipt.text.replace(/^extra .*$/m, `extra ${Buffer.from('{}').toString('base64')}`);
  await assert.rejects(audit(log.key, checkpoint, file('wrong', wrong)), /invalid transparency proof/);
  const stranger = await openLabels(shared);
  const { note } = await coveredLog(stranger);
  await assert.rejects(audit(log.key, file('foreign', note), proof), /no verifiable signatures/);
  await shared.sql`
    update log_tile set hashes = overlay(hashes placing '\\x00'::bytea from 9)
    where account_id = ${account.client.account_id} and level = 0 and index = 1`;
  await assert.rejects(audit(log.key, checkpoint, proof), /invalid transparency proof/);
});
