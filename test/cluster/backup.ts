// Moves a database from a single server into a cluster and out again, by backup and restore.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { reallocation } from '../support/data.ts';
import { makeDatabase, query } from '../support/database.ts';
import { follow } from '../support/events.ts';
import { assertOneLine, runCli, runCliJson, scratch, settingsOf, startCli } from '../support/process.ts';
import { startService, type TestService } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import { SECRET } from '../support/webhook-accounts.ts';
import { startReceiver } from '../support/webhooks.ts';
import { runOn, urlOf } from './cluster.ts';
import { makeClusterDatabase } from './empty-database.ts';

const GROUPS = 4;
const MOVES = 20;
const ENV = { PUBLIC_URL: 'https://earmark.example', WEBHOOK_ALLOW_PRIVATE: 'true' };
/** Backups under load. */
const ROUNDS = 3;

/** The tests are steps: each starts from what the one before it restored. */
const file = { after };
const folder = scratch(file);
const receiver = await startReceiver(file);
const inCluster = await makeClusterDatabase(file);
let moved = 0;
let home: { databaseUrl: string; dataDir: string };
let client: TestService['client'];
let pairs: { from: string; to: string }[];
let feed: string[];

test('refuses a number of groups on a single server', async (t) => {
  const single = { databaseUrl: await makeDatabase(t, { empty: true }), dataDir: folder };
  const refused = /^Only a Citus cluster with workers has a number of groups, and the database is a single server\.\n$/;
  assertOneLine(await runCli(t, ['migrate', '--groups', '4'], settingsOf(single)), refused);
  assert.deepEqual(await query(single.databaseUrl, `select 1 from pg_tables where schemaname = 'public'`), []);
  const embedded = await runCli(t, ['migrate', '--groups', '4'], { DATA_DIR: join(folder, 'none') });
  assertOneLine(embedded, /^--groups needs DATABASE_URL/, 2);
  const wrong = await runCli(t, ['migrate', '--groups', '4097'], settingsOf(single));
  assertOneLine(wrong, /^--groups must be an integer from 1 to 4096\.\n$/, 2);
});

test('moves a single server into a cluster: the same feed, balances and webhooks', async (t) => {
  home = { databaseUrl: await makeDatabase(file, { empty: true }), dataDir: folder };
  const single = await startBeside(t);
  client = single.client;
  await single.create('/webhook-subscriptions', { url: receiver.url, secret: SECRET });
  pairs = await Promise.all(Array.from({ length: 6 }, () => single.newLabels()));
  await Promise.all(pairs.map((pair) => move(single, pair)));
  feed = await follow(single);
  await waitUntil('every webhook is delivered', () => receiver.received.length === feed.length);
  await single.stop();

  const backup = join(folder, 'single');
  await runCliJson(t, ['backup', backup], settingsOf(home));
  home = { databaseUrl: inCluster, dataDir: folder };
  const report = await runCliJson<{ ledger: string }>(t, ['restore', backup, '--groups', `${GROUPS}`], settingsOf(home));
  assert.equal(report.ledger, 'consistent');
  const [groups] = await query<{ count: number }>(
    inCluster,
    `select count(*)::int from pg_dist_shard where logicalrelid = 'transfer'::regclass`,
  );
  assert.equal(groups!.count, GROUPS);
  assert.equal((await runCli(t, ['verify', '--full'], settingsOf(home))).code, 0);
  const again = /^The tables are already distributed into 4 groups\. Only a restore changes that\.\n$/;
  assertOneLine(await runCli(t, ['migrate', '--groups', '8'], settingsOf(home)), again);
  assert.equal((await runCli(t, ['migrate', '--groups', `${GROUPS}`], settingsOf(home))).code, 0, 'the same number is done');

  const cluster = await startBeside(t);
  assert.deepEqual(await follow(cluster), feed);
  await Promise.all(pairs.map((pair) => move(cluster, pair)));
  const added = (await follow(cluster)).slice(feed.length);
  assert.equal(added.length, pairs.length);
  await waitUntil('the new webhooks are delivered', () => receiver.received.length >= feed.length + added.length);
  const delivered = receiver.received.map(({ body }) => body.id);
  assert.deepEqual(delivered.toSorted(), [...feed, ...added].toSorted(), 'each event once');
});

