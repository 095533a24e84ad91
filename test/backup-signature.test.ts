// Signed and encrypted backups: what a restore refuses when somebody changed the folder, or when the key is not beside it.
import assert from 'node:assert/strict';
import { generateKeyPairSync, hash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { signNote } from '../packages/proof/src/sign.ts';
import { call, tokenOf } from './support/http.ts';
import { assertOneLine, type Env, endServer, runCli, runCliJson, sandboxOf, scratch, serve } from './support/process.ts';
import type { TestScope } from './support/test-scope.ts';

const file = { after };
const folder = scratch(file);
const data = join(folder, 'data');
await serve(file, { DATA_DIR: data });
const from = { DATA_DIR: data };
const backup = join(folder, 'backup');
const made = JSON.parse((await runCli(file, ['backup', backup, '--json'], from)).stdout) as { signed_by: string };

let copies = 0;
/** A copy of a backup that somebody changes. */
function copyOf(original: string): string {
  const copy = join(folder, `copy-${++copies}`);
  cpSync(original, copy, { recursive: true });
  return copy;
}

const fresh = () => join(folder, `fresh-${++copies}`);

/** Changes the text of a table and its digest, as somebody who can write to the folder would. Returns the text of the manifest. */
function changeTable(copy: string, name: string, change: (text: string) => string): string {
  const [table, manifest] = [join(copy, `${name}.tsv.gz`), join(copy, 'manifest.json')];
  const changed = gzipSync(change(gunzipSync(readFileSync(table)).toString()));
  writeFileSync(table, changed);
  const { tables, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const one of tables) if (one.name === name) one.sha256 = hash('sha256', changed, 'hex');
  const text = `${JSON.stringify({ ...rest, tables }, null, 2)}\n`;
  writeFileSync(manifest, text);
  return text;
}

async function assertNotRestored(t: TestScope, args: string[], report: RegExp, env: Env = {}): Promise<void> {
  const target = fresh();
  assertOneLine(await runCli(t, ['restore', ...args], { DATA_DIR: target, ...env }), report);
  assert.ok(!existsSync(target), 'nothing was created');
}

test('a backup whose files and digests were changed together is refused, and so is one without a signature', async (t) => {
  const changed = copyOf(backup);
  changeTable(changed, 'account', (text) => text.replace('\t', '\tAnother '));
  await assertNotRestored(t, [changed], /^The backup is damaged: manifest\.sig is not of its manifest\.json\.\n$/);
  rmSync(join(changed, 'manifest.sig'));
  await assertNotRestored(t, [changed], /^The backup is not signed: it has no manifest\.sig\. --unsigned /);
  const restored = await runCliJson<{ signed_by: string }>(t, ['restore', changed, '--unsigned'], { DATA_DIR: fresh() });
  assert.equal(restored.signed_by, 'not checked');
});

test('a backup that was changed and signed with another key is refused if its encryption key is not beside it', async (t) => {
  const keyless = join(folder, 'keyless');
  assert.equal((await runCli(t, ['backup', keyless, '--without-key'], from)).code, 0);
  const forged = copyOf(keyless);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const text = changeTable(forged, 'log_key', (row) => row.replace(/\t[A-Za-z0-9+/]{43}=\t/, `\t${bytes.toString('base64')}\t`));
  const signer = { name: 'earmark-backup', publicKey: bytes, privateKey };
  writeFileSync(join(forged, 'manifest.sig'), signNote(`earmark backup\n${hash('sha256', text, 'hex')}\n`, [signer]));
  const env = { ENCRYPTION_KEY: readFileSync(join(data, 'encryption-key'), 'utf8').trim() };
  await assertNotRestored(t, [forged], /^The backup is not signed by the service that it is of\. Do not restore it\.\n$/, env);
  await assertNotRestored(
    t,
    [forged, '--signed-by', made.signed_by],
    /^The backup is not signed by the key of --signed-by\. /,
    env,
  );
  const target = { DATA_DIR: fresh(), ...env };
  const restored = await runCliJson<{ signed_by: string }>(t, ['restore', keyless, '--signed-by', made.signed_by], target);
  assert.equal(restored.signed_by, made.signed_by);
});

test('an encrypted backup shows nothing, and only the identity restores it', async (t) => {
  const identity = await generateX25519Identity();
  const [key, other] = [join(folder, 'backup.key'), join(folder, 'other.key')];
  writeFileSync(key, `# created: 2026-11-21\n${identity}\n`);
  writeFileSync(other, `${await generateX25519Identity()}\n`);
  const encrypted = join(folder, 'encrypted');
  const recipient = await identityToRecipient(identity);
  const report = await runCliJson<{ files: string }>(t, ['backup', encrypted, '--encrypt', recipient], from);
  assert.equal(report.files, 'encryption-key sandbox.json');
  const names = readdirSync(encrypted).filter((name) => !name.endsWith('.age'));
  assert.deepEqual(names.sort(), ['manifest.json', 'manifest.sig']);
  for (const name of readdirSync(encrypted).filter((one) => one.endsWith('.age')))
    assert.match(readFileSync(join(encrypted, name), 'latin1'), /^age-encryption\.org\/v1\n-> X25519 /, name);
  await assertNotRestored(t, [encrypted], /^The backup is encrypted\. Name the file of an identity .* --identity\.\n$/);
  await assertNotRestored(
    t,
    [encrypted, '--identity', other],
    /^The backup cannot be decrypted: no identity matched any of the file's recipients\.\n$/,
  );
  await assertNotRestored(t, [encrypted, '--identity', join(encrypted, 'manifest.json')], /is not an identity in the age format/);
  const target = fresh();
  t.after(() => endServer(target));
  const restored = await runCliJson<{ ledger: string; signed_by: string }>(t, ['restore', encrypted, '--identity', key], {
    DATA_DIR: target,
  });
  assert.deepEqual([restored.ledger, restored.signed_by], ['consistent', made.signed_by]);
  assert.equal(readFileSync(join(target, 'encryption-key'), 'utf8'), readFileSync(join(data, 'encryption-key'), 'utf8'));
  const again = await serve(t, { DATA_DIR: target });
  assert.equal((await call(sandboxOf(target).labels[0], (await tokenOf(again.url, sandboxOf(target)))!)).status, 200);
});

test('a recipient that is none is refused before anything is written', async (t) => {
  const target = join(folder, 'nothing');
  assertOneLine(
    await runCli(t, ['backup', target, '--encrypt', 'age1nobody'], from),
    /^age1nobody is not a recipient in the age /,
  );
  assert.ok(!existsSync(target));
});
