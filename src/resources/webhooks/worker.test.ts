// Tests of delivery workers: shared work, concurrent deliveries, stops and retention.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, type TestContext, test } from 'node:test';
import { insertEvents } from '../../../test/support/events.ts';
import { idOf } from '../../../test/support/http.ts';
import { activity, countWaiting } from '../../../test/support/locks.ts';
import { openAccount, startService, type TestService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { dueOf, eventIds, openWorker, subscribe, webhooksOf } from '../../../test/support/webhook-accounts.ts';
import { startDelivery, startReceiver } from '../../../test/support/webhooks.ts';
import { bucketOf, newId, randomBucket } from '../../core/ids.ts';
import { settleEvents } from '../../ledger/feed/feed.ts';
import { claim, type Step, type SubscriptionKey } from './claim.ts';
import { openConnections } from './connections.ts';
import { prune, pruneSomeWebhooks } from './prune.ts';

/** Delivers to loopback, by the worker of a test only. Each test uses its own account. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' } });

test('two workers share the deliveries of a subscription and send each event once', async (t) => {
  const account = await openAccount(shared);
  const receiver = await startReceiver(t);
  await subscribe(account, receiver);
  const ids = await insertEvents(account, Array(1_300).fill('customer_created'));
  // Neither sends before both have something to send.
  const both = Promise.withResolvers<void>();
  const sent = [0, 0];
  for (const n of [0, 1]) {
    const at = async (step: Step) => {
      if (step !== 'sending') return;
      sent[n]! += 1;
      if (sent.every((deliveries) => deliveries > 0)) both.resolve();
      await both.promise;
    };
    t.after((await startDelivery(account, { at })).stop);
  }
  await waitUntil('all webhooks arrive', () => receiver.received.length >= ids.length);
  await waitUntil('all deliveries are stored', async () => (await dueOf(account)) === undefined);
  assert.deepEqual(eventIds(receiver).sort(), ids.sort());
  assert.deepEqual(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, ids.length);
});

test('with more subscriptions than one claim takes, the last is served like the first', async (t) => {
  const { sql, client, service, databaseUrl } = await openAccount(shared);
  const connections = await openConnections(sql, { databaseUrl, log: service.log, onError: () => {} });
  t.after(connections.close);
  const now = new Date();
  const bucket = randomBucket();
  const group = connections.groups.of(bucket);
  const ids = Array.from({ length: 203 }, () => newId(bucket));
  await sql`
    insert into webhook_subscription (bucket, id, account_id, url, secret, position, healthy, created)
    select bucket, id, ${client.account_id}, 'http://127.0.0.1/', ''::bytea, 0, ${now}, ${now}
    from unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[]) as s (bucket, id)`;
  await insertEvents({ sql, client }, ['customer_created']);
  await settleEvents(sql);
  const take = async (after: SubscriptionKey | undefined) => {
    // No subscription has free slots, so that each has something to deliver in every round.
    const { claims, last } = await claim(connections, { group, now, leaseMs: 60_000, capacity: () => 0, full: [], after });
    return { claimed: claims.map(({ subscription }) => subscription.id).filter((id) => ids.includes(id)), last };
  };
  const first = await take(undefined);
  const second = await take(first.last);
  assert.deepEqual(second.last, undefined);
  assert.deepEqual([...first.claimed, ...second.claimed].sort(), ids.toSorted());
  await sql`update webhook_subscription set removed = ${now} where bucket = ${bucket} and account_id = ${client.account_id}`;
});

test('an event that is settled during a claim is left to the next one', async (t) => {
  const account = await openAccount(shared);
  const { sql, service, databaseUrl } = account;
  const connections = await openConnections(sql, { databaseUrl, log: service.log, onError: () => {} });
  t.after(connections.close);
  const id = idOf(await subscribe(account, { url: 'http://127.0.0.1/' }));
  const group = connections.groups.of(bucketOf(id));
  const take = async () => {
    const wanted = {
      group,
      now: new Date(),
      leaseMs: 60_000,
      capacity: (one: { id: string }) => (one.id === id ? 10 : 0),
      full: [],
    };
    const { claims } = await claim(connections, wanted);
    return claims.flatMap(({ deliveries }) => deliveries.map(({ webhook }) => webhook.eventId));
  };
  const [first] = await insertEvents(account, ['customer_created']);
  await settleEvents(sql);
  const claimed = await service.database.transaction(async (tx) => {
    // Nobody else settles meanwhile.
    await tx`select 1 from event_cursor order by id for update`;
    const [second] = await insertEvents(account, ['customer_created']);
    await tx`lock table event_topic in access exclusive mode`;
    const taken = take();
    await waitUntil('the claim waits for the feed', async () => {
      const waiting = await sql`
        select 1 from ${activity}
        where datname = current_database() and wait_event_type = 'Lock' and query like '%as s (id, account_id, position, last, topics%'`;
      return waiting.length > 0;
    });
    await tx`select settle_events(10, id) from event_cursor`;
    return { taken, second };
  });
  assert.deepEqual([await claimed.taken, await take()], [[first], [claimed.second]]);
  await sql`update webhook_subscription set removed = ${new Date()} where bucket = ${bucketOf(id)} and id = ${id}`;
});

/** A receiver that keeps requests open until the test answers them and all later ones with a status. */
async function startStalledReceiver(t: TestContext) {
  const pending: ServerResponse[] = [];
  let status: number | undefined;
  const receiver = await startReceiver(t, (response) => {
    if (status === undefined) pending.push(response);
    else response.writeHead(status).end();
  });
  return {
    ...receiver,
    pending,
    answer(given: number, some = pending.length) {
      for (const response of pending.splice(0, some)) response.writeHead(given).end();
    },
    answerAll(given: number) {
      status = given;
      for (const response of pending.splice(0)) response.writeHead(given).end();
    },
  };
}

test('allows a receiver 32 concurrent deliveries, and a failing one a single delivery until it succeeds', async (t) => {
  const account = await openWorker(t, shared);
  const [stalled, other] = [await startStalledReceiver(t), await startReceiver(t)];
  await subscribe(account, stalled, { topics: ['customer_created'] });
  const beside = await subscribe(account, other, { topics: ['customer_deactivated'] });
  /** Waits until the worker has taken, sent and stored a newer webhook, so that it has sent all it would have. */
  const goOn = async () => {
    const before = other.received.length;
    for (let n = 1; n <= 3; n++) {
      await account.call('POST', `${beside}/pings`);
      await waitUntil('the other subscription gets its ping', () => other.received.length >= before + n);
    }
  };
  await insertEvents(account, Array(100).fill('customer_created'));
  await waitUntil('the limit of deliveries is reached', () => stalled.pending.length >= 32);
  await goOn();
  assert.equal(stalled.received.length, 32);
  await waitUntil('no transaction is open while deliveries are in flight', async () => {
    const open = await account.sql`
      select 1 from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`;
    return open.length === 0;
  });
  stalled.answer(500);
  await waitUntil('all 32 attempts are stored', async () => (await triesOf(account)) === 32);
  await waitUntil('a delivery is retried', () => stalled.pending.length > 0);
  for (let sent = 33; sent < 36; sent++) {
    await waitUntil('the next one is sent', () => stalled.received.length >= sent);
    await goOn();
    assert.deepEqual([stalled.received.length, stalled.pending.length], [sent, 1]);
    stalled.answer(500);
  }
  await waitUntil('one more is sent', () => stalled.pending.length === 1);
  stalled.answer(200);
  await waitUntil('the limit is reached again', () => stalled.pending.length >= 32);
  stalled.answerAll(200);
  await waitUntil('the rest arrive', () => new Set(eventIds(stalled)).size === 100);
});

/** The number of stored attempts of an account. */
async function triesOf({ sql, client }: Pick<TestService, 'sql' | 'client'>): Promise<number> {
  const [row] = await sql<{ tries: bigint }>`
    select count(*) as tries
    from webhook_attempt a join webhook w on w.bucket = a.bucket and w.id = a.webhook_id
    where w.account_id = ${client.account_id} and w.event_id is not null`;
  return Number(row!.tries);
}

test('a second after a removal, a pause or a new secret, no queued delivery is started as before', async (t) => {
  const account = await openWorker(t, shared);
  const [removed, paused, changed] = [
    await startStalledReceiver(t),
    await startStalledReceiver(t),
    await startStalledReceiver(t),
  ];
  const receivers = [removed, paused, changed];
  const urls = [await subscribe(account, removed), await subscribe(account, paused), await subscribe(account, changed)] as const;
  await insertEvents(account, Array(40).fill('customer_created'));
  await waitUntil('all are claimed', async () => {
    const lists = await Promise.all(urls.map((url) => webhooksOf(account, url)));
    return lists.every(({ total }) => total === 40) && receivers.every(({ pending }) => pending.length === 32);
  });
  assert.equal((await account.call('DELETE', urls[0])).status, 200);
  assert.equal((await account.call('POST', urls[1], { body: { paused: true } })).status, 200);
  assert.equal((await account.call('POST', `${urls[2]}/secrets`, { body: { secret: 'second' } })).status, 200);
  const answeredMs = performance.now();
  await waitUntil('a second has passed', () => performance.now() - answeredMs > 1_000);
  for (const receiver of receivers) receiver.answerAll(200);
  await waitUntil('the rest arrive with the new secret', () => changed.received.length === 40);
  await waitUntil('all attempts are stored', async () => (await triesOf(account)) >= 32 + 32 + 40);
  assert.deepEqual([removed.received.length, paused.received.length], [32, 32]);
  for (const { text, headers } of changed.received.slice(32))
    assert.equal(headers['x-request-signature-sha-256'], createHmac('sha256', 'second').update(text).digest('hex'));
  await account.call('POST', urls[1], { body: { paused: false } });
  await waitUntil('the rest arrive after the pause', () => paused.received.length === 40);
  assert.equal(new Set(eventIds(paused)).size, 40);
});

test('a stop aborts deliveries in flight and releases them; the next worker sends them immediately', async (t) => {
  const account = await openWorker(t, shared);
  const stalled = await startStalledReceiver(t);
  const url = await subscribe(account, stalled);
  // A kept connection, so that an aborted request is not mistaken for one that the receiver had closed.
  await account.call('POST', `${url}/pings`);
  await waitUntil('a ping arrives', () => stalled.pending.length === 1);
  stalled.answer(200);
  const ids = await insertEvents(account, Array(40).fill('customer_created'));
  await waitUntil('deliveries are in flight', () => stalled.pending.length === 32);
  await account.worker.stop();
  const sent = stalled.received.length;
  assert.equal(sent, 33, 'each was sent once');
  assert.equal(await triesOf(account), 0, 'nothing was counted as a failure');
  const due = await account.sql<{ due: Date; attempts: number }>`
    select d.due, d.attempts from webhook_due d join webhook_subscription s on s.bucket = d.bucket and s.id = d.subscription_id where s.account_id = ${account.client.account_id}`;
  assert.equal(due.length, 40);
  assert.ok(due.every(({ due, attempts }) => due.getTime() <= Date.now() && attempts === 0));
  stalled.answerAll(200);
  t.after((await startDelivery(account)).stop);
  await waitUntil('all webhooks arrive', () => new Set(eventIds(stalled).slice(sent)).size === ids.length);
  assert.deepEqual(eventIds(stalled).slice(sent).sort(), ids.sort());
});

test('retention of webhooks delays no delivery to other subscriptions, and no event', async (t) => {
  const account = await openWorker(t, shared);
  const [mine, theirs] = [await startReceiver(t), await startReceiver(t)];
  const subscription = await subscribe(account, mine);
  await subscribe(account, theirs);
  await account.newCustomer();
  await waitUntil('both receive their webhooks', () => mine.received.length === 2 && theirs.received.length === 2);
  await waitUntil('all deliveries are stored', async () => (await dueOf(account)) === undefined);
  const border = new Date(Date.now() + 1000);
  await account.service.database.transaction(async (tx) => {
    assert.equal(await pruneSomeWebhooks(tx, idOf(subscription), border), 2);
    // Not committed: a statement that needed one of its locks would wait here until the timeout.
    await account.newCustomer();
    await waitUntil('the other subscription receives its webhooks', () => theirs.received.length === 4);
    assert.equal(mine.received.length, 2, 'its own subscription is skipped for now');
  });
  await waitUntil('its own webhooks arrive afterwards', () => mine.received.length === 4);
});

test('delivers a backlog longer than one batch completely, and nothing twice', async (t) => {
  const service = await openWorker(t, shared);
  const [all, few] = [await startReceiver(t), await startReceiver(t)];
  await subscribe(service, all);
  await subscribe(service, few, { topics: ['customer_created'] });
  // The last topic is the one that the other subscription selects.
  const ids = await insertEvents(service, [...Array(2_599).fill('customer_verified'), 'customer_created']);
  await waitUntil('all webhooks arrive', () => all.received.length >= ids.length && few.received.length > 0);
  await waitUntil('all deliveries are stored', async () => (await dueOf(service)) === undefined);
  assert.deepEqual(eventIds(all).sort(), ids.sort());
  assert.deepEqual(eventIds(few), [ids.at(-1)]);
});

test('deletes old webhooks with their attempts, and keeps new ones', async (t) => {
  const service = await openWorker(t, shared);
  const { sql, call } = service;
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver);
  await service.newCustomer();
  await waitUntil('both webhooks arrive', () => receiver.received.length === 2);
  await new Promise((resume) => setTimeout(resume, 5));
  const before = new Date();
  const kept = (await call('POST', `${subscription}/pings`)).headers.location!;
  await waitUntil('the ping arrives', async () => (await call('GET', kept)).body.attempts.length === 1);
  await waitUntil('all deliveries are stored', async () => (await dueOf(service)) === undefined);
  await prune(sql, { before });
  const list = await webhooksOf(service, subscription);
  assert.deepEqual([list.total, list._embedded.webhooks.length], [1, 1]);
  assert.equal((await sql`select 1 from webhook_attempt`).length, 1);
  await waitUntil('the events are deleted once they are in the transparency log', async () => {
    await prune(sql, { before });
    return (await call('GET', '/events')).body.total === 0;
  });
});

