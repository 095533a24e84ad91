// The `earmark` command beside a running service, without one, and on an external database.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { sections } from '../src/commands/all.ts';
import { settings } from '../src/config.ts';
import { sizeSettings, thisMachine } from '../src/db/embedded/settings.ts';
import { findEmbedded, startEmbedded } from '../src/db/embedded.ts';
import { rules } from '../src/ledger/rules.ts';
import { customerForm } from './support/data.ts';
import { createDatabase, dropDatabase, query } from './support/database.ts';
import { type Client, call, tokenOf } from './support/http.ts';
import { ROOT } from './support/paths.ts';
import { assertOneLine, runCli, runCliJson, sandboxOf, scratch, serve, serverPid, start, startCli } from './support/process.ts';
import { waitUntil } from './support/wait.ts';

type Application = Client & { account_id: string };
type Declared = { name: string; about: string; examples: string[] };
type Verified = { time: string; duration_ms: number; rules: string[]; violations: { rule: string; detail: string }[] };

const COMMANDS = ['serve', 'migrate', 'account', 'application', 'verify', 'demo'];
const AT_ONCE = 3;
const NOBODY = '01890000-0000-7000-8000-000000000000';

test('beside a running service', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const env = { DATA_DIR: dataDir };
  const service = await serve(t, env);
  const { url } = service;
  const pid = serverPid(dataDir);
  const isLive = async (token: string | undefined) => (await call(`${url}/`, token!)).status === 200;
  let account = { account_id: '', name: '', created: '' };

  await t.test('account create', async (t) => {
    const { stdout } = await runCli(t, ['account', 'create', 'My platform'], env);
    assert.match(stdout, /^account_id +[0-9a-f-]{36}\nname +My platform\ncreated +\d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
    account = await runCliJson(t, ['account', 'create', ' Another '], env);
    assert.deepEqual(Object.keys(account), ['account_id', 'name', 'created']);
    assert.equal(account.name, 'Another');
  });

  await t.test('application create, rotate, disable and enable', async (t) => {
    const create = ['application', 'create', '--account', account.account_id, '--name', 'backend', '--scope', 'read write read'];
    const { stdout } = await runCli(t, create, env);
    assert.match(stdout, /^account_id +\S{36}\nclient_id +\S{36}\nclient_secret +\S{43}\n$/);
    const made = await runCliJson<Application>(t, create, env);
    assert.deepEqual(Object.keys(made), ['account_id', 'client_id', 'client_secret']);
    assert.equal(made.account_id, account.account_id);
    // Immediately, without a restart.
    const token = await tokenOf(url, made);
    const { body } = await call<{ name: string }>(`${url}/accounts/${account.account_id}`, token!);
    assert.equal(body.name, 'Another');

    const rotate = ['application', 'rotate', made.client_id];
    const second = await runCliJson<Client & { older_secret_ends: string }>(t, rotate, env);
    const overlapMs = Date.parse(second.older_secret_ends) - Date.now();
    assert.ok(overlapMs > 23.9 * 3_600_000 && overlapMs <= 24 * 3_600_000, second.older_secret_ends);
    assert.notEqual(second.client_secret, made.client_secret);
    assert.ok(await tokenOf(url, second));
    assert.ok(await tokenOf(url, made));

    const third = await runCliJson<Client>(t, [...rotate, '--overlap-hours', '0'], env);
    assert.ok(await tokenOf(url, third));
    await waitUntil('the second secret expires', async () => (await tokenOf(url, second)) === undefined);
    assert.equal(await tokenOf(url, made), undefined);

    assert.ok(await isLive(token));
    const disabled = await runCliJson(t, ['application', 'disable', made.client_id], env);
    assert.deepEqual(disabled, { client_id: made.client_id, disabled: true });
    await waitUntil('its tokens are rejected', async () => !(await isLive(token)));
    assert.equal(await tokenOf(url, third), undefined);
    const enabled = await runCliJson(t, ['application', 'enable', made.client_id], env);
    assert.deepEqual(enabled, { client_id: made.client_id, disabled: false });
    await waitUntil('its tokens are valid again', () => isLive(token));
    assert.ok(await tokenOf(url, third));
  });

  await t.test('account list, application list and show: list accounts and applications with their last use', async (t) => {
    const { accounts } = await runCliJson<{ accounts: Record<string, unknown>[] }>(t, ['account', 'list'], env);
    assert.deepEqual(accounts[0], { ...account, applications: 2 });
    assert.deepEqual(
      accounts.map(({ name }) => name),
      ['Another', 'My platform', 'Sandbox'],
    );
    const text = await runCli(t, ['account', 'list'], env);
    assert.match(text.stdout, /^account_id +created +applications +name\n\S{36} {2}\S+Z {13}2 {2}Another\n/);

    const create = ['application', 'create', '--account', account.account_id, '--name', 'unused', '--scope', 'read'];
    const unused = await runCliJson<Application>(t, create, env);
    const list = ['application', 'list', '--account', account.account_id];
    type Listed = {
      client_id: string;
      name: string;
      scope: string;
      last_used?: string;
      secrets: { created: string; expires?: string }[];
    };
    const { applications } = await runCliJson<{ applications: Listed[] }>(t, list, env);
    assert.deepEqual(
      applications.map(({ name, scope }) => [name, scope]),
      [
        ['unused', 'read'],
        ['backend', 'read write'],
        ['backend', 'read write'],
      ],
    );
    assert.deepEqual([applications[0]!.client_id, applications[0]!.last_used], [unused.client_id, undefined]);
    const { client_id } = applications.find(({ last_used }) => last_used !== undefined)!;

    await runCliJson(t, ['application', 'rotate', client_id], env);
    const shown = await runCliJson<Listed>(t, ['application', 'show', client_id], env);
    assert.ok(Math.abs(Date.parse(shown.last_used!) - Date.now()) < 120_000, shown.last_used);
    assert.equal(shown.secrets.length, 2);
    assert.ok(shown.secrets[0]!.created > shown.secrets[1]!.created, 'newest first');
    assert.deepEqual(
      shown.secrets.map(({ expires }) => expires !== undefined),
      [false, true],
    );
    const { stdout } = await runCli(t, ['application', 'show', unused.client_id], env);
    assert.match(stdout, /^last_used +never$/m);
    assert.match(stdout, /^secret_created +expires +last_used\n\S+Z {2}when it is replaced {2}never\n$/m);
    assert.ok(!stdout.includes(unused.client_secret));
    assertOneLine(await runCli(t, ['application', 'show', NOBODY], env), new RegExp(`^There is no application ${NOBODY}\\.`));
    assertOneLine(
      await runCli(t, ['application', 'list', '--account', NOBODY], env),
      new RegExp(`^There is no account ${NOBODY}\\.`),
    );
  });

  await t.test('sandbox env prints quoted variables that a shell can read', async (t) => {
    const { customer, labels, ...sandbox } = sandboxOf(dataDir);
    const { stdout } = await runCli(t, ['sandbox', 'env'], env);
    const names = ['BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'TOKEN', 'CUSTOMER', 'FROM', 'TO'];
    assert.deepEqual(stdout.match(/(?<=^export )\w+(?==)/gm), names);
    const print = names.map((name) => `echo "$${name}"`).join('; ');
    const used = await start(t, ['sh', '-c', `${stdout}\n${print}`], {}).ended;
    const [base, id, secret, token, ...hrefs] = used.stdout.trimEnd().split('\n');
    assert.deepEqual([base, id, secret, ...hrefs], [url, sandbox.client_id, sandbox.client_secret, customer, ...labels]);
    assert.ok(await isLive(token));

    // A file that was tampered with runs no command.
    const elsewhere = join(scratch(t), 'data');
    mkdirSync(elsewhere);
    const touched = join(elsewhere, 'touched');
    const evil = `${url}/customers/'; touch ${touched}; $(touch ${touched})`;
    writeFileSync(join(elsewhere, 'sandbox.json'), JSON.stringify({ ...sandbox, labels, customer: evil }));
    const hostile = await runCli(t, ['sandbox', 'env'], { DATA_DIR: elsewhere });
    const kept = await start(t, ['sh', '-c', `${hostile.stdout}\necho "$CUSTOMER"`], {}).ended;
    assert.deepEqual([kept.stdout, existsSync(touched)], [`${evil}\n`, false]);
  });

  await t.test('refuses names with control characters or more than 255 characters', async (t) => {
    const before = await runCli(t, ['account', 'list'], env);
    const wrong: [string, RegExp][] = [
      ['a\u001b[2Jb', /^NAME must not contain control characters/],
      ['a\nb', /^NAME must not contain control characters/],
      ['a'.repeat(256), /^NAME must have at most 255 characters\./],
    ];
    for (const [name, pattern] of wrong) assertOneLine(await runCli(t, ['account', 'create', name], env), pattern, 2);
    const create = ['application', 'create', '--account', account.account_id, '--scope', 'read', '--name'];
    assertOneLine(await runCli(t, [...create, 'a\tb'], env), /^--name must not contain control characters/, 2);
    assert.deepEqual(await runCli(t, ['account', 'list'], env), before);
  });

  await t.test('reports sealed data that was changed in one line', async (t) => {
    const database = (await findEmbedded(dataDir))!;
    const [key] = await query<{ kid: string; private_jwk: Buffer }>(database, 'select kid, private_jwk from signing_key');
    const change = (sealed: Buffer) =>
      query(database, 'update signing_key set private_jwk = $2 where kid = $1', [key!.kid, sealed]);
    const changed = Buffer.from(key!.private_jwk);
    changed[changed.length - 1]! ^= 1;
    for (const [sealed, pattern] of [
      [changed, /^The sealed data was changed, or belongs to another record\.$/m],
      [key!.private_jwk.subarray(0, 90), /^The sealed data is truncated\.$/m],
      [Buffer.from('plain'), /^The sealed data was not written by Earmark/],
    ] as const) {
      await change(sealed);
      assertOneLine(await runCli(t, ['keys', 'rotate', '--signing'], env), pattern);
    }
    await change(key!.private_jwk);
  });

  await t.test('migrate', async (t) => {
    assert.deepEqual(await runCliJson(t, ['migrate'], env), { applied: [] });
    assert.match((await runCli(t, ['migrate'], env)).stdout, /^applied +nothing; the schema is up to date\n$/);
  });

  await t.test('demo runs against the service', async (t) => {
    const { code, stdout, stderr } = await start(t, ['npm', 'run', '--silent', 'demo'], env).ended;
    assert.equal(code, 0, stderr);
    assert.ok(stdout.startsWith(`1. Get an access token\nPOST ${url}/token\n`), stdout);
    assert.equal([...stdout.matchAll(/^\d+\. [A-Z]/gm)].length, 12, 'each request has a heading');
    const statuses = [...stdout.matchAll(/^ {2}→ (\d+)/gm)].map(([, status]) => Number(status));
    assert.deepEqual(statuses, [200, 200, 201, 201, 200, 201, 201, 200, 200, 200, 200, 400]);
    assert.match(stdout, /InsufficientFunds/);
    const { client_secret } = sandboxOf(dataDir);
    assert.ok(!stdout.includes(client_secret));
    assert.doesNotMatch(stdout, /"access_token": "[^"]{40}/);

    const json = await runCli(t, ['demo', '--json'], env);
    const steps = json.stdout.trimEnd().split('\n');
    assert.deepEqual(
      steps.map((step) => (JSON.parse(step) as { status: number }).status),
      statuses,
    );
  });

  await t.test('verify checks the ledger and finds a row edited by hand', async (t) => {
    const good = await runCli(t, ['verify'], env);
    assert.equal(good.code, 0);
    for (const { name } of rules) assert.match(good.stdout, new RegExp(`^holds +${name}: `, 'm'));
    const report = await runCliJson<Verified>(t, ['verify'], env);
    assert.deepEqual([report.rules, report.violations], [rules.map(({ name }) => name), []]);
    assert.ok(Math.abs(Date.parse(report.time) - Date.now()) < 60_000 && report.duration_ms > 0);

    const database = (await findEmbedded(dataDir))!;
    const [label] = await query<{ id: string }>(
      database,
      `update ledger_account set balance = balance + 1
       where id = (select min(id::text)::uuid from ledger_account where kind = 'label') returning id`,
    );
    const bad = await runCli(t, ['verify'], env);
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /^BROKEN +conservation: .*\n +bucket \d+, \S+: USD adds up to 1\n/m);
    assert.match(bad.stdout, new RegExp(`^BROKEN +entries explain balances: .*\n +bucket \\d+, ${label!.id}: `, 'm'));
    assert.match(bad.stdout, /^holds +two legs: /m);
    const json = await runCli(t, ['verify', '--json'], env);
    assert.equal(json.code, 1);
    const { violations } = JSON.parse(json.stdout) as Verified;
    assert.ok(violations.some(({ rule, detail }) => rule === 'conservation' && detail === 'USD adds up to 1'));
  });

  await t.test('no command stopped the database of the service', async () => {
    assert.equal(serverPid(dataDir), pid);
    assert.ok(await tokenOf(url, sandboxOf(dataDir)));
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, 0);
    assert.equal(serverPid(dataDir), undefined);
  });
});

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
    const command = startCli(t, ['application', 'disable', client_id], env);
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update application%'";
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
  const databaseUrl = await createDatabase();
  t.after(() => dropDatabase(databaseUrl));
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
    for (const verb of ['disable', 'enable'])
      assertOneLine(await runCli(t, ['application', verb, NOBODY], env), new RegExp(`^There is no application ${NOBODY}\\.`));
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
    assert.equal((await runCli(t, ['verify'], env)).code, 0);
  });
});

