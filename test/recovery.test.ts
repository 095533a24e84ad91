// Recovery: connections cut during a commit, a restarted database server, and a server without free connections.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { type EmbeddedServer, startEmbedded } from '../src/platform/db/embedded.ts';
import { applyToBalances, assertLedger, compare, settleUnknown } from './crash/ledger-check.ts';
import { openCaller, startLoad } from './crash/load.ts';
import { countReallocations, makeCustomers, openingBalances } from './crash/target.ts';
import { reallocation } from './support/data.ts';
import { type Moment, startProxy } from './support/database-proxy.ts';
import { anySeed, openRandom } from './support/random.ts';
import { startService } from './support/service.ts';
import type { TestScope } from './support/test-scope.ts';
import { waitUntil } from './support/wait.ts';

const SETTINGS = { max_connections: '30' };
const CLIENTS = 8;
/** Of the labels whose creation is cut off. */
const NAME = 'cut off';
const MOMENTS: Moment[] = ['before', 'after'];

let dataDir: string;
let server: EmbeddedServer;

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'earmark-recovery-'));
  server = await startEmbedded({ dataDir, settings: SETTINGS });
});

after(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A service on the server of this file, directly or through a proxy. */
async function startHere(t: TestScope, databaseUrl = server.url) {
  const service = await startService(t, {
    beside: { databaseUrl, dataDir, besides: [] },
    env: { DELIVER_WEBHOOKS: 'false', SANDBOX_REVIEW_DELAY_MS: '86400000' },
  });
  const ready = async () => (await service.send('GET', '/health/ready')).status;
  return { ...service, ready };
}

test('does a reallocation once when the connection is cut before or after the commit', async (t) => {
  const proxy = await startProxy(t, server.url);
  const { call, newCustomer, newLabel } = await startHere(t, proxy.url);
  const customer = await newCustomer({ available: '100.00' });
  const [from, to] = [await newLabel(customer, '100.00'), await newLabel(customer)];
  for (const [index, moment] of MOMENTS.entries()) {
    const reference = `cut ${moment}`;
    proxy.cutAt(reference, moment);
    const body = { ...reallocation(from, to, '1.00'), reference };
    const answer = await call('POST', '/label-reallocations', { body });
    assert.deepEqual([answer.status, proxy.cuts()], [201, index + 1], answer.text);
    assert.equal((await call('GET', to)).body.amount.value, `${index + 1}.00`);
    const { body: list } = await call('GET', `${customer}/label-reallocations?reference=${encodeURIComponent(reference)}`);
    assert.equal(list.total, 1);
  }
});

test('settles the unknown outcome of any other change by its key', async (t) => {
  const proxy = await startProxy(t, server.url);
  const { call, newCustomer } = await startHere(t, proxy.url);
  const customer = await newCustomer({ available: '100.00' });
  for (const [index, moment] of MOMENTS.entries()) {
    const label = () =>
      call('POST', `${customer}/labels`, {
        body: { name: NAME, amount: { value: '1.00', currency: 'USD' } },
        key: `cut-${moment}`,
      });
    // Other connections commit, too.
    proxy.cutAt('commit', moment, NAME);
    assert.equal((await label()).status, 503);
    assert.equal(proxy.cuts(), index + 1);
    const again = await label();
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [201, moment === 'after' ? 'true' : undefined]);
    assert.equal((await call('GET', `${customer}/labels`)).body.total, index + 1);
  }
});

test('survives a restart of the database server under load', async (t) => {
  const { url, port, token, client, ready, service } = await startHere(t);
  const customers = await makeCustomers(url, token);
  const transfers = await countReallocations(service.database);
  const caller = openCaller({ port, token });
  const load = startLoad([caller], customers, openRandom(anySeed()), CLIENTS, `restart-${anySeed()}`);
  await waitUntil('there is load', () => load.attempts.length > CLIENTS);
  await server.stop();
  assert.equal(await ready(), 503);
  server = await startEmbedded({ dataDir, settings: SETTINGS });
  await waitUntil('it is ready', async () => (await ready()) === 200);
  const done = load.attempts.length;
  await waitUntil('requests are answered', () => load.attempts.length > done + CLIENTS);
  const attempts = await load.stop();
  await settleUnknown(caller, attempts);
  caller.close();
  assert.deepEqual(await compare(service.database, client.account_id, attempts), { lost: 0, wrong: 0 });
  const balances = openingBalances(customers);
  applyToBalances(balances, attempts);
  const acknowledged = attempts.filter(({ outcome }) => outcome === 'acknowledged').length;
  await assertLedger(service.database, balances, transfers + acknowledged);
});

test('answers 503 with Retry-After while the server has no free connection, and recovers', async (t) => {
  const { call, newCustomer, newLabel, ready } = await startHere(t);
  const customer = await newCustomer({ available: '100.00' });
  const [from, to] = [await newLabel(customer, '100.00'), await newLabel(customer)];
  const taken: pg.Client[] = [];
  t.after(async () => {
    await Promise.all(taken.map((one) => one.end()));
  });
  await waitUntil('every connection is taken', async () => {
    await taken[0]?.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'earmark%'`);
    while (await take(taken));
    // pg_stat_activity does not show connections that are starting or ending, but each has a place.
    return taken.length === Number(SETTINGS.max_connections);
  });
  const moving = call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
  const refused = await call('GET', customer);
  assert.deepEqual([refused.status, refused.body.code], [503, 'ServiceUnavailable']);
  assert.match(refused.headers['retry-after']!, /^[1-9]/);
  assert.equal(await ready(), 503);
  await Promise.all(taken.splice(0).map((one) => one.end()));
  const moved = await moving;
  assert.ok([201, 503].includes(moved.status), moved.text);
  await waitUntil('it is ready', async () => (await ready()) === 200);
  assert.equal((await call('GET', to)).body.amount.value, moved.status === 201 ? '1.00' : '0.00');
});

/** Takes one more connection; false when none is free. */
async function take(taken: pg.Client[]): Promise<boolean> {
  const client = new pg.Client({ connectionString: server.url, application_name: 'taken' });
  client.on('error', () => {});
  try {
    await client.connect();
    taken.push(client);
    return true;
  } catch (error) {
    assert.equal((error as pg.DatabaseError).code, '53300');
    return false;
  }
}
