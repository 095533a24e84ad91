// What the package may import: its entry reaches no module of Node.js, and no file imports anything outside the package.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const FOLDER = join(import.meta.dirname, '..');
const IMPORT = /^(?:import|export)\s[^'=]*?from '([^']+)'|\bimport\('([^']+)'\)/gm;

const importsOf = (file: string) =>
  [...readFileSync(join(FOLDER, file), 'utf8').matchAll(IMPORT)].map(([, name, lazy]) => name ?? lazy!);

test('no file imports anything outside the package but modules of Node.js', () => {
  const files = globSync('src/**/*.ts', { cwd: FOLDER });
  assert.ok(files.length > 20);
  const foreign = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => !/^(\.\/[\w-]+\.ts|node:\w.*)$/.test(name))
      .map((name) => `${file} → ${name}`),
  );
  assert.deepEqual(foreign, []);
});

test('the entry reaches no module of Node.js', () => {
  const reached = new Set<string>();
  const modules: string[] = [];
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const name of importsOf(file)) {
      if (name.startsWith('.')) visit(relative(FOLDER, join(FOLDER, dirname(file), name)));
      else modules.push(`${file} → ${name}`);
    }
  };
  visit('src/proof.ts');
  assert.ok(reached.has('src/compare-statements.ts') && !reached.has('src/sign.ts'));
  assert.deepEqual(modules, []);
});
