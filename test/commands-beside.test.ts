// The `earmark` command beside a running service.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rules } from '../src/ledger/verification/rules.ts';
import { findEmbedded } from '../src/platform/db/embedded.ts';
import { query } from './support/database.ts';
import { type Client, call, tokenOf } from './support/http.ts';
import { assertOneLine, runCli, runCliJson, sandboxOf, scratch, serve, serverPid, start } from './support/process.ts';
import { waitUntil } from './support/wait.ts';

type Application = Client & { account_id: string };

const NOBODY = '01890000-0000-7000-8000-000000000000';
type Verified = { time: string; duration_ms: number; rules: string[]; violations: { rule: string; detail: string }[] };

/** The tests share a service, and later ones use what earlier ones created. */
const file = { after };
const dataDir = join(scratch(file), 'data');
const env = { DATA_DIR: dataDir };
const service = await serve(file, env);
const { url } = service;
const pid = serverPid(dataDir);
const isLive = async (token: string | undefined) => (await call(`${url}/`, token!)).status === 200;
let account = { account_id: '', name: '', created: '' };

test('account create', async (t) => {
  const { stdout } = await runCli(t, ['account', 'create', 'My platform'], env);
  assert.match(stdout, /^account_id +[0-9a-f-]{36}\nname +My platform\ncreated +\d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
  account = await runCliJson(t, ['account', 'create', ' Another '], env);
  assert.deepEqual(Object.keys(account), ['account_id', 'name', 'created']);
  assert.equal(account.name, 'Another');
});

test('application create, rotate, disable and enable', async (t) => {
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

  const third = await runCliJson<Client>(t, [...rotate, '--overlap-hours', '0', '--yes'], env);
  assert.ok(await tokenOf(url, third));
  for (const older of [second, made])
    await waitUntil('an older secret expires', async () => (await tokenOf(url, older)) === undefined);

  assert.ok(await isLive(token));
  const disabled = await runCliJson(t, ['application', 'disable', made.client_id, '--yes'], env);
  assert.deepEqual(disabled, { client_id: made.client_id, disabled: true });
  await waitUntil('its tokens are rejected', async () => !(await isLive(token)));
  await waitUntil('its secret is rejected', async () => (await tokenOf(url, third)) === undefined);
  const enabled = await runCliJson(t, ['application', 'enable', made.client_id], env);
  assert.deepEqual(enabled, { client_id: made.client_id, disabled: false });
  await waitUntil('its tokens are valid again', () => isLive(token));
  assert.ok(await tokenOf(url, third));
});

test('account list, application list and show: list accounts and applications with their last use', async (t) => {
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

test('sandbox env prints quoted variables that a shell can read', async (t) => {
  const { customer, labels, ...sandbox } = sandboxOf(dataDir);
  const { stdout, stderr } = await runCli(t, ['sandbox', 'env'], env);
  assert.equal(stderr, '');
  const names = ['BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'TOKEN', 'ACCOUNT', 'CUSTOMER', 'FROM', 'TO'];
  assert.deepEqual(stdout.match(/(?<=^export )\w+(?==)/gm), names);
  const print = names.map((name) => `echo "$${name}"`).join('; ');
  const used = await start(t, ['sh', '-c', `${stdout}\n${print}`], {}).ended;
  const [base, id, secret, token, ...hrefs] = used.stdout.trimEnd().split('\n');
  const account = `${url}/accounts/${sandbox.account_id}`;
  assert.deepEqual([base, id, secret, ...hrefs], [url, sandbox.client_id, sandbox.client_secret, account, customer, ...labels]);
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
  // As after a reset.
  assert.match(hostile.stderr, /^A reset deleted the customer and the labels of CUSTOMER, FROM and TO\./);
});

test('refuses names with control characters or more than 255 characters', async (t) => {
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

test('reports sealed data that was changed in one line', async (t) => {
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
    assertOneLine(await runCli(t, ['keys', 'rotate', '--signing', '--yes'], env), pattern);
  }
  await change(key!.private_jwk);
});

test('migrate', async (t) => {
  assert.deepEqual(await runCliJson(t, ['migrate'], env), { applied: [] });
  assert.match((await runCli(t, ['migrate'], env)).stdout, /^applied +nothing; the schema is up to date\n$/);
});

test('demo runs against the service', async (t) => {
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

test('verify checks the ledger and finds a row edited by hand', async (t) => {
  const good = await runCli(t, ['verify', '--full'], env);
  assert.equal(good.code, 0);
  for (const { name } of rules) assert.match(good.stdout, new RegExp(`^holds +${name}: `, 'm'));
  const report = await runCliJson<Verified>(t, ['verify', '--full'], env);
  assert.deepEqual([report.rules, report.violations], [rules.map(({ name }) => name), []]);
  assert.ok(Math.abs(Date.parse(report.time) - Date.now()) < 60_000 && report.duration_ms > 0);

  const database = (await findEmbedded(dataDir))!;
  const [label] = await query<{ id: string }>(
    database,
    `update ledger_account set balance = balance + 1
     where id = (select min(id::text)::uuid from ledger_account where kind = 'label') returning id`,
  );
  const bad = await runCli(t, ['verify', '--full'], env);
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^BROKEN +conservation: .*\n +bucket \d+, \S+: USD adds up to 1\n/m);
  assert.match(bad.stdout, new RegExp(`^BROKEN +entries explain balances: .*\n +bucket \\d+, ${label!.id}: `, 'm'));
  assert.match(bad.stdout, /^holds +one customer: /m);
  const json = await runCli(t, ['verify', '--full', '--json'], env);
  assert.equal(json.code, 1);
  const { violations } = JSON.parse(json.stdout) as Verified;
  assert.ok(violations.some(({ rule, detail }) => rule === 'conservation' && detail === 'USD adds up to 1'));
});

test('no command stopped the database of the service', async () => {
  assert.equal(serverPid(dataDir), pid);
  assert.ok(await tokenOf(url, sandboxOf(dataDir)));
  service.child.kill('SIGTERM');
  assert.equal((await service.ended).code, 0);
  assert.equal(serverPid(dataDir), undefined);
});
