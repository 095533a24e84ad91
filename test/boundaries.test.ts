// Import boundaries: rooms and folders import one way, app.ts alone imports routes, every export has an importer, and
// platform/config/environment.ts alone reads the environment.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const files = globSync('{src,packages/*/src}/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** `names` is the import clause, or the whole file for a lazy import. */
type Edge = { from: string; to: string; names: string };
const IMPORT = /^(?:import|export)(?: type)? (?<names>[^;]*?)from '(?<path>\.[^']+)';$|\bimport\('(?<lazy>\.[^']+)'\)/gms;
const EXPORT = /^export (?:async )?(?:function|const|let|class|type) (\w+)/gm;
const edges = files.flatMap(edgesOf);

function edgesOf(file: string): Edge[] {
  const text = read(file);
  return [...text.matchAll(IMPORT)].map(({ groups }) => ({
    from: file,
    to: normalize(join(dirname(file), (groups?.path ?? groups?.lazy)!)),
    names: groups?.names ?? text,
  }));
}

/** From the bottom up: a file imports from its own room and from those before it. The packages import nothing of `src`. */
const ROOMS = ['packages', 'src/core', 'src/platform', 'src/ledger', 'src/resources', 'src/apps'];
const roomOf = (file: string) => ROOMS.findIndex((room) => file.startsWith(`${room}/`));
const nameOf = (file: string) => (file.startsWith('packages/') ? file : file.replace('src/', ''));

test('every file belongs to a room', () => {
  assert.deepEqual(
    files.filter((file) => roomOf(file) < 0),
    [],
  );
  assert.ok(edges.length > 100, 'imports are parsed');
});

test('imports go down: apps, resources, ledger, platform, core, packages', () => {
  const upward = edges
    .filter(({ from, to }) => roomOf(to) > roomOf(from))
    .map(({ from, to }) => `${nameOf(from)} → ${nameOf(to)} (${ROOMS[roomOf(to)]} is above ${ROOMS[roomOf(from)]})`);
  assert.deepEqual(upward, []);
});

test('a package imports no other package', () => {
  const packageOf = (file: string) => /^packages\/[^/]+/.exec(file)?.[0];
  assert.deepEqual(
    edges.filter(({ from, to }) => packageOf(from) && packageOf(from) !== packageOf(to)),
    [],
  );
});

test('the files and folders of each folder import each other in one direction, types and lazy imports included', () => {
  const folders = new Set(files.flatMap((file) => ancestorsOf(file)));
  assert.deepEqual(
    [...folders].flatMap((folder) => cyclesIn(`${folder}/`, edges)),
    [],
  );
});

test('the files of benchmarks import each other in one direction', () => {
  assert.deepEqual(cyclesIn('bench/', globSync('bench/**/*.ts', { cwd: ROOT }).flatMap(edgesOf)), []);
});

/** The folders of a file, from the room. */
function ancestorsOf(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? [] : [...ancestorsOf(folder), folder];
}

/** The imports of a folder's members that close a cycle of them. */
function cyclesIn(folder: string, all: Edge[]): string[] {
  const member = (file: string) => file.slice(folder.length).split('/')[0]!;
  const inside = all.filter(({ from, to }) => from.startsWith(folder) && to.startsWith(folder) && member(from) !== member(to));
  const importsOf = Map.groupBy(inside, ({ from }) => member(from));
  const reachable = (from: string, found = new Set<string>()): Set<string> => {
    for (const { to } of importsOf.get(from) ?? []) {
      if (found.has(member(to))) continue;
      found.add(member(to));
      reachable(member(to), found);
    }
    return found;
  };
  return inside
    .filter(({ from, to }) => reachable(member(to)).has(member(from)))
    .map(({ from, to }) => `${from} → ${to} (${member(to)} is above ${member(from)})`);
}

test('the ledger imports nothing of http, idempotency and problems: it returns outcomes', () => {
  const callers = /^src\/(platform\/(http|idempotency)\/|core\/problems\.ts)/;
  assert.deepEqual(
    edges.filter(({ from, to }) => /^src\/ledger\/(transfers|verification)\//.test(from) && callers.test(to)),
    [],
  );
});

test('only the applications know the service', () => {
  assert.deepEqual(
    edges.filter(({ from, to }) => to === 'src/apps/service/service.ts' && !from.startsWith('src/apps/')),
    [],
  );
});

test('only app.ts imports routes', () => {
  assert.deepEqual(
    edges.filter(({ from, to }) => /[/-]routes\.ts$/.test(to) && from !== 'src/apps/api/app.ts'),
    [],
  );
});

test('only app.ts imports the console', () => {
  const CONSOLE = 'src/apps/console/';
  assert.deepEqual(
    edges.filter(({ from, to }) => to.startsWith(CONSOLE) && !from.startsWith(CONSOLE) && from !== 'src/apps/api/app.ts'),
    [],
  );
});

test('every export has an importer', () => {
  const ENTRIES = ['packages/client/src/client.ts', 'packages/client/src/files.ts', 'src/apps/testing/testing.ts'];
  const GENERATED = ['packages/client/src/openapi.ts'];
  const PROGRAM = '.update.ts';
  const importers = globSync('{src,packages,test,bench,bin,examples}/**/*.{ts,js}', { cwd: ROOT });
  const imported = Map.groupBy(importers.flatMap(edgesOf), ({ to }) => to);
  const isImported = (file: string, name: string) =>
    imported.get(file)?.some(({ names }) => names.startsWith('*') || new RegExp(`\\b${name}\\b`).test(names));
  const unused = files
    .filter((file) => ![...ENTRIES, ...GENERATED].includes(file) && !file.endsWith(PROGRAM))
    .flatMap((file) => [...read(file).matchAll(EXPORT)].map(([, name]) => ({ file, name: name! })))
    .filter(({ file, name }) => !isImported(file, name));
  assert.deepEqual(unused, []);
});

test('only the types of TypeBox are imported: loading it takes longer than loading Earmark', () => {
  assert.deepEqual(
    files.filter((file) => /^import (?!type ).* from 'typebox/m.test(read(file))),
    [],
    'import Type from src/core/type.ts',
  );
});

test('only platform/config/environment.ts reads the environment', () => {
  assert.deepEqual(
    files.filter((file) => /process\.env\b/.test(read(file))).sort(),
    // The samples in TypeScript read it when users run them.
    ['src/apps/docs/samples/typescript.ts', 'src/platform/config/environment.ts'],
  );
});

test('the client imports only itself, so that it runs in browsers; files.ts may import Node modules', () => {
  const foreign = files
    .filter((file) => file.startsWith('packages/client/'))
    .flatMap((file) => [...read(file).matchAll(/from '([^'.][^']*)'/g)].map(([, name]) => `${file}: ${name}`));
  const FILES = 'packages/client/src/files.ts';
  assert.deepEqual(foreign, [`${FILES}: node:fs`, `${FILES}: node:fs/promises`]);
});
