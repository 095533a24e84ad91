// The package by itself: the example of its README runs, and no file imports anything outside it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { openRandom } from '../specimens/random.ts';
import { makeSpecimen } from '../specimens/specimens.ts';

const FOLDER = join(import.meta.dirname, '..');
const IMPORT = /^(?:import|export)\s[^'=]*?from '([^']+)'|\bimport\('([^']+)'\)/gm;
const SEED = 11;

const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

test('the example of the README reads a specimen', async (t) => {
  const [, example] = /^```ts\n(.*?)^```$/ms.exec(read('README.md')) ?? [];
  const today = new Date().toISOString().slice(0, 10);
  const { picture, holder } = await makeSpecimen(openRandom(SEED), { kind: 'td3', tier: 'B', today });
  const folder = mkdtempSync(join(tmpdir(), 'earmark-reader-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'passport.jpg');
  writeFileSync(file, picture);
  // In the folder of the package, which imports itself by its name, the example reads the picture from elsewhere.
  const program = example!.replace("'passport.jpg'", JSON.stringify(file));
  const args = ['--conditions=earmark-source', '--input-type=module-typescript', '-e', program];
  const printed = execFileSync(process.execPath, args, { cwd: FOLDER, encoding: 'utf8' });
  assert.ok(printed.startsWith(`td3 true ${holder.surname} ${holder.dateOfBirth} 0.9`), printed);
});

test('source, specimens, training and bench import nothing outside the package but its dependencies', () => {
  const files = globSync('{src,specimens,training,bench}/**/*.ts', { cwd: FOLDER });
  assert.ok(files.length > 40);
  const allowed = [...Object.keys(JSON.parse(read('package.json')).dependencies), 'node:'];
  const foreign = files.flatMap((file) =>
    [...read(file).matchAll(IMPORT)]
      .map(([, name, lazy]) => name ?? lazy!)
      .filter((name) =>
        name.startsWith('.')
          ? relative(FOLDER, join(FOLDER, file, '..', name)).startsWith('..')
          : !allowed.some((prefix) => name.startsWith(prefix)),
      )
      .map((name) => `${file} → ${name}`),
  );
  assert.deepEqual(foreign, []);
});

test('what runs needs nothing that is only for training', () => {
  const files = globSync('src/*.ts', { cwd: FOLDER }).filter((file) => !file.endsWith('.test.ts'));
  const foreign = files.flatMap((file) => [...read(file).matchAll(IMPORT)].filter(([, name]) => name?.startsWith('../')));
  assert.deepEqual(foreign, []);
});
