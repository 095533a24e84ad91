// The life cycle of a data directory: starts, kills and stops of `earmark serve` with its embedded server.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, globSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findEmbedded } from '../src/platform/db/embedded.ts';
import { query } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { call, tokenOf } from './support/http.ts';
import { ROOT } from './support/paths.ts';
import { assertOneLine, isAlive, runCli, type Serving, sandboxOf, scratch, serve, serverPid } from './support/process.ts';
import { waitUntil } from './support/wait.ts';

const MIGRATIONS = globSync('*.sql', { cwd: join(ROOT, 'migrations') }).sort();
const RECOVERIES_HIT = 2;
/** The first log line of recovery, with the pid. */
const RECOVERS = /\[(\d+)\] LOG: +database system was interrupted/;

type Amount = { amount: { value: string } };

const ready = async ({ url }: Serving) => (await fetch(`${url}/health/ready`)).status;

/** The tests are steps: each continues with the service and the data of the one before. */
const file = { after };
const folder = scratch(file);
const dataDir = join(folder, 'data');
const credentials = join(dataDir, 'sandbox.json');
const env = { DATA_DIR: dataDir };
const stored = async (url: string) => {
  const token = (await tokenOf(url, sandboxOf(dataDir)))!;
  const labels = sandboxOf(dataDir).labels.map((label) => call<Amount>(label, token));
  return (await Promise.all(labels)).map(({ body }) => body.amount.value);
};

let service = await serve(file, env, { cwd: folder });

test('the first start creates the sandbox', async () => {
  const sandbox = sandboxOf(dataDir);
  assert.equal(statSync(credentials).mode & 0o777, 0o600);
  const members = ['base_url', 'account_id', 'client_id', 'client_secret', 'customer', 'labels'];
  assert.deepEqual(Object.keys(sandbox), members);
  assert.equal(sandbox.base_url, service.url);
  const token = (await tokenOf(service.url, sandbox))!;
  const customer = await call<Record<string, string>>(sandbox.customer, token);
  assert.deepEqual([customer.body.type, customer.body.status], ['business', 'verified']);
  const { body } = await call<{ balances: unknown[] }>(`${sandbox.customer}/balance`, token);
  assert.deepEqual(body.balances, [
    {
      currency: 'USD',
      total: { value: '1250.00', currency: 'USD' },
      available: { value: '1000.00', currency: 'USD' },
      labelled: { value: '250.00', currency: 'USD' },
    },
  ]);
  const labels = await call<{ _embedded: { labels: { _links: { self: { href: string } } }[] } }>(
    `${sandbox.customer}/labels`,
    token,
  );
  assert.deepEqual(labels.body._embedded.labels.map((label) => label._links.self.href).sort(), [...sandbox.labels].sort());
  const applied = await query<{ name: string }>((await findEmbedded(dataDir))!, 'select name from schema_migration order by 1');
  assert.deepEqual(
    applied.map((row) => row.name),
    MIGRATIONS,
  );
});

test('standard output has lines of JSON, and names the file of the secret', async () => {
  const { client_secret, labels } = sandboxOf(dataDir);
  const [from, to] = labels.map((href) => ({ href }));
  const token = (await tokenOf(service.url, sandboxOf(dataDir)))!;
  const body = { _links: { from, to }, amount: { value: '50.00', currency: 'USD' } };
  assert.equal((await call(`${service.url}/label-reallocations`, token, body)).status, 201);
  assert.deepEqual(await stored(service.url), ['200.00', '50.00']);

  const lines = service.stdout().trimEnd().split('\n');
  const started = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'started');
  assert.deepEqual([started.credentials, started.port, started.mode], [credentials, service.port, 'sandbox']);
  assert.equal(service.stderr(), '', 'the banner is for terminals');
  assert.ok(!service.stdout().includes(client_secret));
});

test('a second service on the same data directory reports it and stops; the first continues', async (t) => {
  assertOneLine(await runCli(t, ['serve'], { ...env, PORT: '0' }), /^Another Earmark service is using the data directory /);
  assert.deepEqual(await stored(service.url), ['200.00', '50.00']);
});

test('SIGTERM stops the service and its database', async () => {
  service.child.kill('SIGTERM');
  const { code, stderr } = await service.ended;
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(serverPid(dataDir), undefined);
});

test('a second start finds its data, prints no secret, and uses PORT', async () => {
  const before = sandboxOf(dataDir);
  // Permissions as if somebody had opened it to others.
  chmodSync(credentials, 0o644);
  service = await serve(file, { ...env, PORT: String(await freePort()) });
  const now = sandboxOf(dataDir);
  assert.notEqual(now.base_url, before.base_url);
  assert.equal(now.base_url, `http://localhost:${service.port}`);
  assert.deepEqual(JSON.parse(JSON.stringify(now).replaceAll(now.base_url, before.base_url)), before);
  assert.equal(statSync(credentials).mode & 0o777, 0o600);
  assert.deepEqual(await stored(service.url), ['200.00', '50.00']);
  assert.ok(!service.stdout().includes(now.client_secret));
});

