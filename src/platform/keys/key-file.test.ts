// Tests of the key file of a data directory: it is created once, and a faulty one is reported without its content.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadOrMakeKey } from './key-file.ts';
import { KeyError } from './sealing.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

test('creates a key file once, readable by its owner only, also concurrently', async (t) => {
  const dataDir = join(await scratch(t), 'not', 'there');
  const all = await Promise.all(Array.from({ length: 20 }, () => loadOrMakeKey(dataDir)));
  assert.equal(all[0]![0]!.length, 32);
  for (const keys of all) assert.deepEqual(keys, all[0]);
  assert.deepEqual(await loadOrMakeKey(dataDir), all[0]);
  assert.deepEqual(await readdir(dataDir), ['encryption-key']);
  assert.equal((await stat(join(dataDir, 'encryption-key'))).mode & 0o777, 0o600);
});

test('reads "new,old", and reports a malformed key file in one line without the key', async (t) => {
  const dataDir = await scratch(t);
  const file = join(dataDir, 'encryption-key');
  await writeFile(file, `${newKey.toString('base64')},\n${oldKey.toString('base64')}\n`);
  assert.deepEqual(await loadOrMakeKey(dataDir), [newKey, oldKey]);
  for (const text of ['', 'short', newKey.toString('hex'), `${newKey.toString('base64')},`, randomBytes(31).toString('base64')]) {
    await writeFile(file, text);
    await assert.rejects(loadOrMakeKey(dataDir), (error) => {
      assert.ok(error instanceof KeyError);
      assert.match(error.message, /^.*encryption-key must contain 32 bytes in base64.*$/);
      return text === '' || !error.message.includes(text);
    });
    assert.equal(await readFile(file, 'utf8'), text);
  }
});

test('reports in one line that the key cannot be read or created', async (t) => {
  const dataDir = await scratch(t);
  await writeFile(join(dataDir, 'file'), '');
  await assert.rejects(loadOrMakeKey(join(dataDir, 'file')), KeyError);
  if (process.getuid?.() === 0) return;
  await chmod(dataDir, 0o500);
  await assert.rejects(loadOrMakeKey(dataDir), KeyError);
});

async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'earmark-key-file-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
