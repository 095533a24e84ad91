// The `earmark` command without a running service, on an external database, and its help.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { sections } from '../src/apps/cli/all.ts';
import { settings } from '../src/platform/config/config.ts';
import { sizeSettings, thisMachine } from '../src/platform/db/embedded/settings.ts';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { customerForm } from './support/data.ts';
import { makeDatabase, query } from './support/database.ts';
import { type Client, call, tokenOf } from './support/http.ts';
import { ROOT } from './support/paths.ts';
import { assertOneLine, type Env, runCli, runCliJson, scratch, serve, serverPid, start, startCli } from './support/process.ts';
import { waitUntil } from './support/wait.ts';

type Application = Client & { account_id: string };

const NOBODY = '01890000-0000-7000-8000-000000000000';
type Declared = { name: string; about: string; examples: string[] };

const COMMANDS = ['serve', 'migrate', 'account', 'application', 'verify', 'demo'];
const AT_ONCE = 3;

test('without a running service', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const env = { DATA_DIR: dataDir };

  await t.test('creates the database on first use; each command stops the server that it started', async (t) => {
    const { applied } = await runCliJson<{ applied: string[] }>(t, ['migrate'], env);
    assert.deepEqual(
      applied,
      readdirSync(join(ROOT, 'migrations'))
        .filter((name) => name.endsWith('.sql'))
        .sort(),
    );
    assert.equal(serverPid(dataDir), undefined);
    assert.deepEqual(await runCliJson(t, ['migrate'], env), { applied: [] });
    assert.equal(serverPid(dataDir), undefined);
  });

  await t.test('concurrent commands share a server, and the last one stops it', async (t) => {
    const names = ['one', 'two', 'three', 'four'];
    const made = await Promise.all(names.map((name) => runCliJson<{ name: string }>(t, ['account', 'create', name], env)));
    assert.deepEqual(
      made.map(({ name }) => name),
      names,
    );
    assert.equal(serverPid(dataDir), undefined);
  });

  await t.test('Ctrl-C ends a hanging command and its server', async (t) => {
    const { account_id } = await runCliJson<Application>(t, ['account', 'create', 'Five'], env);
    const create = ['application', 'create', '--account', account_id, '--name', 'n', '--scope', 'read'];
    const { client_id } = await runCliJson<Application>(t, create, env);
    const server = await startEmbedded({ dataDir });
    const blocker = new pg.Client({ connectionString: server.url }).on('error', () => {});
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('lock table application');
    const command = startCli(t, ['application', 'disable', client_id, '--yes'], env);
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%from application%'";
    await waitUntil('the command waits', async () => (await query(server.url, waiting)).length);
    command.child.kill('SIGINT');
    const { code, stderr } = await command.ended;
    assert.deepEqual([code, stderr], [130, '']);
    assert.equal(serverPid(dataDir), undefined);
    await blocker.end().catch(() => {});
  });

  await t.test('demo starts its own service and leaves nothing behind', async (t) => {
    const tmp = join(scratch(t), 'tmp');
    mkdirSync(tmp);
    const { code, stdout, stderr } = await runCli(t, ['demo'], { ...env, TMPDIR: tmp, HOST: '192.0.2.1', PORT: '1' });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^1\. Get an access token\nPOST http:\/\/localhost:\d+\/token\n/);
    assert.deepEqual(readdirSync(tmp), []);
    assert.equal(serverPid(dataDir), undefined);
  });
});