test('a start after kill -9 of the service reuses its running server with the connection limit it needs', async () => {
  const orphan = serverPid(dataDir);
  service.child.kill('SIGKILL');
  await service.ended;
  assert.ok(orphan !== undefined && isAlive(orphan));
  service = await serve(file, env);
  assert.equal(serverPid(dataDir), orphan);
  assert.deepEqual(await stored(service.url), ['200.00', '50.00']);

  service.child.kill('SIGKILL');
  await service.ended;
  service = await serve(file, { ...env, LANES: '64', POOL_SIZE: '40' });
  const [row] = await query<{ max: string }>((await findEmbedded(dataDir))!, "select current_setting('max_connections') as max");
  assert.ok(Number(row?.max) >= 64 + 40 + 10, row?.max);
  assert.deepEqual(await stored(service.url), ['200.00', '50.00']);
});

test('recovers at the next start after kill -9 of both', async () => {
  const pid = serverPid(dataDir)!;
  service.child.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  await service.ended;
  service = await serve(file, env);
  assert.deepEqual(await stored(service.url), ['200.00', '50.00']);
});

test('restarts the database server after kill -9, and is not ready until then', async (t) => {
  const password = join(dataDir, 'postgres-password');
  for (const _ of [1, 2]) {
    const pid = serverPid(dataDir)!;
    // Without its password it cannot be started.
    renameSync(password, `${password}.away`);
    process.kill(pid, 'SIGKILL');
    await waitUntil('it is not ready', async () => (await ready(service)) === 503);
    await service.printed(/"msg":"failed to start the embedded database server; retrying"/);
    assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
    renameSync(`${password}.away`, password);
    await waitUntil('it is ready', async () => (await ready(service)) === 200);
    assert.notEqual(serverPid(dataDir), pid);
    assert.deepEqual(await stored(service.url), ['200.00', '50.00']);
  }
  assertOneLine(await runCli(t, ['serve'], { ...env, PORT: '0' }), /^Another Earmark service is using the data directory /);
});

test('restarts the server after kill -9 of one of its processes and of its recovery process', async () => {
  const log = join(dataDir, 'postgres.log');
  for (let hits = 0; hits < RECOVERIES_HIT; ) {
    const url = (await findEmbedded(dataDir))!;
    const [writer] = await query<{ pid: number }>(url, "select pid from pg_stat_activity where backend_type = 'walwriter'");
    const before = readFileSync(log, 'utf8').length;
    process.kill(writer!.pid, 'SIGKILL');
    const [, pid] = await waitUntil('it recovers', () => RECOVERS.exec(readFileSync(log, 'utf8').slice(before)));
    if (isAlive(Number(pid))) {
      process.kill(Number(pid), 'SIGKILL');
      hits += 1;
    }
    await waitUntil('it is ready', async () => (await ready(service)) === 200);
    assert.deepEqual(await stored(service.url), ['200.00', '50.00']);
  }
});

test('SIGTERM ends the service while the server is down', async () => {
  const password = join(dataDir, 'postgres-password');
  renameSync(password, `${password}.away`);
  process.kill(serverPid(dataDir)!, 'SIGKILL');
  await waitUntil('the server is gone', () => serverPid(dataDir) === undefined);
  service.child.kill('SIGTERM');
  assert.equal((await service.ended).code, 0);
  renameSync(`${password}.away`, password);
  service = await serve(file, env);
  assert.deepEqual(await stored(service.url), ['200.00', '50.00']);
});

test('SIGINT stops the service and its database', async () => {
  service.child.kill('SIGINT');
  assert.equal((await service.ended).code, 0);
  assert.equal(serverPid(dataDir), undefined);
});

test('leaves no server behind when the start fails', async (t) => {
  const taken = net.createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const ended = await runCli(t, ['serve'], { ...env, HOST: '127.0.0.1', PORT: String(port) });
  taken.close();
  assertOneLine(ended, new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use`));
  assert.equal(serverPid(dataDir), undefined);

  writeFileSync(credentials, '{"client_secret": "hush');
  const broken = await runCli(t, ['serve'], { ...env, PORT: '0' });
  assertOneLine(broken, /sandbox\.json cannot be read \(not JSON\)/);
  assert.doesNotMatch(broken.stderr, /hush/);
  assert.equal(serverPid(dataDir), undefined);

  const key = randomBytes(32).toString('base64');
  const sealed = await runCli(t, ['serve'], { ...env, PORT: '0', ENCRYPTION_KEY: key });
  assertOneLine(sealed, /sealed under encryption key [0-9a-f]{8}, but only [0-9a-f]{8} is available/);
  assert.equal(serverPid(dataDir), undefined);
});
