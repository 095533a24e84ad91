// The package depends on nothing, and runs where there is no Node.js: its source imports only itself, and uses only what browsers
// have. `files.ts` alone is for Node.js, Deno and Bun.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const HERE = import.meta.dirname;
const TSC = join(HERE, '../../../node_modules/typescript/bin/tsc');
/** Imports, exports from, and calls of import(). */
const SPECIFIER = /(?:\bfrom |\bimport |\bimport\()'([^']+)'/g;

test('the source imports only its own files; files.ts also imports modules of Node.js', () => {
  const sources = globSync('**/*.ts', { cwd: HERE }).filter((file) => !file.endsWith('.test.ts'));
  assert.ok(sources.includes('client.ts') && sources.includes('files.ts'));
  const foreign = sources.flatMap((file) =>
    [...readFileSync(join(HERE, file), 'utf8').matchAll(SPECIFIER)]
      .map(([, specifier]) => specifier!)
      .filter((specifier) => !/^\.\/[\w-]+\.ts$/.test(specifier))
      .map((specifier) => `${file}: ${specifier}`),
  );
  assert.deepEqual(foreign, ['files.ts: node:fs', 'files.ts: node:fs/promises']);
});

test('the source compiles without the types of Node.js, and with the library of Node.js 20', () => {
  const lib = 'es2023,dom,dom.iterable,dom.asynciterable';
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2023', '--lib', lib, '--types', ''];
  const modules = ['--module', 'nodenext', '--allowImportingTsExtensions', '--verbatimModuleSyntax'];
  const { stdout, status } = spawnSync(process.execPath, [TSC, ...options, ...modules, join(HERE, 'client.ts')], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
});

test('the package has no dependencies and no install scripts', () => {
  const manifest = JSON.parse(readFileSync(join(HERE, '../package.json'), 'utf8'));
  const members = ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies'];
  assert.deepEqual(
    members.filter((name) => name in manifest),
    [],
  );
  assert.deepEqual(Object.keys(manifest.scripts), ['prepack']);
});
