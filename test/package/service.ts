// The service as operators get it: packed, installed from the tarball into an empty folder, started, called, imported and type-checked.
// Not part of the suite, because it installs from the registry or npm's cache: `npm run long -- package`.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, tokenOf } from '../support/http.ts';
import { ROOT } from '../support/paths.ts';
import { sandboxOf, scratch, serve } from '../support/process.ts';
import { checkTypes, install, NODE_TYPES, pack, run } from './pack.ts';

const PACKED_MAX_BYTES = 1_300_000;
/** Every file of the package is of one of these. */
const OWN =
  /^(dist\/.*\.(js|d\.ts)|migrations\/.*\.sql|(assets|reference|docs|docs\/guides|docs\/operations|examples|examples\/bank-files|operations|deploy|deploy\/backup|deploy\/cluster|deploy\/chart(\/\w+)?)\/[^/]+|bench\/(NOTES\.md|(plot|tails)\.svg)|bin\/earmark\.js|[^/]+)$/;

const SCRIPT = `import { startEarmark, type TestEarmark } from 'earmark/testing';

const begin = performance.now();
const { client, accountId, stop }: TestEarmark = await startEarmark();
const startMs = Math.round(performance.now() - begin);
const customer = await client.customers.create({ type: 'unverified', firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' });
// @ts-expect-error an amount has a currency
const refused: unknown = await client.labels.create(customer, { amount: { value: '1' } }).catch((error: unknown) => error);
const account = (await client.accounts.get(accountId)).name;
await stop();
console.log(JSON.stringify({ startMs, account, refused: (refused as { code: string }).code }));
`;

let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'earmark-package-'));
  const { tarball, files } = await pack(ROOT, folder);
  assert.deepEqual(
    files.filter((path) => !OWN.test(path) || path.includes('.test.')),
    [],
  );
  assert.ok(statSync(tarball).size < PACKED_MAX_BYTES, `${statSync(tarball).size} bytes`);
  await install(folder, tarball);
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('`npx earmark` runs, and `npx earmark serve` moves money', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const { stdout } = await run('npx', ['earmark', '--version'], { cwd: folder });
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

test('earmark/testing starts a service from a TypeScript program', async (t) => {
  writeFileSync(join(folder, 'script.ts'), SCRIPT);
  await checkTypes(folder, ['--module', 'nodenext', ...NODE_TYPES, 'script.ts']);
  const { stdout } = await run(process.execPath, ['script.ts'], { cwd: folder });
  const { startMs, ...result } = JSON.parse(stdout) as { startMs: number };
  assert.deepEqual(result, { account: 'Test', refused: 'BadRequest' });
  t.diagnostic(`startEarmark took ${startMs} ms`);
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
