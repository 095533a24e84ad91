// Two ways of a single server's data into a cluster: `earmark cluster move-in`, and workers that are added to a server with data. Run by
// run.ts.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { securedClient } from '../support/client-keys.ts';
import { makeDatabase, query } from '../support/database.ts';
import { follow } from '../support/events.ts';
import { openClient } from '../support/oauth.ts';
import { assertOneLine, runCli, runCliJson, scratch, settingsOf } from '../support/process.ts';
import { startService, type TestService } from '../support/service.ts';
import { newSigner, signed } from '../support/signed-requests.ts';
import type { TestScope } from '../support/test-scope.ts';
import { createDatabaseOn, runOn } from './cluster.ts';
import { clusterPorts } from './databases.ts';
import { makeClusterDatabase } from './empty-database.ts';

const GROUPS = 4;
const ENV = { PUBLIC_URL: 'https://earmark.example', DELIVER_WEBHOOKS: 'false' };
const CUSTOMERS = 6;
const [coordinator] = clusterPorts!;

type Home = { databaseUrl: string; dataDir: string };

test('cluster move-in takes everything along, and refuses a target that is not an empty cluster', async (t) => {
  const dataDir = scratch(t);
  const source = { databaseUrl: await makeDatabase(t, { empty: true }), dataDir };
  const target = await makeClusterDatabase(t);
  const service = await startBeside(t, source);
  const before = await fill(service);

  const backup = join(dataDir, 'backup');
  const moveIn = (url: string) => {
    writeFileSync(join(dataDir, 'url'), `${url}\n`);
    return ['cluster', 'move-in', backup, '--to', join(dataDir, 'url'), '--groups', String(GROUPS)];
  };
  const run = (url: string) => runCli(t, moveIn(url), settingsOf(source));
  assertOneLine(await run(target), /^Earmark still uses the database \(open connections: \d+\)\. Stop all services first\.\n$/);
  await service.stop();
  const single = await makeDatabase(t, { empty: true });
  assertOneLine(await run(single), /^The target is not the coordinator of a Citus cluster with workers\.\n$/);
  assert.ok(!existsSync(backup), 'nothing is written when it refuses');
  const report = await runCliJson<{ ledger: string; mode: string }>(t, moveIn(target), settingsOf(source));
  assert.deepEqual([report.ledger, report.mode], ['consistent', 'sandbox']);
  assert.ok(existsSync(join(backup, 'manifest.json')));
  assertOneLine(await run(target), /^The database already has tables\. Restore into an empty one\.\n$/);
  await assertMoved(t, { databaseUrl: target, dataDir }, before);
});

test('a server with data gets workers: migrate distributes the rows and leaves no hidden copies', async (t) => {
  const home = { databaseUrl: await makeClusterDatabase(t, [coordinator!]), dataDir: scratch(t) };
  const service = await startBeside(t, home);
  const before = await fill(service);
  await service.stop();
  const name = new URL(home.databaseUrl).pathname.slice(1);
  for (const port of clusterPorts!.slice(1)) {
    await createDatabaseOn(port, name);
    await runOn(home.databaseUrl, `select citus_add_node('127.0.0.1', ${port})`);
  }
  await runCliJson(t, ['migrate', '--groups', String(GROUPS)], settingsOf(home));
  await assertMoved(t, home, before);
});

type Known = {
  feed: string[];
  customers: string[];
  balances: unknown[];
  /** A signed reallocation, and the evidence of its signature. */
  signed: { location: string; signature: unknown };
  client: TestService['client'];
};

/** Customers with money, events that wait in the outbox, and what is known about them. */
async function fill(service: TestService): Promise<Known> {
  const account = await openClient(service);
  const made = await Promise.all(Array.from({ length: CUSTOMERS }, () => account.newLabels()));
  const feed = await follow(account);
  const location = await moveSigned(account, made[0]!);
  const { signature } = await account.get(location);
  assert.equal(signature.valid, true);
  const customers = made.map(({ customer }) => customer);
  return {
    ...{ feed, customers, balances: await readBalances(account, customers) },
    ...{ signed: { location, signature }, client: account.client },
  };
}

async function moveSigned(
  account: Awaited<ReturnType<typeof openClient>>,
  { from, to }: { from: string; to: string },
): Promise<string> {
  const signer = newSigner('first');
  const application = await securedClient(account, { keys: [signer.jwk] });
  const token = (await account.tokenOf(application))!;
  const body = JSON.stringify(account.reallocation(from, to, '1.00'));
  const headers = await signed({ by: signer, url: `${ENV.PUBLIC_URL}/label-reallocations`, body });
  const answer = await account.call('POST', '/label-reallocations', { token, raw: body, headers });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.location!;
}

/** The data is in groups on the workers, none is left on the coordinator, and a service continues with it. */
async function assertMoved(t: TestScope, home: Home, { feed, customers, balances, signed, client }: Known): Promise<void> {
  const left = await query(
    home.databaseUrl,
    `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h' and pg_relation_size(logicalrelid) > 0`,
  );
  assert.deepEqual(left, [], 'no table has rows on the coordinator');
  const [groups] = await query<{ count: number }>(
    home.databaseUrl,
    `select count(*)::int from pg_dist_shard where logicalrelid = 'transfer'::regclass`,
  );
  assert.equal(groups!.count, GROUPS);
  assert.equal((await runCli(t, ['verify', '--full'], settingsOf(home))).code, 0);
  const started = await startBeside(t, home);
  const token = await started.tokenOf(client);
  const service: TestService = {
    ...started,
    call: (method, path, options) => started.call(method, path, { token, ...options }),
  };
  assert.deepEqual(await readBalances(service, customers), balances);
  assert.deepEqual((await service.call('GET', signed.location)).body.signature, signed.signature);
  const seen = await follow(service);
  assert.deepEqual(seen.slice(0, feed.length), feed);
  assert.equal(seen.length, feed.length + 1, 'the event that waited');
  await started.stop();
}

async function readBalances({ call }: TestService, customers: string[]): Promise<unknown[]> {
  const read = async (customer: string) => (await call('GET', `${customer}/balance`)).body.balances;
  return Promise.all(customers.map(read));
}

async function startBeside(t: TestScope, home: Home): Promise<TestService> {
  const service = await startService(t, { beside: { ...home, besides: [] }, env: ENV });
  t.after(service.stop);
  return service;
}
