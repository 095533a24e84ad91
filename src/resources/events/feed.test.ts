// Tests of the event feed: nothing is skipped while transactions commit concurrently, and old events are deleted.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { clusterPorts } from '../../../test/cluster/databases.ts';
import { makeDatabase } from '../../../test/support/database.ts';
import { follow, insertEvents } from '../../../test/support/events.ts';
import { assertRefused, idOf } from '../../../test/support/http.ts';
import { coveredLog } from '../../../test/support/logs.ts';
import { openAccount, startService, type TestService } from '../../../test/support/service.ts';
import { bucketOf, newId, randomBucket } from '../../core/ids.ts';
import { settleEvents, settleSome } from '../../ledger/feed/feed.ts';
import { deleteOldest, pruneEvents, pruneSomeEvents } from '../../ledger/feed/prune.ts';
import { openDatabase } from '../../platform/db/sql.ts';

/** Each test uses its own account, unless it changes shared data. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false' } });

/** The database of a service or of a test, and an account. */
type Store = Pick<TestService, 'sql' | 'databaseUrl'> & { client: { account_id: string } };

/** A connection of the test; it ends when the database of the service ends it. */
async function connect(service: Store): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Writes events as a resource module does, in transactions of the test. */
async function openWriter(service: Store) {
  const client = await connect(service);
  return {
    begin: () => client.query('begin'),
    async write(customerId: string): Promise<string> {
      const id = newId(bucketOf(customerId));
      await client.query(
        `insert into event_outbox (bucket, ids, account_id, topic, created) values (outbox_bucket($1), array[[$2], [$4], [$4]]::uuid[], $3, 'customer_created', $5)`,
        [bucketOf(customerId), id, service.client.account_id, customerId, new Date()],
      );
      return id;
    },
    commit: () => client.query('commit'),
    rollback: () => client.query('rollback'),
    end: () => client.end(),
  };
}

test('a cursor skips nothing when transactions commit out of order', async () => {
  const service = await openAccount(shared);
  const customer = newId(randomBucket());
  const [a, b, c] = [await openWriter(service), await openWriter(service), await openWriter(service)];
  await a.begin();
  const first = await a.write(customer);
  await b.begin();
  const second = await b.write(customer);
  await c.begin();
  const lost = await c.write(customer);
  const third = await b.write(customer);
  assert.deepEqual(await follow(service), [], 'nothing is committed');
  await b.commit();
  assert.deepEqual(await follow(service), [second, third]);
  await c.rollback();
  await b.begin();
  const fourth = await b.write(customer);
  await b.commit();
  assert.deepEqual(await follow(service, third), [fourth], 'the oldest transaction does not delay the feed');
  const fifth = await a.write(customer);
  await a.commit();
  assert.deepEqual(
    await follow(service, fourth),
    [first, fifth],
    'an event of a transaction that started first and committed last comes last',
  );
  assert.deepEqual(await follow(service), [second, third, fourth, first, fifth], 'the order does not change');
  assert.ok(!(await follow(service)).includes(lost));
});

test('an event that waited for another transaction comes after its events, although it started before', async () => {
  const service = await openAccount(shared);
  const [one, two] = [await connect(service), await connect(service)];
  const customer = idOf(await service.newCustomer({ available: '1.00' }));
  const bucket = bucketOf(customer);
  const lock = `select 1 from ledger_account where bucket = ${bucket} and customer_id = '${customer}' and kind = $1 for no key update`;
  const insert = (client: pg.Client, id: string) =>
    client.query(
      `insert into event_outbox (bucket, ids, account_id, topic, created) values (outbox_bucket(${bucket}), array[[$1], [$1], [$1]]::uuid[], $2, 'customer_created', now())`,
      [id, service.client.account_id],
    );
  const [early, late] = [newId(bucket), newId(bucket)];
  await one.query('begin');
  await one.query(lock, ['external']);
  await two.query('begin');
  await two.query(lock, ['available']);
  const waiting = one.query(lock, ['available']).then(() => insert(one, early));
  await insert(two, late);
  await two.query('commit');
  await waiting;
  await one.query('commit');
  const seen = await follow(service);
  assert.deepEqual(seen.slice(-2), [late, early]);
});

