// `earmark repair events`: events that are lost from outbox or feed come back, each once, and checks and audits hold again.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { identifier } from '../src/platform/db/sql.ts';
import { idOf } from './support/http.ts';
import { coveredLog } from './support/logs.ts';
import { runCli, runCliJson } from './support/process.ts';
import { openLabels, startService, type TestService } from './support/service.ts';

type Event = { id: string; topic: string; resourceId: string; created: string; late?: true };

/** Runs something whose events are then lost before they are settled, as in a crash of a database that lied about its disk. */
async function losing({ databaseUrl }: TestService, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from event_cursor for update');
  try {
    await work();
    await client.query('delete from event_outbox');
    await client.query('commit');
  } finally {
    await client.end();
  }
}

async function feedOf({ get }: TestService): Promise<Event[]> {
  const { _embedded } = await get('/events?order=oldest&limit=200');
  return _embedded.events;
}

/** A service with reallocations, and its commands. */
async function openLoss(t: TestContext) {
  const service = await startService(t);
  const account = await openLabels(service);
  const env = { DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
  const move = (value: string) => account.create('/label-reallocations', account.reallocation(account.from, account.to, value));
  const audit = async () => {
    const { log } = await account.get(`${account.url}/accounts/${account.client.account_id}`);
    return runCli(t, ['audit', '--url', account.url, '--account', account.client.account_id, '--key', log.key], {
      EARMARK_CLIENT_ID: account.client.client_id,
      EARMARK_CLIENT_SECRET: account.client.client_secret,
    });
  };
  const repair = (...options: string[]) => runCliJson(t, ['repair', 'events', ...options], env);
  return { account, move, audit, repair, verify: () => runCli(t, ['verify', '--full'], env) };
}

test('recreates lost events of transfers and creations as late ones, in the order of the changes', async (t) => {
  const { account, move, audit, repair, verify } = await openLoss(t);
  await move('1.00');
  await coveredLog(account);
  const lost: string[] = [];
  await losing(account, async () => {
    for (const value of ['2.00', '3.00']) lost.push(idOf(await move(value)));
    const body = { name: 'Lost', amount: { value: '0', currency: 'USD' } };
    lost.push(idOf(await account.create(`${account.customer}/labels`, body)));
    lost.push(idOf(await account.create(`${account.customer}/deposits`, { amount: { value: '4.00', currency: 'USD' } })));
  });
  await move('5.00');
  await coveredLog(account);

  const broken = await verify();
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /BROKEN {2}transfers have events: .*`earmark repair events`/);
  assert.match(broken.stdout, /BROKEN {2}creations have events: .*`earmark repair events`/);
  const contradicted = await audit();
  assert.match(contradicted.stdout, /sequence \d+ of account \S+ follows \d+/, 'an auditor sees the gap');

  const before = await feedOf(account);
  assert.deepEqual(await repair('--plan'), { restored: 0, recreated: 4 });
  assert.deepEqual(await feedOf(account), before);
  assert.deepEqual(await repair('--yes'), { restored: 0, recreated: 4 });
  assert.deepEqual(await repair('--yes'), { restored: 0, recreated: 0 });

  const late = (await feedOf(account)).slice(before.length);
  assert.deepEqual(
    late.map(({ resourceId }) => resourceId),
    lost,
  );
  assert.ok(late.every((event) => event.late === true));
  assert.ok(before.every((event) => !('late' in event)));
  assert.deepEqual((await account.get(`/events/${late[0]!.id}`)).late, true);
  await coveredLog(account);
  assert.equal((await verify()).code, 0);
  const audited = await audit();
  assert.equal(audited.code, 0, audited.stdout);
  assert.match(audited.stdout, /feed: .*, 4 of them late/);
});

test('restores events that were deleted from the feed, with their positions and ids', async (t) => {
  const { account, move, audit, repair, verify } = await openLoss(t);
  for (const value of ['1.00', '2.00', '3.00', '4.00']) await move(value);
  await coveredLog(account);
  const before = await feedOf(account);
  const topics = await account.get('/events?topic=customer_label_reallocation_created');
  for (const condition of ['position in (2, 3)', 'position > 5', 'true']) {
    // The log of no other account is known to cover its feed.
    const deleted = await account.sql`
      delete from event where account_id = ${account.client.account_id} and ${identifier(condition)} returning 1`;
    assert.ok(deleted.length > 1);
    assert.equal((await verify()).code, 1);
    assert.deepEqual(await repair('--plan'), { restored: deleted.length, recreated: 0 });
    assert.deepEqual(await repair('--yes'), { restored: deleted.length, recreated: 0 });
    assert.deepEqual(await feedOf(account), before);
    assert.deepEqual(await account.get('/events?topic=customer_label_reallocation_created'), topics);
    assert.equal((await verify()).code, 0);
  }
  await move('5.00');
  await coveredLog(account);
  assert.equal((await audit()).code, 0);
});
