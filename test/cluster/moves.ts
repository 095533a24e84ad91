// A group moves to the other worker and back while its hottest customer pays and adds labels, and while its webhooks are delivered: nothing that was
// answered with 201 is lost, and what was answered with 503 is done once when it is repeated. Lanes post by the functions of their groups. Run
// by run.ts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketOf } from '../../src/core/ids.ts';
import { postTransfers } from '../../src/ledger/transfers/post.ts';
import { identifier, openDatabase } from '../../src/platform/db/sql.ts';
import { query, urlsOf } from '../support/database.ts';
import { idOf } from '../support/http.ts';
import { runCli, settingsOf } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { waitUntil } from '../support/wait.ts';
import { SECRET } from '../support/webhook-accounts.ts';
import { startReceiver } from '../support/webhooks.ts';

const CLIENTS = 16;
const MOVES = 4;

test('a group moves while its hot pair is hit', async (t) => {
  const service = await startService(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const { customer, from, to } = await service.newLabels('900.00');
  await service.create(`${customer}/deposits`, { amount: { value: '100.00', currency: 'USD' } });
  const receiver = await startReceiver(t);
  const body = { url: receiver.url, secret: SECRET, topics: ['customer_label_reallocation_created'] };
  // The id of a subscription has the bucket of its group.
  const subscription = await service.create('/webhook-subscriptions', body);
  let stopping = false;
  let acknowledged = 0;
  let unavailable = 0;
  /** Creates something as clients do: a 503, which a move can take on a busy machine, is repeated with its key. */
  const createRepeatedly = async (path: string, body: unknown) => {
    const key = randomUUID();
    for (;;) {
      const { status, headers, text } = await service.send('POST', path, { token: service.token, body, key });
      if (status !== 503) return assert.equal(status, 201, text);
      unavailable += 1;
      await sleep(Number(headers['retry-after']) * 1000);
    }
  };
  const pay = async () => {
    while (!stopping) {
      const body = service.reallocation(from, to, '0.01');
      await createRepeatedly('/label-reallocations', body);
      acknowledged += 1;
    }
  };
  let labels = 0;
  const addLabels = async () => {
    while (!stopping) {
      await createRepeatedly(`${customer}/labels`, { name: 'Tax', amount: { value: '0.01', currency: 'USD' } });
      labels += 1;
    }
  };
  const paying = Promise.all([...Array.from({ length: CLIENTS }, pay), addLabels()]);
  const bucket = bucketOf(idOf(from));
  for (let move = 0; move < MOVES; move++) {
    await Promise.race([paying, moveGroup(service.databaseUrl, bucket)]);
    await Promise.race([paying, moveGroup(service.databaseUrl, bucketOf(idOf(subscription)))]);
  }
  stopping = true;
  await paying;
  const [stored] = await service.sql<{ count: number }>`
    select count(*)::int from transfer where bucket = ${bucket} and from_id = ${idOf(from)} and kind = 'reallocation'`;
  assert.deepEqual({ stored: stored!.count }, { stored: acknowledged });
  assert.ok(labels > 0, 'labels with an amount are created meanwhile');
  t.diagnostic(`${acknowledged} reallocations and ${labels} labels, ${unavailable} answers of 503`);
  const arrived = () => new Set(receiver.received.map(({ body }) => body.resourceId)).size;
  await waitUntil('every webhook is delivered', () => arrived() === acknowledged);
  assert.equal((await runCli(t, ['verify', '--full'], settingsOf(service))).code, 0);
});

test('the function of a group refuses on another server', async (t) => {
  const { databaseUrl } = await startService(t, { processes: 1 });
  const held = await query<{ port: number; posting: string }>(
    databaseUrl,
    `select p.nodeport::int as port, 'post_transfers_' || p.shardid as posting
     from pg_dist_shard_placement p join pg_dist_shard s using (shardid)
     where s.logicalrelid = 'ledger_account'::regclass`,
  );
  for (const url of urlsOf(databaseUrl).slice(1)) {
    const database = openDatabase(url, { max: 1, onError: () => {} });
    for (const { port, posting } of held) {
      const post = () => postTransfers(database.sql, [], { now: new Date(), posting: identifier(posting) });
      if (port === Number(new URL(url).port)) assert.deepEqual(await post(), []);
      else await assert.rejects(post, /The group is on another server/);
    }
    await database.close();
  }
});

/** Moves the group of a bucket to the other worker. */
async function moveGroup(databaseUrl: string, bucket: number): Promise<void> {
  await query(
    databaseUrl,
    `select citus_move_shard_placement(p.shardid, p.nodename, p.nodeport, n.nodename, n.nodeport, shard_transfer_mode => 'force_logical')
     from pg_dist_shard_placement p
     join pg_dist_node n on n.shouldhaveshards and n.nodeport <> p.nodeport
     where p.shardid = get_shard_id_for_distribution_column('ledger_account', $1::int)`,
    [bucket],
  );
}
