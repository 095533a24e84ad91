// The client as its users get it: packed, installed alone into an empty project, run by two versions of Node.js, bundled and type-checked.
// Not part of the suite, because it installs from the registry or npm's cache: `npm run long -- package`.
import '../support/typescript5.ts';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { tokenOf } from '../support/http.ts';
import { ROOT } from '../support/paths.ts';
import { sandboxOf, scratch, serve } from '../support/process.ts';
import { checkTypes, install, installed, NODE_TYPES, pack, run } from './pack.ts';

const SOURCE = join(ROOT, 'packages/client');
const PACKED_MAX_BYTES = 40_000;
const ESBUILD = 'esbuild@0.28.2';
/** What attw's profile `esm-only` leaves out: resolution without `exports`, and `require()`. */
const NOT_ESM = ['node10', 'node16-cjs'];

/** What a web page, a server and a bundle call alike. Prints what it finds. */
const CALLS = `const { URL: url, TOKEN: token, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, CUSTOMER: customer } = settings;
  const earmark = new Earmark({ url, clientId, clientSecret });
  const label = await earmark.labels.create(customer, { name: 'Tax', amount: { value: '1.00', currency: 'USD' } });
  const refused = await earmark.labels.remove(label).catch((error) => error);
  const own = new Earmark({ url, token: async () => token });
  const { elements } = await own.labels.list(customer, { limit: 1 }).page();
  const pdf = await own.statements.pdf(customer, { month: new Date().toISOString().slice(0, 7) });
  const forged = await verifyWebhook({ body: '', headers: {}, secret: 'x' }).catch((error) => error);
  console.log(JSON.stringify([refused.name, elements.length, pdf.type, (await pdf.text()).slice(0, 4), forged.name]));`;
const PRINTED = JSON.stringify(['InvalidResourceStateError', 1, 'application/pdf', '%PDF', 'WebhookVerificationError']);

const PROGRAMS = {
  'module.mjs': `import { Earmark, verifyWebhook } from '@earmark/client';
  import { fileAt } from '@earmark/client/files';
  const settings = process.env;
  if ((await fileAt('package.json')).size === 0) throw new Error('The file is empty.');
  ${CALLS}`,
  'common.cjs': `(async () => {
  const { Earmark, verifyWebhook } = await import('@earmark/client');
  const settings = process.env;
  ${CALLS}
  })();`,
  'page.js': `import { Earmark, verifyWebhook } from '@earmark/client';
  export async function main(settings) {
  ${CALLS}
  }`,
};

const SERVER = `import { Earmark, ValidationError, type EarmarkOptions, type Label } from '@earmark/client';
import { fileAt } from '@earmark/client/files';

const token = { url: 'https://service.example', token: async () => 'token' } satisfies EarmarkOptions;
const earmark = new Earmark(token);
const label: Label = await earmark.labels.get('id').catch((error: unknown): never => {
  if (error instanceof ValidationError && error.has('InsufficientFunds')) console.log(error.faults);
  throw error;
});
const file: Blob = await fileAt(import.meta.filename);
console.log(label.amount.value, file.size);
`;

