// The mode of a database: set while it is empty, kept by backups, and required of every process that serves it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDatabase } from './support/database.ts';
import { type Ended, runCli, settingsOf } from './support/process.ts';
import { startService, type TestService } from './support/service.ts';
import type { TestScope } from './support/test-scope.ts';

const refusal = (mode: string, wanted: string) =>
  `This is a ${mode} database, and MODE is ${wanted}. Set MODE=${mode}, or name another database.`;
const UNMARKED = 'The database has accounts, but its mode (sandbox or production) is missing. Restore a backup that contains it.';
const SETTINGS = { PORT: '0', HOST: '127.0.0.1', PUBLIC_URL: 'http://localhost' };

/** Starts another service on the database of the first one, in a mode. */
const serveAs = (t: TestScope, beside: Pick<TestService, 'databaseUrl' | 'dataDir' | 'besides'>, mode: string) =>
  startService(t, { beside, env: { MODE: mode } });

function assertRefused({ code, stdout, stderr }: Ended, line: string): void {
  assert.deepEqual([code, stdout, stderr], [1, '', `${line}\n`]);
}

const countAccounts = async ({ sql }: TestService) => (await sql<{ n: number }>`select count(*)::int as n from account`)[0]!.n;

test('a production database', async (t) => {
  const service = await startService(t, { env: { MODE: 'production' } });
  const customer = await service.newCustomer();
  const accounts = await countAccounts(service);

  await t.test('is refused by a sandbox service and worker in one line, and nothing is written', async (t) => {
    await assert.rejects(serveAs(t, service, 'sandbox'), { message: refusal('production', 'sandbox') });
    const runs = ['serve', 'deliver'].map((name) => runCli(t, [name], { ...settingsOf(service), ...SETTINGS, MODE: 'sandbox' }));
    for (const run of await Promise.all(runs)) assertRefused(run, refusal('production', 'sandbox'));
    assert.equal(await countAccounts(service), accounts);
  });

  await t.test('keeps its mode when it is backed up and restored', async (t) => {
    const restored = { databaseUrl: await makeDatabase(t, { empty: true }), dataDir: service.dataDir, besides: [] };
    const folder = join(service.dataDir, 'backup');
    assert.equal((await runCli(t, ['backup', folder], settingsOf(service))).code, 0);
    const { code, stdout, stderr } = await runCli(t, ['restore', folder, '--json'], { ...settingsOf(restored), MODE: 'sandbox' });
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).mode, 'production');
    await assert.rejects(serveAs(t, restored, 'sandbox'), { message: refusal('production', 'sandbox') });
    const again = await serveAs(t, restored, 'production');
    t.after(again.stop);
    const token = await again.tokenOf(service.client);
    assert.equal((await again.call('GET', new URL(customer).pathname, { token })).status, 200);
  });

  await t.test('accepts an account from a command with any MODE', async () => {
    assert.equal((await runCli(t, ['account', 'create', 'One more'], { ...settingsOf(service), MODE: 'sandbox' })).code, 0);
    const next = await serveAs(t, service, 'production');
    await next.stop();
  });
});

test('refuses to serve a sandbox database for production', async (t) => {
  const service = await startService(t);
  await assert.rejects(serveAs(t, service, 'production'), { message: refusal('sandbox', 'production') });
});

test('sets one mode when two services start on an empty database', async (t) => {
  const at = { databaseUrl: await makeDatabase(t, { empty: true }), dataDir: (await startService(t)).dataDir, besides: [] };
  const [sandbox, production] = await Promise.allSettled([serveAs(t, at, 'sandbox'), serveAs(t, at, 'production')]);
  for (const one of [sandbox, production]) if (one.status === 'fulfilled') t.after(one.value.stop);
  const lines = [sandbox, production].flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []));
  const wanted = sandbox.status === 'rejected' ? refusal('production', 'sandbox') : refusal('sandbox', 'production');
  assert.deepEqual(lines, [wanted]);
});

test('sets the mode with the first account as with the first start, and refuses accounts without a mode', async (t) => {
  const { dataDir } = await startService(t);
  const at = { databaseUrl: await makeDatabase(t, { empty: true }), dataDir, besides: [] };
  assert.equal((await runCli(t, ['migrate'], { ...settingsOf(at), MODE: 'sandbox' })).code, 0, 'a schema alone sets no mode');
  assert.equal((await runCli(t, ['account', 'create', 'First'], { ...settingsOf(at), MODE: 'production' })).code, 0);
  await assert.rejects(serveAs(t, at, 'sandbox'), { message: refusal('production', 'sandbox') });
  const service = await serveAs(t, at, 'production');
  t.after(service.stop);
  await service.sql`delete from installation`;
  for (const mode of ['sandbox', 'production']) await assert.rejects(serveAs(t, at, mode), { message: UNMARKED });
});

test('refuses sandbox operations after the database of a running sandbox is replaced by one of production', async (t) => {
  const { send, sql, token, newCustomer, call } = await startService(t);
  const customer = await newCustomer();
  await sql`update installation set mode = 'production'`;
  const asked = [
    ['POST', '/sandbox/reset'],
    ['GET', '/sandbox/clock'],
    ['GET', '/sandbox/faults'],
  ] as const;
  for (const [method, path] of asked) {
    const { status, body } = await send(method, path, { token });
    assert.deepEqual([status, body.code], [404, 'NotFound'], path);
  }
  assert.equal((await call('GET', customer)).status, 200, 'its customers are served');
});