test('a concurrent follower sees each committed event of many writers exactly once', async () => {
  const service = await openAccount(shared);
  const customers = Array.from({ length: 4 }, () => newId(randomBucket()));
  const committed = new Set<string>();
  let writing = true;
  const writers = customers
    .flatMap((customer) => [customer, customer])
    .map(async (customer) => {
      const writer = await openWriter(service);
      for (let n = 0; n < 40; n++) {
        await writer.begin();
        const ids: string[] = [];
        for (let k = 0; k <= Math.random() * 3; k++) ids.push(await writer.write(customer));
        await new Promise((resume) => setTimeout(resume, Math.random() * 8));
        if (Math.random() < 0.2) await writer.rollback();
        else {
          await writer.commit();
          for (const id of ids) committed.add(id);
        }
      }
      await writer.end();
    });
  const follower = (async () => {
    const seen: string[] = [];
    for (let last: string[] = []; writing || last.length > 0; ) {
      last = await follow(service, seen.at(-1));
      seen.push(...last);
    }
    return seen;
  })();
  await Promise.all(writers);
  writing = false;
  const seen = await follower;
  assert.equal(new Set(seen).size, seen.length, 'no event twice');
  assert.deepEqual(new Set(seen), committed, 'no committed event lost, no rolled back event shown');
  assert.deepEqual(await follow(service), seen, 'a later follower sees the same order');
});

test('deletes old events without gaps in the positions, and refuses a cursor before the oldest', async () => {
  const service = await openAccount(shared);
  const { sql, call, client, newCustomer } = service;
  for (let n = 0; n < 3; n++) await newCustomer();
  const all = await follow(service);
  await coveredLog(service);
  // All are deleted, the last as well; its position is kept.
  await sql`update event set created = ${new Date(0)} where id = any (${[...all.slice(0, 4), all.at(-1)]})`;
  const pruned = () => pruneSomeEvents(sql, { accountId: client.account_id, before: new Date(1), limit: 3 });
  assert.deepEqual([await pruned(), await pruned(), await pruned()], [3, 1, 0]);
  assert.deepEqual(await follow(service), all.slice(4));
  const { body } = await call('GET', '/events?limit=1');
  assert.equal(body.total, 2);
  assertRefused(await call('GET', `/events?after=${all[0]}`), { status: 404, code: 'NotFound' });
  assertRefused(await call('GET', `/events/${all[0]}`), { status: 404, code: 'NotFound' });
  await newCustomer();
  assert.equal((await follow(service, all.at(-1))).length, 2);
});

