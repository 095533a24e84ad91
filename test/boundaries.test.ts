// Which file may know which: imports point one way, doors are opened by app.ts only, and the environment is read in one place.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const files = globSync('src/**/*.ts', { cwd: join(import.meta.dirname, '..') }).filter((file) => !file.endsWith('.test.ts'));
const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');

type Edge = { from: string; to: string; typeOnly: boolean };
const IMPORT = /^(?:import|export)(?<type> type)? [^;]*?from '(?<path>\.[^']+)';$|\bimport\('(?<lazy>\.[^']+)'\)/gms;
const edges: Edge[] = files.flatMap((file) =>
  [...read(file).matchAll(IMPORT)].map(({ groups }) => ({
    from: file,
    to: normalize(join(dirname(file), (groups?.path ?? groups?.lazy)!)),
    typeOnly: groups?.type !== undefined,
  })),
);

// From the ground up: a file may import from its own layer (its own folder) and from those before it.
const layers = [
  ['client'],
  ['config', 'ids', 'problems', 'clock', 'version', 'schema', 'user-error'],
  ['sealing', 'money', 'db'],
  ['http', 'telemetry'],
  ['ledger', 'events'],
  [
    'oauth',
    'accounts',
    'customers',
    'funds',
    'labels',
    'ledger-entries',
    'label-reallocations',
    'webhooks',
    'beneficial-owners',
    'documents',
    'health',
    'sandbox',
  ],
  ['service'],
  ['app', 'keys', 'jobs', 'backup', 'docs'],
  ['server'],
  ['commands', 'testing'],
  ['cli'],
];

// Rooms that know another room, and what for.
const betweenRooms = new Set([
  'sandbox → webhooks', // the clock moves due times and retention
  'sandbox → accounts', // the account created at the first start, and everything in it
  'sandbox → oauth',
  'sandbox → customers',
  'sandbox → beneficial-owners',
  'sandbox → labels',
  'funds → customers', // whose money it is
  'documents → beneficial-owners', // whose they are, and who is verified by one
  'documents → customers', // the same
  'beneficial-owners → customers', // whose owners they are, and the forms of people
  'labels → customers', // whose label it is
  'ledger-entries → labels', // whose entries they are
  'label-reallocations → labels', // what is moved between
  'label-reallocations → oauth', // whose scope is checked after the syntax
  'label-reallocations → customers', // whose they are listed for
]);

const place = (file: string) => file.split('/')[1]!.replace(/\.ts$/, '');
const layerOf = (file: string) => layers.findIndex((layer) => layer.includes(place(file)));
const ROOMS = 5;

test('every file has a place', () => {
  assert.deepEqual(
    files.filter((file) => layerOf(file) < 0),
    [],
  );
  assert.ok(edges.length > 100, 'imports are read');
});

test('imports point one way', () => {
  const upward = edges
    .filter(({ from, to }) => layerOf(to) > layerOf(from))
    // what a room is handed is only a shape to it
    .filter(({ to, typeOnly }) => !(to === 'src/service.ts' && typeOnly));
  assert.deepEqual(upward, []);
});

test('rooms know each other only as listed', () => {
  const met = new Set(
    edges
      .filter(({ from, to }) => layerOf(from) === ROOMS && layerOf(to) === ROOMS && place(from) !== place(to))
      .map(({ from, to }) => `${place(from)} → ${place(to)}`),
  );
  assert.deepEqual(met, betweenRooms);
});

test("a room's door is opened by app.ts only", () => {
  assert.deepEqual(
    edges.filter(({ from, to }) => to.endsWith('/routes.ts') && from !== 'src/app.ts'),
    [],
  );
});

test('the environment is read in config.ts only', () => {
  assert.deepEqual(
    files.filter((file) => /process\.env\b/.test(read(file))),
    ['src/config.ts'],
  );
});

test('the client runs in browsers: it imports nothing but itself, except for files', () => {
  const clients = files.filter((file) => place(file) === 'client');
  const foreign = clients.flatMap((file) =>
    [...read(file).matchAll(/from '([^'.][^']*)'/g)].map(([, name]) => `${file}: ${name}`),
  );
  assert.deepEqual(foreign, ['src/client/files.ts: node:fs', 'src/client/files.ts: node:fs/promises']);
  assert.deepEqual(
    edges.filter(({ from, to }) => place(from) === 'client' && place(to) !== 'client'),
    [],
  );
});