test('commands in a mistyped DATA_DIR say what is missing and create nothing', { concurrency: AT_ONCE }, async (t) => {
  const folder = scratch(t);
  const env = { DATA_DIR: join(folder, 'mistyped'), PUBLIC_URL: 'https://pay.example.com' };
  const MAKERS = ['serve', 'restore', 'migrate', 'demo', 'help', 'completion'];
  const SAMPLES: Record<string, string> = { URL: 'http://127.0.0.1:9', TIME: '2026-05-01', DIR: join(folder, 'backup') };
  const sample = (name: string, values?: readonly string[]) => values?.[0] ?? SAMPLES[name] ?? NOBODY;
  const calls = sections
    .flatMap(({ commands }) => commands)
    .filter(({ name }) => !MAKERS.includes(name))
    .map(({ name, words, options }) => [
      ...name.split(' '),
      ...words.map(({ name, values }) => sample(name, values)),
      ...Object.entries(options).flatMap(([option, { required, value, values }]) =>
        required ? [`--${option}`, sample(value!, values)] : [],
      ),
    ]);
  assert.ok(calls.length > 15);
  const refusals = [...calls, ['migrate', '--plan']].map((args) =>
    t.test(args.slice(0, 2).join(' '), async (t) => {
      const missing = /^DATA_DIR \S+\/mistyped contains no database\. Set DATA_DIR|^There is no \S+\/mistyped\/sandbox\.json\. /;
      assertOneLine(await runCli(t, args, env), missing);
    }),
  );
  await Promise.all(refusals);
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
    const heavy = loaded.filter((url) => /node_modules|\/src\/(server|db|http)\b/.test(url));
    assert.deepEqual([heavy, loaded.length < 30], [[], true], loaded.join('\n'));
  }
});

