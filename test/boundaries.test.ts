// Import boundaries: layers import one way, app.ts alone imports routes, every export has an importer, and config/environment.ts alone
// reads the environment.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** `names` is the import clause, or the whole file for a lazy import. */
type Edge = { from: string; to: string; names: string; typeOnly: boolean };
const IMPORT = /^(?:import|export)(?<type> type)? (?<names>[^;]*?)from '(?<path>\.[^']+)';$|\bimport\('(?<lazy>\.[^']+)'\)/gms;
const EXPORT = /^export (?:async )?(?:function|const|let|class|type) (\w+)/gm;
const edges = files.flatMap(edgesOf);

function edgesOf(file: string): Edge[] {
  const text = read(file);
  return [...text.matchAll(IMPORT)].map(({ groups }) => ({
    from: file,
    to: normalize(join(dirname(file), (groups?.path ?? groups?.lazy)!)),
    names: groups?.names ?? text,
    typeOnly: groups?.type !== undefined,
  }));
}

/** A resource is a folder with facts. */
const resources = globSync('src/*/facts.ts', { cwd: ROOT }).map((file) => file.split('/')[1]!);

// From the bottom up: a file may import from its own folder and from the layers before it.
const layers = [
  ['client', 'proof'],
  [
    'config',
    'ids',
    'problems',
    'clock',
    'version',
    'schema',
    'type',
    'sync-folder',
    'user-error',
    'in-flight',
    'in-turns',
    'nearest-name',
    'loop',
    'csv',
  ],
  ['sealing', 'key-file', 'money', 'db'],
  ['facts'],
  ['resources'],
  ['http', 'telemetry'],
  ['peers', 'pages', 'operators'],
  ['ledger', 'events', 'forms'],
  ['idempotency'],
  resources,
  ['runtime'],
  ['service'],
  ['keys', 'jobs', 'backup', 'exports', 'change-requests'],
  ['console'],
  ['app', 'docs'],
  ['server'],
  ['workers'],
  ['commands', 'testing'],
  ['cli'],
];

// Resources that import another resource, and why. Everything belongs to a customer, so each may import customers.
const betweenResources = new Set([
  'sandbox → webhooks', // the clock moves due times and retention
  'sandbox → accounts', // the account created at the first start, and everything in it
  'sandbox → oauth',
  'sandbox → transparency-log', // retention deletes only events that are in the log
  'sandbox → beneficial-owners',
  'sandbox → labels',
  'documents → webhooks', // the http checker signs and sends like a webhook
  'documents → beneficial-owners', // documents belong to owners and verify them
  'ledger-entries → labels', // entries belong to labels
  'label-reallocation-batches → label-reallocations', // an item is a reallocation
  'label-reallocation-batches → labels',
  'label-reallocation-batches → oauth',
  'label-reallocations → labels', // money moves between labels
  'label-reallocations → transfers', // lists of one kind of transfer
  'funds → transfers',
  'statements → accounts', // the letterhead
  'statements → labels',
  'label-reallocations → oauth', // the scope is checked after the syntax
  'allocation-rules → labels', // money of deposits moves to labels
  'funds → allocation-rules', // a deposit is divided by the rule of its customer
  'accounts → transparency-log', // an account shows the key of its log
]);

/** The facts of all resources are one module. */
const moduleOf = (file: string) => (file.endsWith('/facts.ts') ? 'facts' : file.split('/')[1]!.replace(/\.ts$/, ''));
const layerOf = (file: string) => layers.findIndex((layer) => layer.includes(moduleOf(file)));
const RESOURCE_LAYER = layers.indexOf(resources);

test('every file belongs to a layer', () => {
  assert.deepEqual(
    files.filter((file) => layerOf(file) < 0),
    [],
  );
  assert.ok(edges.length > 100, 'imports are parsed');
});

test('imports point one way', () => {
  const upward = edges
    .filter(({ from, to }) => layerOf(to) > layerOf(from))
    // A resource may import the type of what it is passed.
    .filter(({ to, typeOnly }) => !(to === 'src/service.ts' && typeOnly));
  assert.deepEqual(upward, []);
});

test('no files import each other in a cycle, types and lazy imports included', () => {
  const all = [...files, ...globSync('bench/**/*.ts', { cwd: ROOT })];
  const importsOf = Map.groupBy(all.flatMap(edgesOf), ({ from }) => from);
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (path.includes(file) || finished.has(file)) return;
    for (const { to } of importsOf.get(file) ?? []) visit(to, [...path, file]);
    finished.add(file);
  };
  for (const file of all) visit(file, []);
  assert.deepEqual(cycles, []);
});

test('resources import each other only as listed', () => {
  const found = new Set(
    edges
      .filter(
        ({ from, to }) => layerOf(from) === RESOURCE_LAYER && layerOf(to) === RESOURCE_LAYER && moduleOf(from) !== moduleOf(to),
      )
      .filter(({ to }) => moduleOf(to) !== 'customers')
      .map(({ from, to }) => `${moduleOf(from)} → ${moduleOf(to)}`),
  );
  assert.deepEqual(found, betweenResources);
});

test('the ledger imports nothing of http, idempotency and problems: it returns outcomes', () => {
  const callers = ['http', 'idempotency', 'problems'];
  assert.deepEqual(
    edges.filter(({ from, to }) => moduleOf(from) === 'ledger' && callers.includes(moduleOf(to))),
    [],
  );
});

test('only app.ts imports routes', () => {
  assert.deepEqual(
    edges.filter(({ from, to }) => /[/-]routes\.ts$/.test(to) && from !== 'src/app.ts'),
    [],
  );
});

test('only app.ts imports the console', () => {
  assert.deepEqual(
    edges.filter(({ from, to }) => moduleOf(to) === 'console' && moduleOf(from) !== 'console' && from !== 'src/app.ts'),
    [],
  );
});

test('every export has an importer', () => {
  const ENTRIES = ['src/client/client.ts', 'src/client/files.ts', 'src/testing/testing.ts'];
  const GENERATED = ['src/client/openapi.ts'];
  const PROGRAM = '.update.ts';
  const importers = globSync('{src,test,bench,bin,examples}/**/*.{ts,js}', { cwd: ROOT });
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
    'import Type from src/type.ts',
  );
});

test('only config/environment.ts reads the environment', () => {
  assert.deepEqual(
    files.filter((file) => /process\.env\b/.test(read(file))).sort(),
    // The samples in TypeScript read it when users run them.
    ['src/config/environment.ts', 'src/docs/samples/typescript.ts'],
  );
});

test('the client imports only itself, so that it runs in browsers; files.ts may import Node modules', () => {
  const clients = files.filter((file) => moduleOf(file) === 'client');
  const foreign = clients.flatMap((file) =>
    [...read(file).matchAll(/from '([^'.][^']*)'/g)].map(([, name]) => `${file}: ${name}`),
  );
  assert.deepEqual(foreign, ['src/client/files.ts: node:fs', 'src/client/files.ts: node:fs/promises']);
  assert.deepEqual(
    edges.filter(({ from, to }) => moduleOf(from) === 'client' && moduleOf(to) !== 'client'),
    [],
  );
});