test('backs up a cluster under load; a single server restores it with each event once', async (t) => {
  const cluster = await startBeside(t);
  let busy = true;
  const load = pairs.map(async (pair) => {
    while (busy) await move(cluster, pair);
  });
  const folders: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    folders.push(join(folder, `cluster-${round}`));
    const before = moved;
    await runCliJson(t, ['backup', folders.at(-1)!], settingsOf(home));
    await waitUntil('money has moved', () => moved > before + MOVES);
  }
  busy = false;
  await Promise.all(load);
  feed = await follow(cluster);
  await cluster.stop();
  for (const backup of folders) {
    home = { databaseUrl: await makeDatabase(file, { empty: true }), dataDir: folder };
    assert.equal((await runCliJson<{ ledger: string }>(t, ['restore', backup], settingsOf(home))).ledger, 'consistent');
    const single = await startBeside(t, { DELIVER_WEBHOOKS: 'false' });
    assert.deepEqual(await query(home.databaseUrl, 'select id, outbox_bucket from event_cursor'), [
      { id: 1, outbox_bucket: null },
    ]);
    const seen = await follow(single);
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(seen.toSorted(), feed.filter((id) => seen.includes(id)).toSorted());
    const [counted] = await query<{ transfers: number; events: number; position: number }>(
      home.databaseUrl,
      `select (select count(*)::int from transfer where kind = 'reallocation') as transfers,
        (select count(*)::int from event e join event_topic t on t.account_id = e.account_id and t.number = e.topic
          where t.topic = 'customer_label_reallocation_created') as events,
        (select max(position)::int from event_head) as position`,
    );
    assert.equal(counted!.events, counted!.transfers);
    assert.equal(counted!.position, seen.length, 'positions have no gaps');
    await move(single, pairs[0]!);
    assert.equal((await runCli(t, ['verify', '--full'], settingsOf(home))).code, 0);
    await single.stop();
  }
});

test('takes no snapshot while events are being settled', async (t) => {
  home = { databaseUrl: inCluster, dataDir: folder };
  const settling = new pg.Client({ connectionString: inCluster });
  await settling.connect();
  t.after(() => settling.end());
  await settling.query('begin; select 1 from event_cursor where id = 1 for update');
  const backup = startCli(t, ['backup', join(folder, 'waiting')], settingsOf(home));
  const sessions = `select 1 from pg_stat_activity where application_name = 'earmark backup' and datname = current_database()`;
  await waitUntil(
    'the backup waits',
    async () => (await query(inCluster, `${sessions} and wait_event_type = 'Lock'`)).length === 1,
  );
  const snapshots = await query(
    inCluster,
    `${sessions} and backend_xmin is not null and wait_event_type is distinct from 'Lock'`,
  );
  assert.deepEqual(snapshots, []);
  await settling.query('commit');
  assert.equal((await backup.ended).code, 0);
});

test('leaves out an event that the feed has and whose removal from the outbox is not complete', async (t) => {
  home = { databaseUrl: inCluster, dataDir: folder };
  const shard = await doubleAnEvent();
  const worker = new pg.Client({ connectionString: shard.url });
  await worker.connect();
  t.after(() => worker.end());
  await worker.query('begin; set local citus.enable_manual_changes_to_shards = on');
  assert.equal((await worker.query(`delete from ${shard.relation} where ids[1][1] = $1`, [shard.event])).rowCount, 1);
  const backup = join(folder, 'doubled');
  await runCliJson(t, ['backup', backup], settingsOf(home));
  assert.doesNotMatch(gunzipSync(readFileSync(join(backup, 'event_outbox.tsv.gz'))).toString(), new RegExp(shard.event));
});

/** Copies an event of the feed to the outbox, and returns where it is there. */
async function doubleAnEvent(): Promise<{ event: string; relation: string; url: string }> {
  const [event] = await query<{ id: string; bucket: number }>(inCluster, 'select id, bucket from event limit 1');
  await runOn(
    inCluster,
    `insert into event_outbox (bucket, ids, account_id, created, topic)
     values (outbox_bucket(${event!.bucket}), array[['${event!.id}'], [null], ['${event!.id}']]::uuid[], '${client.account_id}', now(), 'customer_created')`,
  );
  const [shard] = await query<{ relation: string; port: number }>(
    inCluster,
    `select shard_name('event_outbox', shardid) as relation, nodeport as port from pg_dist_shard_placement
     where shardid = get_shard_id_for_distribution_column('event_outbox', outbox_bucket($1))`,
    [event!.bucket],
  );
  return { event: event!.id, relation: shard!.relation, url: urlOf(shard!.port, new URL(inCluster).pathname.slice(1)) };
}

/** Starts a service on the current database. Its calls have the token of the first service's account. */
async function startBeside(t: TestScope, env: Record<string, string> = {}): Promise<TestService> {
  const service = await startService(t, { beside: { ...home, besides: [] }, env: { ...ENV, ...env } });
  t.after(service.stop);
  if (!client) return service;
  const token = await service.tokenOf(client);
  return { ...service, call: (method, path, options) => service.call(method, path, { token, ...options }) };
}

async function move({ call }: TestService, { from, to }: { from: string; to: string }): Promise<void> {
  const [body, key] = [reallocation(from, to, '0.01'), `move-${moved++}`];
  const send = async () => {
    const answer = await call('POST', '/label-reallocations', { body, key });
    return answer.status !== 503 && answer;
  };
  const { status, text } = await waitUntil('it is answered on a busy machine', send);
  assert.equal(status, 201, text);
}
