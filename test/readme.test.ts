// README.md: its commands work when pasted, and its links lead to files of the package.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { after, test } from 'node:test';
import { installLinks, ROOT } from './support/paths.ts';
import { scratch, start } from './support/process.ts';
import { startService } from './support/service.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
/** Screenshots, for those who read the repository. They would be an eighth of the package. */
const PICTURES = 'docs/pictures/';
const FIRST_SCREEN_LINES = 40;
const REALLOCATION = /(?<=\/label-reallocations\/)[0-9a-f-]{36}/g;
const ID = 'ID';
const TYPESCRIPT = [process.execPath, '--conditions=earmark-source', '--input-type=module-typescript', '-e'];

const blocksOf = (language: string) => [...README.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter(([, name]) => name === language);
const shell = blocksOf('sh').map(([, , block]) => block!);
const shown = blocksOf('').map(([, , block]) => block!);
const programs = blocksOf('ts').map(([, , block]) => block!);
const EVAL = shell.find((block) => block.startsWith('eval'))!.split('\n')[0]!;

const { url, dataDir } = await startService({ after });

/** Runs a script of the README as if pasted into a terminal in the clone. */
async function paste(t: Parameters<typeof start>[0], script: string) {
  const ended = await start(t, ['bash', '-c', `set -o pipefail; ${script}`], { DATA_DIR: dataDir }).ended;
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}

test('the first screen moves money and shows both ledger entries', async (t) => {
  const [begin, reallocate, token] = shell;
  assert.match(begin!, /^npm ci && npm start/);
  assert.ok(README.indexOf(shown[0]!) < README.indexOf('\n## '), 'before the first section');
  const firstScreen = README.slice(0, README.indexOf(shown[0]!)).split('\n').length;
  assert.ok(firstScreen < FIRST_SCREEN_LINES, `line ${firstScreen}`);
  const { stdout } = await paste(t, `${reallocate}\n${token}`);
  const printed = stdout.replaceAll(REALLOCATION, ID).replaceAll(url, 'http://localhost:8080');
  const lines = shown[0]!.replace(REALLOCATION, ID).trim().split('\n').filter(Boolean);
  assert.equal(lines.length, 4);
  assert.match(lines.join('\n'), /201 Created\nlocation: .*\n.*"-25\.00".*\n.*"25\.00"/);
  for (const line of lines) assert.ok(printed.includes(line), `${line}\n\n${printed}`);
  assert.match(stdout, /"access_token":"/);
});

test('every command line is short', () => {
  const pasted = shell.filter((block) => /curl|eval/.test(block)).flatMap((block) => block.split('\n'));
  assert.deepEqual(
    pasted.filter((line) => line.length > 130),
    [],
  );
});

test('the programs run as printed', async (t) => {
  const [client, testing] = programs;
  assert.equal(programs.length, 2);
  const variables = await paste(t, `${EVAL}\nenv`);
  const env = Object.fromEntries(
    [...variables.stdout.matchAll(/^(BASE_URL|CLIENT_ID|CLIENT_SECRET|CUSTOMER)=(.*)$/gm)].map(([, name, value]) => [
      name!,
      value!,
    ]),
  );
  const folder = scratch(t);
  writeFileSync(join(folder, 'package.json'), '{ "name": "project", "type": "commonjs" }');
  installLinks(folder);
  const [, file] = /^Save this as `([^`]+)` .* `node \1`/m.exec(README) ?? [];
  assert.ok(file, 'README.md names the file');
  writeFileSync(join(folder, file), client!);
  const run = await start(t, [process.execPath, '--conditions=earmark-source', file], env, { cwd: folder }).ended;
  assert.deepEqual([run.code, run.stderr], [0, '']);
  assert.match(run.stdout, new RegExp(`^${url}/label-reallocations/\\S+ 25\\.00\n.*available`));
  const suite = `${testing}\n(await import('node:test')).test('one', async () => { for await (const { id } of client.events.list()) return id; });`;
  const tested = await start(t, [...TYPESCRIPT, suite], {}).ended;
  assert.deepEqual([tested.code, tested.stderr], [0, ''], tested.stdout);
});

test('links of every document in the package lead to files of the package, and pictures are in the repository', async (t) => {
  const pack = ['npm', 'pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await start(t, pack, {}).ended;
  // npm 11 gives a list, npm 12 an object by name.
  const [packed] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[];
  const files = packed!.files.map(({ path }) => path);
  const documents = files.filter((path) => path.endsWith('.md'));
  assert.ok(documents.includes('README.md') && documents.length > 5);
  const broken = documents.flatMap((document) =>
    [...readFileSync(join(ROOT, document), 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, target]) => target!)
      // Guides link to pages of the site, which test/docs-guides.test.ts checks.
      .filter((target) => !/^(https?:|\/docs\/)/.test(target))
      .filter((target) => {
        const path = normalize(join(document, '..', target));
        if (path.startsWith(PICTURES)) return !existsSync(join(ROOT, path));
        return !files.some((file) => file === path || file.startsWith(`${path}/`));
      })
      .map((target) => `${document}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

// The last test, because it moves the clock.
test('accepts the commands for planned faults and time', async (t) => {
  const [rehearse] = shell.filter((block) => block.includes('/sandbox/faults'));
  const { stdout } = await paste(t, `${EVAL}\n${rehearse}`);
  assert.doesNotMatch(stdout, /"code":/);
});
