// The package as users get it: packed, installed from the tarball into an empty folder, started, called, imported and type-checked.
// Not part of the suite, because it installs from the registry or npm's cache: `npm run long -- package`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { call, tokenOf } from './support/http.ts';
import { ROOT } from './support/paths.ts';
import { sandboxOf, scratch, serve } from './support/process.ts';

const run = promisify(execFile);
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
const PACKED_MAX_BYTES = 1_200_000;

const SCRIPT = `import { Earmark, ValidationError } from '@earmark/client';
import { fileAt } from '@earmark/client/files';
import { startEarmark } from 'earmark/testing';

const begin = performance.now();
const { client, accountId, stop }: { client: Earmark; accountId: string; stop(): Promise<void> } = await startEarmark();
const startMs = Math.round(performance.now() - begin);
const customer = await client.customers.create({ type: 'unverified', firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' });
const refused: unknown = await client.labels.create(customer, { amount: { value: '1', currency: 'USD' } }).catch((error) => error);
const file: Blob = await fileAt(import.meta.filename);
const account = (await client.accounts.get(accountId)).name;
await stop();
console.log(JSON.stringify({ startMs, account, isRefused: refused instanceof Error && !(refused instanceof ValidationError), size: file.size > 0 }));
`;

const BROWSER = `import { Earmark, verifyWebhook, type Label } from '@earmark/client';

const earmark = new Earmark({ url: location.origin, clientId: 'id', clientSecret: 'secret' });
export async function show(id: string, picture: File): Promise<Label> {
  await earmark.documents.submit('https://service.example/customers/x', { type: 'passport', file: picture });
  // @ts-expect-error no such type of document
  await earmark.documents.submit('x', { type: 'library card', file: picture });
  // @ts-expect-error an action is not a link to follow
  await earmark.follow(await earmark.labels.get(id), 'remove');
  await verifyWebhook({ body: '', headers: new Headers(), secret: '' });
  const entry = await earmark.ledgerEntries.get(id);
  for await (const { amount } of earmark.ledgerEntries.list(entry._links.label.href)) document.title = amount.value;
  return earmark.follow(entry, 'label');
}
`;

let tarball: string;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'earmark-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], { cwd: ROOT });
  // npm 11 gives a list, npm 12 an object by name.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) as {
    filename: string;
    files: { path: string }[];
  }[];
  tarball = join(folder, packed!.filename);
  const foreign = packed!.files.filter(
    ({ path }) =>
      !/^(dist\/.*\.(js|d\.ts)|migrations\/.*\.sql|(assets|reference|docs|docs\/guides|docs\/operations|docs\/pictures|examples|operations|deploy|deploy\/cluster)\/[^/]+|bench\/(NOTES\.md|plot\.svg)|bin\/earmark\.js|[^/]+)$/.test(
        path,
      ),
  );
  assert.deepEqual(foreign, []);
  assert.ok(packed!.files.every(({ path }) => !path.includes('.test.')));
  assert.ok(statSync(tarball).size < PACKED_MAX_BYTES, `${statSync(tarball).size} bytes`);
  // Without install scripts, which an installation may forbid.
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', tarball], {
    cwd: folder,
    env: { ...process.env, PATH },
  });
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('`npx earmark` runs, and `npx earmark serve` moves money', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const { stdout } = await run('npx', ['earmark', '--version'], { cwd: folder, env: { ...process.env, PATH } });
  assert.equal(stdout.trim(), `earmark  ${version}`);

  const command = [process.execPath, join(folder, 'node_modules/.bin/earmark'), 'serve'];
  const { url } = await serve(t, { DATA_DIR: dataDir }, { command, cwd: folder });
  const { labels, ...client } = sandboxOf(dataDir);
  for (const path of ['/docs', '/openapi.json', '/health/ready']) assert.equal((await fetch(`${url}${path}`)).status, 200, path);
  const token = (await tokenOf(url, client))!;
  const [from, to] = labels.map((href) => ({ href }));
  const body = { _links: { from, to }, amount: { value: '25.00', currency: 'USD' } };
  const made = await call(`${url}/label-reallocations`, token, body);
  assert.equal(made.status, 201);
  const { body: label } = await call<{ amount: object }>(labels[1], token);
  assert.deepEqual(label.amount, { value: '25.00', currency: 'USD' });
});

test('@earmark/client and earmark/testing can be imported, with types, in Node.js', async (t) => {
  writeFileSync(join(folder, 'script.ts'), SCRIPT);
  const types = join(ROOT, 'node_modules/@types');
  const options = ['--strict', '--noEmit', '--target', 'esnext', '--module', 'nodenext', '--typeRoots', types, '--types', 'node'];
  await check([...options, 'script.ts']);
  const { stdout } = await run(process.execPath, ['script.ts'], { cwd: folder });
  const { startMs, ...result } = JSON.parse(stdout) as { startMs: number };
  assert.deepEqual(result, { account: 'Test', isRefused: true, size: true });
  t.diagnostic(`startEarmark took ${startMs} ms`);
});

test('@earmark/client has types for browsers, without those of Node.js', async () => {
  writeFileSync(join(folder, 'browser.ts'), BROWSER);
  const lib = ['--lib', 'esnext,dom,dom.iterable,dom.asynciterable', '--types', ''];
  await check([
    '--strict',
    '--noEmit',
    '--target',
    'esnext',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    ...lib,
    'browser.ts',
  ]);
});

test('an older Node.js is refused in one line', async () => {
  const older = 'data:text/javascript,Object.defineProperty(process, "version", { value: "v22.11.0" })';
  const args = ['--import', older, join(folder, 'node_modules/.bin/earmark'), 'serve'];
  const failed = await run(process.execPath, args, { cwd: folder }).then(
    () => assert.fail('it runs'),
    (error: { code: number; stderr: string }) => error,
  );
  assert.equal(failed.stderr, 'Earmark needs Node.js 24 or newer, and this is v22.11.0.\n');
  assert.equal(failed.code, 1);
  const script = "(await import('earmark/testing')).startEarmark().catch(({ message }) => console.log(message))";
  const { stdout } = await run(process.execPath, ['--import', older, '--input-type=module', '--eval', script], { cwd: folder });
  assert.equal(stdout, failed.stderr);
});

/** Checks types, including those of dependencies. */
async function check(args: string[]): Promise<void> {
  await run(TSC, ['--ignoreConfig', ...args], { cwd: folder }).catch((error: { stdout: string }) => assert.fail(error.stdout));
}