test('retention does not block writers of events', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { sql, call, client, newCustomer, newLabel, reallocation, service: inside } = service;
  const customer = await newCustomer({ available: '10.00' });
  const [from, to] = [await newLabel(customer, '5.00'), await newLabel(customer)];
  const old = (await call('GET', '/events')).body.total;
  await coveredLog(service);
  const border = new Date(Date.now() + 1000);
  await inside.database.transaction(async (tx) => {
    assert.equal(await deleteOldest(tx, { accountId: client.account_id, before: border, limit: 1000 }), old);
    // The batch is not committed yet: a writer that needed one of its locks would wait here until the timeout.
    assert.equal((await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') })).status, 201);
    assert.equal((await call('POST', customer, { body: { status: 'suspended' } })).status, 200);
    assert.equal((await call('GET', '/events')).body.total, old + 2, 'settled while retention runs');
  });
  assert.equal((await call('GET', '/events')).body.total, 2);
  assert.equal(await pruneEvents(sql, { before: new Date(0) }), 0);
});

test('settles a backlog in limited steps, in the order of commits', async (t) => {
  // A database without a service, which would settle events, too.
  const databaseUrl = await makeDatabase(t);
  const database = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  t.after(database.close);
  const { sql } = database;
  const service = { sql, databaseUrl, client: { account_id: newId(0) } };
  const { client } = service;
  const slow = await connect(service);
  await slow.query('begin');
  // Gets its number before all others and commits after them.
  await slow.query('select pg_current_xact_id()');
  const wanted: string[] = [];
  for (let n = 0; n < 6; n++) wanted.push(...(await insertEvents(service, ['customer_created', 'customer_verified'])));
  const open = await openWriter(service);
  await open.begin();
  const last = await open.write(newId(1));
  const late = newId(1);
  await slow.query(
    `insert into event_outbox (bucket, ids, account_id, topic, created) values (outbox_bucket(1), array[[$1], [$1], [$1]]::uuid[], $2, 'customer_created', now())`,
    [late, client.account_id],
  );
  await slow.query('commit');
  wanted.push(late, ...(await insertEvents(service, ['customer_created'])));
  const steps: number[] = [];
  for (let more = true; more; ) {
    const step = await settleSome(sql, 3);
    more = step.more;
    steps.push(step.settled);
    const { elements } = await listSettled(service);
    assert.deepEqual(elements, wanted.slice(0, elements.length), 'settled events keep the order of commits');
  }
  assert.ok(steps.length >= 4 && steps.every((settled) => settled <= 5), String(steps));
  await open.commit();
  assert.equal(await settleEvents(sql, 1), 1);
  assert.deepEqual((await listSettled(service)).elements, [...wanted, last]);
  assert.equal(await settleEvents(sql), 0);
});

/** The settled events of the feed. */
async function listSettled({ sql, client }: Store): Promise<{ elements: string[] }> {
  const rows = await sql<{ id: string }>`
    select id from event where account_id = ${client.account_id} order by position`;
  return { elements: rows.map(({ id }) => id) };
}

test('with many writers and the smallest steps, each event appears once, after those it waited for', async () => {
  const account = await openAccount(shared);
  const customer = newId(randomBucket());
  const key = Number.parseInt(customer.slice(-8), 16) % 1_000_000;
  const order: string[] = [];
  let writing = true;
  const writers = Array.from({ length: 6 }, async (_, n) => {
    const client = await connect(account);
    for (let k = 0; k < 25; k++) {
      await client.query('begin');
      await client.query('select pg_current_xact_id()');
      if (n % 2) await new Promise((resume) => setTimeout(resume, Math.random() * 5));
      // From here on one after the other, as writers that change the same customer.
      await client.query('select pg_advisory_xact_lock($1)', [key]);
      const id = newId(bucketOf(customer));
      await client.query(
        `insert into event_outbox (bucket, ids, account_id, topic, created) values (outbox_bucket($1), array[[$2], [$2], [$2]]::uuid[], $3, 'customer_created', $4)`,
        [bucketOf(customer), id, account.client.account_id, new Date()],
      );
      order.push(id);
      await client.query('commit');
    }
    await client.end();
  });
  const settling = (async () => {
    while (writing) await settleSome(account.sql, 2);
  })();
  await Promise.all(writers);
  writing = false;
  await settling;
  assert.deepEqual(await follow(account), order);
});

test('an event that retention deleted does not come back', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { sql, client } = service;
  await insertEvents(service, ['customer_created', 'customer_verified']);
  await coveredLog(service);
  const before = new Date(Date.now() + 1000);
  assert.equal(await pruneSomeEvents(sql, { accountId: client.account_id, before, limit: 10 }), 2);
  assert.deepEqual(await follow(service), []);
});

const noLow = clusterPorts && 'a cluster does not use `low`, which this is about';

test('events that were written while the clock was ahead, or behind, are settled within a minute', { skip: noLow }, async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { sql } = service;
  const before = await follow(service);
  await sql`update event_cursor set low = now() + interval '1 hour', swept = now()`;
  const ids = await insertEvents(service, ['customer_created', 'customer_verified']);
  assert.equal(await settleEvents(sql), 0, 'they seem to be older than what is settled');
  await sql`update event_cursor set swept = now() - interval '61 seconds'`;
  assert.deepEqual(await follow(service), [...before, ...ids]);
  const later = await insertEvents(service, ['customer_created']);
  assert.deepEqual(await follow(service, ids.at(-1)), later);
});