const PAGE = `import { Earmark, verifyWebhook, type Label } from '@earmark/client';

const earmark = new Earmark({ url: location.origin, token: async () => (await fetch('/token')).text() });
// @ts-expect-error two ways to get tokens
new Earmark({ url: location.origin, token: 'token', clientId: 'id', clientSecret: 'secret' });
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

let folder: string;
let tarball: string;
let settings: Record<string, string>;

before(async (t) => {
  folder = mkdtempSync(join(tmpdir(), 'earmark-client-'));
  const packed = await pack(SOURCE, folder);
  tarball = packed.tarball;
  const foreign = packed.files.filter((path) => !/^(dist\/[a-z]+\.(js|d\.ts)|LICENSE|README\.md|package\.json)$/.test(path));
  assert.deepEqual(foreign, []);
  await install(folder, tarball);
  for (const [name, code] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), code);
  settings = await startSandbox(t as TestContext);
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('the package is small, and installs nothing else', (t) => {
  const { size } = statSync(tarball);
  t.diagnostic(`${size} bytes packed`);
  assert.ok(size <= PACKED_MAX_BYTES, `${size} bytes`);
  assert.deepEqual(installed(folder), ['node_modules/@earmark/client']);
});

test('modules and CommonJS call a service in this Node.js and in Node.js 20', async (t) => {
  const node20 = await findNode20();
  const versions = await Promise.all([process.execPath, node20].map((node) => run(node, ['--version'], { cwd: folder })));
  t.diagnostic(versions.map(({ stdout }) => stdout.trim()).join(', '));
  for (const node of [process.execPath, node20]) {
    for (const program of ['module.mjs', 'common.cjs']) {
      const { stdout } = await run(node, [program], { cwd: folder, env: settings });
      assert.equal(stdout.trim(), PRINTED, `${node} ${program}`);
    }
  }
});

test('a bundle of esbuild for browsers calls a service', async (t) => {
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  await install(tools, ESBUILD);
  const options = ['--bundle', '--platform=browser', '--format=esm', '--minify', '--outfile=bundle.mjs'];
  await run(join(tools, 'node_modules/.bin/esbuild'), ['page.js', ...options], { cwd: folder });
  const bundle = readFileSync(join(folder, 'bundle.mjs'), 'utf8');
  t.diagnostic(`${bundle.length} characters`);
  assert.doesNotMatch(bundle, /node:|\bprocess\b|\bBuffer\b/);
  const start = `(await import('./bundle.mjs')).main(${JSON.stringify(settings)})`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', start], { cwd: folder });
  assert.equal(stdout.trim(), PRINTED);
});

test('it has strict types for Node.js, and for browsers without those of Node.js', async () => {
  writeFileSync(join(folder, 'server.ts'), SERVER);
  await checkTypes(folder, ['--module', 'nodenext', ...NODE_TYPES, 'server.ts']);
  writeFileSync(join(folder, 'page.ts'), PAGE);
  const browser = ['--lib', 'esnext,dom,dom.iterable,dom.asynciterable', '--types', ''];
  await checkTypes(folder, ['--module', 'esnext', '--moduleResolution', 'bundler', ...browser, 'page.ts']);
});

test('attw and publint find no fault', async () => {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
  assert.ok(analysis.types, 'it has types');
  const wrong = analysis.problems.filter((problem) => !('resolutionKind' in problem && NOT_ESM.includes(problem.resolutionKind)));
  assert.deepEqual(wrong, []);

  const pkgDir = join(folder, 'node_modules/@earmark/client');
  const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
  assert.equal(pkg.name, '@earmark/client');
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
});

/** Starts a sandbox, and returns what the programs need of it. */
async function startSandbox(t: TestContext): Promise<Record<string, string>> {
  const dataDir = join(scratch(t), 'data');
  const { url } = await serve(t, { DATA_DIR: dataDir });
  const { client_id, client_secret, customer } = sandboxOf(dataDir);
  const token = await tokenOf(url, { client_id, client_secret });
  return { URL: url, TOKEN: token!, CLIENT_ID: client_id, CLIENT_SECRET: client_secret, CUSTOMER: customer };
}

/** A Node.js 20: one on the PATH, or the one that npm has. */
async function findNode20(): Promise<string> {
  for (const path of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(path, 'node');
    const version = existsSync(node) ? (await run(node, ['--version'], { cwd: folder })).stdout : '';
    if (version.startsWith('v20.')) return node;
  }
  const name = `node-${process.platform}-${process.arch}`;
  const tools = join(folder, 'node20');
  mkdirSync(tools);
  await install(tools, `${name}@20`);
  return join(tools, 'node_modules', name, 'bin/node');
}