test('help', { concurrency: AT_ONCE }, async (t) => {
  const env = { DATA_DIR: join(scratch(t), 'data') };
  const wrong: Record<string, RegExp> = {
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
    'completion fish': /^SHELL must be one of bash, zsh, not fish\./,
  };
  const refused = Object.entries(wrong).map(([words, pattern]) =>
    t.test(`refuses: ${words}`, async (t) => assertOneLine(await runCli(t, words.split(' '), env), pattern, 2)),
  );

  const overview = t.test('lists every command', async (t) => {
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
  });

  const one = t.test('prints help on one command', async (t) => {
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
      /^earmark application rotate CLIENT_ID \[--overlap-hours HOURS\]\n\n[A-Z][^\n]+\.\n\n/,
      /^ {2}--overlap-hours HOURS +hours until the old secret expires, 0 to 2160 \(default: 24\)$/m,
      /^Examples\n {2}\$ earmark application rotate /m,
      /^Exit codes\n {2}0 +success\n {2}1 +failure; .*\n {2}2 +usage error: .*\n {2}130 +interrupted/m,
    ];
    for (const part of parts) assert.match(asked!.stdout, part);
  });

  const noun = t.test('prints help on every verb of a noun', async (t) => {
    const texts = await Promise.all(
      [
        ['help', 'application'],
        ['application', '--help'],
      ].map((args) => runCli(t, args, env)),
    );
    assert.equal(texts[0]!.stdout, texts[1]!.stdout);
    assert.deepEqual(
      [...texts[0]!.stdout.matchAll(/^earmark (\w+ \w+)/gm)].map(([, name]) => name),
      ['create', 'list', 'show', 'rotate', 'disable', 'enable'].map((verb) => `application ${verb}`),
    );
  });

  const config = t.test('prints help on every setting', async (t) => {
    const { stdout } = await runCli(t, ['help', 'config'], env);
    for (const { name, fallback } of settings) {
      assert.ok(new RegExp(`^ {2}${name} `, 'm').test(stdout), name);
      assert.ok(stdout.includes(`default: ${fallback}\n`), fallback);
    }
    const embeddedServer = sizeSettings(thisMachine());
    for (const [name, value] of Object.entries(embeddedServer)) assert.match(stdout, new RegExp(`^ {2}${name} +${value}$`, 'm'));
    assert.deepEqual(await runCliJson(t, ['help', 'config'], env), { settings, embeddedServer });
  });

  const version = t.test('prints the version', async (t) => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    assert.equal((await runCli(t, ['--version'], env)).stdout, `earmark  ${version}\n`);
    const npx = await start(t, ['npx', '--no-install', 'earmark', '--version', '--json'], env).ended;
    assert.deepEqual([npx.code, npx.stdout], [0, `{"earmark":"${version}"}\n`], npx.stderr);
  });

  await Promise.all([...refused, overview, one, noun, config, version]);
  assert.ok(!existsSync(env.DATA_DIR), 'no command made a data directory');
});