test('a delivery that ends while or after its webhook is deleted leaves no attempt, and a reset leaves none', async (t) => {
  const account = await openAccount(shared);
  const { call, sql, client } = account;
  let recorded = 0;
  let during: (() => Promise<void>) | undefined;
  const at = async (step: Step) => {
    if (step === 'recording') await during?.();
    if (step === 'recorded') recorded++;
  };
  t.after((await startDelivery(account, { at })).stop);
  const stalled = await startStalledReceiver(t);
  // Pings only: each day of the account's clock has a checkpoint.
  const subscription = await subscribe(account, stalled, { topics: ['customer_erased'] });
  const [bucket, id] = [bucketOf(idOf(subscription)), idOf(subscription)];
  // A token lives shorter than a webhook is kept.
  const post = async (path: string, body?: object) => {
    const answer = await call('POST', path, { token: await account.tokenOf(client), ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
  };
  const advance = () => post('/sandbox/clock', { advanceSeconds: 32 * 86_400 });
  const ping = async () => {
    await post(`${subscription}/pings`);
    await waitUntil('a ping arrives', () => stalled.pending.length === 1);
  };
  const attempts = () => sql`select 1 from webhook_attempt where subscription_id = ${id}`;

  await ping();
  await advance();
  stalled.answer(500);
  await waitUntil('the outcome is recorded', () => recorded === 1);
  const token = await account.tokenOf(client);
  assert.equal((await call('GET', `${subscription}/webhooks?status=failed`, { token })).body.total, 0);

  await ping();
  let advancing: Promise<void> | undefined;
  during = async () => {
    during = undefined;
    advancing = advance();
    await waitUntil('the deletion waits for the outcome', async () => (await countWaiting(sql)) > 0);
  };
  stalled.answer(500);
  await waitUntil('the outcome is recorded', () => recorded === 2);
  await advancing;
  assert.deepEqual(await attempts(), []);

  await ping();
  stalled.answer(500);
  await waitUntil('the outcome is recorded', () => recorded === 3);
  assert.equal((await attempts()).length, 1);
  await sql`delete from webhook where bucket = ${bucket} and subscription_id = ${id}`;
  await post('/sandbox/reset');
  assert.deepEqual(await attempts(), []);
});