test('on an external database in production', async (t) => {
  const databaseUrl = await makeDatabase(t);
  const folder = scratch(t);
  const dataDir = join(folder, 'data');
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
  const service = await serve(t, { ...env, PUBLIC_URL: 'HTTPS://Pay.example.com:443/' });
  const local = `http://127.0.0.1:${service.port}`;
  let made: Application;

  await t.test('makes no sandbox, and customers need a document', async (t) => {
    assert.equal(service.url, 'https://pay.example.com');
    assert.match(service.stdout(), /"mode":"production","msg":"started"/);
    assert.doesNotMatch(service.stdout(), /[Ss]andbox|secret/);
    assert.deepEqual(readdirSync(dataDir), ['encryption-key']);

    const { account_id } = await runCliJson<Application>(t, ['account', 'create', 'Platform'], env);
    const create = ['application', 'create', '--account', account_id, '--name', 'n', '--scope', 'read,write'];
    made = await runCliJson<Application>(t, create, env);
    const token = (await tokenOf(local, made))!;
    const created = await call(`${local}/customers`, token, customerForm());
    assert.equal(created.status, 201);
    assert.match(created.location, /^https:\/\/pay\.example\.com\/customers\//);
    const { body } = await call<Record<string, unknown>>(created.location.replace(service.url, local), token);
    assert.equal(body.status, 'document');
    const hrefs = [...JSON.stringify(body._links).matchAll(/"href":"([^"]+)"/g)].map(([, href]) => href!);
    assert.ok(hrefs.length > 1 && hrefs.every((href) => href.startsWith('https://pay.example.com/customers/')), `${hrefs}`);
  });

  await t.test("refuses unknown accounts and applications, and encryption keys other than the service's", async (t) => {
    const create = ['application', 'create', '--account', NOBODY, '--name', 'n', '--scope', 'read'];
    assertOneLine(await runCli(t, create, env), new RegExp(`^There is no account ${NOBODY}\\.`));
    assertOneLine(await runCli(t, ['application', 'rotate', NOBODY], env), new RegExp(`^There is no application ${NOBODY}\\.`));
    assertOneLine(await runCli(t, ['application', 'rotate', 'nobody'], env), /^There is no application nobody\./);
    for (const verb of [['disable', '--yes'], ['enable']])
      assertOneLine(await runCli(t, ['application', ...verb, NOBODY], env), new RegExp(`^There is no application ${NOBODY}\\.`));
    const other = { ...env, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    assertOneLine(await runCli(t, ['application', 'rotate', made.client_id], other), /sealed under encryption key/);
    assert.ok(await tokenOf(local, made), 'nothing was changed');

    const elsewhere = join(folder, 'elsewhere');
    await runCliJson(t, ['account', 'create', 'Another'], { ...env, DATA_DIR: elsewhere });
    const rotate = ['application', 'rotate', made.client_id];
    assertOneLine(
      await runCli(t, rotate, { ...env, DATA_DIR: elsewhere }),
      /^There is no encryption key \S+\/elsewhere\/encryption-key\./,
    );
    assert.ok(!existsSync(elsewhere), 'no command makes a key for a database that has one');
    assert.equal((await runCli(t, ['verify', '--full'], env)).code, 0);
  });
});

test('commands in a mistyped DATA_DIR say what is missing and create nothing', { concurrency: AT_ONCE }, async (t) => {
  const folder = scratch(t);
  const env = { DATA_DIR: join(folder, 'mistyped'), PUBLIC_URL: 'https://pay.example.com' };
  const MAKERS = ['serve', 'restore', 'migrate', 'demo', 'help', 'completion'];
  /** They read no database, or something else before it. */
  const OTHERS = [
    'config check',
    'health',
    'audit',
    'witness',
    'documents read',
    'documents evaluate',
    'cluster move-in',
    'reconcile',
    'master-list import',
  ];
  const MORE: Record<string, string[]> = { 'log continue': ['--fork-log'], 'application secure': ['--require', 'dpop'] };
  const SAMPLES: Record<string, string> = {
    ...{ URL: 'http://127.0.0.1:9', TIME: '2026-05-01', 'YYYY-MM': '2026-05', DIR: join(folder, 'backup') },
  };
  const sample = (name: string, values?: readonly string[]) => values?.[0] ?? SAMPLES[name] ?? NOBODY;
  const calls = sections
    .flatMap(({ commands }) => commands)
    .filter(({ name }) => !MAKERS.includes(name) && !OTHERS.includes(name))
    .map(({ name, words, options }) => [
      ...name.split(' '),
      ...words.map(({ name, values }) => sample(name, values)),
      ...Object.entries(options).flatMap(([option, { required, value, values }]) =>
        option === 'yes' ? ['--yes'] : required ? [`--${option}`, sample(value!, values)] : [],
      ),
      ...(MORE[name] ?? []),
    ]);
  assert.ok(calls.length > 15);
  const refusals = [...calls, ['migrate', '--plan']].map((args) =>
    t.test(args.slice(0, 2).join(' '), async (t) => {
      const missing = /^DATA_DIR \S+\/mistyped contains no (database\. Set DATA_DIR|sandbox\.json\. )/;
      assertOneLine(await runCli(t, args, env), missing);
    }),
  );
  await Promise.all(refusals);
  assert.deepEqual(readdirSync(folder), []);
});

test('sandbox env in another folder names the DATA_DIR in which it looked', async (t) => {
  const folder = realpathSync(scratch(t));
  const pattern = new RegExp(`^DATA_DIR ${folder}/data contains no sandbox\\.json\\. Set DATA_DIR to that of the service, or `);
  assertOneLine(await runCli(t, ['sandbox', 'env'], {}, { cwd: folder }), pattern);
  assert.deepEqual(readdirSync(folder), []);
});

test('help loads the declarations of commands and nothing of the service', async (t) => {
  // Prints each loaded module to standard error.
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => { process.stderr.write(url + '\\n'); return next(url, context); } });`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
  for (const args of [['help'], ['verify', '--help'], ['completion', 'bash']]) {
    const { code, stderr } = await runCli(t, args, env);
    const loaded = stderr.split('\n').filter((url) => url.startsWith('file:'));
    assert.ok(code === 0 && loaded.length > 5, stderr);
    const heavy = loaded.filter((url) => /node_modules|\/src\/(ledger|apps\/api|platform\/(db|http))\b/.test(url));
    assert.deepEqual([heavy, loaded.length < 40], [[], true], loaded.join('\n'));
  }
});

const WRONG: Record<string, RegExp> = {
  frobnicate: /^There is no command frobnicate\. `earmark help` lists them\./,
  verfiy: /^There is no command verfiy\. Did you mean verify\?/,
  acount: /^There is no command acount\. Did you mean account\?/,
  'help frobnicate': /^There is no command frobnicate\./,
  'help application create now': /^Unexpected argument: now\./,
  'serve now': /^Unexpected argument: now\./,
  'migrate --fast': /^There is no option --fast\. See `earmark help migrate`\./,
  'verify --jsno': /^There is no option --jsno\. Did you mean --json\?/,
  'verify --json=yes': /^Option '--json' does not take an argument\./,
  account: /^account needs a verb\. Use one of: earmark account create, earmark account list\./,
  'account create': /^NAME is missing\. Usage: earmark account create NAME$/m,
  'account creat x': /^There is no command account creat\. Did you mean create\?/,
  'account remove x': /^There is no command account remove\. Use one of: earmark account create, earmark account list\./,
  'account create two words': /^Unexpected argument: words\./,
  'application create --name n': /^--account is missing\. Usage: earmark application create --account ID --name NAME --scope/,
  'application create --name': /^Option '--name <value>' argument missing\./,
  [`application create --account ${NOBODY} --name n --scope wirte`]:
    /^--scope must be one of read, write, funds, review, not wirte\. Did you mean write\?/,
  [`application rotate ${NOBODY} --overlap-hours soon`]: /^--overlap-hours takes a number from 0 to 2160\./,
  'keys rotate --signing --log --yes': /^--signing and --log are given one at a time\./,
  'completion tcsh': /^SHELL must be one of bash, zsh, fish, not tcsh\./,
};

test('refuses wrong words', { concurrency: AT_ONCE }, async (t) => {
  const env = { DATA_DIR: join(scratch(t), 'data') };
  const refused = Object.entries(WRONG).map(([words, pattern]) =>
    t.test(`refuses: ${words}`, async (t) => assertOneLine(await runCli(t, words.split(' '), env), pattern, 2)),
  );
  await Promise.all(refused);
  assert.ok(!existsSync(env.DATA_DIR), 'no command made a data directory');
});

test('help', { concurrency: AT_ONCE }, async (t) => {
  const env = { DATA_DIR: join(scratch(t), 'data') };
  await Promise.all([
    t.test('lists every command', (t) => assertOverview(t, env)),
    t.test('prints help on one command', (t) => assertHelpOnOne(t, env)),
    t.test('prints help on every verb of a noun', (t) => assertHelpOnNoun(t, env)),
    t.test('prints help on a noun that is a command itself', (t) => assertHelpOnNounAlone(t, env)),
    t.test('prints help on every setting', (t) => assertHelpOnSettings(t, env)),
    t.test('prints the version', (t) => assertVersion(t, env)),
  ]);
  assert.ok(!existsSync(env.DATA_DIR), 'no command made a data directory');
});

async function assertOverview(t: TestContext, env: Env): Promise<void> {
  const texts = await Promise.all([[], ['help'], ['--help'], ['-h']].map((args) => runCli(t, args, env)));
  assert.equal(new Set(texts.map(({ code, stdout, stderr }) => `${code} ${stdout} ${stderr}`)).size, 1);
  assert.equal(texts[0]?.code, 0);
  const { commands } = await runCliJson<{ commands: Declared[] }>(t, ['help'], env);
  for (const name of COMMANDS)
    assert.ok(
      commands.some((command) => command.name.split(' ')[0] === name),
      name,
    );
  for (const { name, about, examples } of commands) {
    assert.match(texts[0]!.stdout, new RegExp(`^  ${name} +${RegExp.escape(about)}$`, 'm'));
    assert.match(about, /^[A-Z].*\.$/);
    for (const line of examples) assert.match(line, new RegExp(`(^| )earmark ${name}\\b`), 'an example calls its command');
  }
}

async function assertHelpOnOne(t: TestContext, env: Env): Promise<void> {
  const [asked, ...same] = await Promise.all(
    [
      ['help', 'application', 'rotate'],
      ['application', 'rotate', '--help'],
      ['application', 'rotate', NOBODY, '-h'],
    ].map((args) => runCli(t, args, env)),
  );
  assert.deepEqual(same, [asked, asked]);
  assert.equal(asked?.code, 0);
  const parts = [
    /^earmark application rotate CLIENT_ID \[--overlap-hours HOURS\] \[--yes\]\n\n[A-Z][^\n]+\.\n\n/,
    /^ {2}--overlap-hours HOURS +hours until the old secret expires, 0 to 2160 \(default: 24\)$/m,
    /^Examples\n {2}\$ earmark application rotate /m,
    /^Exit codes\n {2}0 +success\n {2}1 +failure; .*\n {2}2 +usage error: .*\n {2}130 +interrupted/m,
  ];
  for (const part of parts) assert.match(asked!.stdout, part);
}

async function assertHelpOnNoun(t: TestContext, env: Env): Promise<void> {
  const texts = await Promise.all(
    [
      ['help', 'application'],
      ['application', '--help'],
    ].map((args) => runCli(t, args, env)),
  );
  assert.equal(texts[0]!.stdout, texts[1]!.stdout);
  assert.deepEqual(
    [...texts[0]!.stdout.matchAll(/^earmark (\w+ \w+)/gm)].map(([, name]) => name),
    ['create', 'list', 'show', 'rotate', 'secure', 'disable', 'enable'].map((verb) => `application ${verb}`),
  );
}

async function assertHelpOnNounAlone(t: TestContext, env: Env): Promise<void> {
  const asked = [
    ['help', 'backup'],
    ['backup', '--help'],
    ['backup', 'DIR', '--help'],
  ];
  for (const { stdout } of await Promise.all(asked.map((args) => runCli(t, args, env))))
    assert.deepEqual(stdout.match(/^earmark backup.*/gm), [
      'earmark backup DIR [--without-key] [--encrypt RECIPIENT …]',
      'earmark backup record [--drill]',
    ]);
}

async function assertHelpOnSettings(t: TestContext, env: Env): Promise<void> {
  const { stdout } = await runCli(t, ['help', 'config'], env);
  for (const { name, fallback } of settings) {
    assert.ok(new RegExp(`^ {2}${name} `, 'm').test(stdout), name);
    assert.ok(stdout.includes(`default: ${fallback}\n`), fallback);
  }
  const embeddedServer = sizeSettings(thisMachine());
  for (const [name, value] of Object.entries(embeddedServer)) assert.match(stdout, new RegExp(`^ {2}${name} +${value}$`, 'm'));
  assert.deepEqual(await runCliJson(t, ['help', 'config'], env), { settings, embeddedServer });
}

async function assertVersion(t: TestContext, env: Env): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  assert.equal((await runCli(t, ['--version'], env)).stdout, `earmark  ${version}\n`);
  const npx = await start(t, ['npx', '--no-install', 'earmark', '--version', '--json'], env).ended;
  assert.deepEqual([npx.code, npx.stdout], [0, `{"earmark":"${version}"}\n`], npx.stderr);
}
