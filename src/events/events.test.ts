// Tests of events: order, paging, and delivery without gaps while transactions commit concurrently.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { assertRefused } from '../../test/support/http.ts';
import { startService, type TestService } from '../../test/support/service.ts';
import { newId, randomBucket } from '../ids.ts';
import { settleEvents, settleSome } from './feed.ts';
import { deleteOldest, pruneEvents, pruneSomeEvents } from './prune.ts';

/** Each test uses its own account, unless it changes shared data. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false' } });

type Account = Pick<TestService, 'databaseUrl' | 'sql' | 'call' | 'client' | 'newCustomer' | 'newLabel' | 'reallocation'>;

const newAccount = async (): Promise<Account> => ({ ...shared, ...(await shared.newPlatform()) });

type Listed = { id: string; topic: string; resourceId: string };

const eventsOf = (body: { _embedded: { events: Listed[] } }) => body._embedded.events;

test('lists events immediately, newest first, with links to their resources', async () => {
  const { call, newCustomer, newLabel, reallocation, client } = await newAccount();
  const customer = await newCustomer({ available: '100.00' });
  const [from, to] = [await newLabel(customer, '50.00'), await newLabel(customer)];
  const made = await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
  const { body } = await call('GET', '/events');
  assert.deepEqual(
    eventsOf(body).map(({ topic }) => topic),
    [
      'customer_label_reallocation_created',
      'customer_label_created',
      'customer_label_ledger_entry_created',
      'customer_label_created',
      'customer_deposit_created',
      'customer_verified',
      'customer_created',
    ],
  );
  assert.equal(body.total, 7);
  const [event] = body._embedded.events;
  assert.equal(event._links.resource.href, made.headers.location);
  assert.equal(event._links.resource['resource-type'], 'label-reallocation');
  assert.equal(event._links.customer.href, customer);
  assert.match(event._links.account.href, new RegExp(`/accounts/${client.account_id}$`));
  assert.deepEqual((await call('GET', event._links.self.href)).body, event);
  assert.equal((await call('GET', event._links.resource.href)).status, 200);
  for (const { _links } of body._embedded.events) assert.equal((await call('GET', _links.resource.href)).status, 200);
});

test('an account sees only its own events; a missing one is not found', async () => {
  const { newClient, nowhere } = shared;
  const { call, newCustomer, client } = await newAccount();
  await newCustomer();
  const [event] = (await call('GET', '/events')).body._embedded.events;
  const other = await newClient();
  assert.equal((await call('GET', '/events', { token: other.token })).body.total, 0);
  assertRefused(await call('GET', event._links.self.href, { token: other.token }), { status: 403, code: 'Forbidden' });
  assertRefused(await call('GET', `/events?after=${event.id}`, { token: other.token }), { status: 404, code: 'NotFound' });
  assertRefused(await call('GET', nowhere('event')), { status: 404, code: 'NotFound' });
  const blind = await newClient(['write'], client.account_id);
  assertRefused(await call('GET', '/events', { token: blind.token }), { status: 403, code: 'Forbidden' });
});

/** A connection of the test; it ends when the database of the service ends it. */
async function connect(service: Account): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Writes events as a resource module does, in transactions of the test. */
async function openWriter(service: Account) {
  const client = await connect(service);
  return {
    begin: () => client.query('begin'),
    async write(customerId: string): Promise<string> {
      const id = newId(bucketFor(customerId));
      await client.query(
        `insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created) values ($1, $2, $3, $4, 'customer_created', $4, $5)`,
        [bucketFor(customerId), id, service.client.account_id, customerId, new Date()],
      );
      return id;
    },
    commit: () => client.query('commit'),
    rollback: () => client.query('rollback'),
    end: () => client.end(),
  };
}

const bucketFor = (id: string) => Number.parseInt(id.slice(15, 18), 16);

/** Follows the feed from an event, or from the start. */
async function follow(service: Account, after?: string): Promise<string[]> {
  const seen: string[] = [];
  let path: string | undefined = `/events?limit=3&${after ? `after=${after}` : 'order=oldest'}`;
  while (path) {
    const { body } = await service.call('GET', path);
    seen.push(...eventsOf(body).map(({ id }) => id));
    path = body._links.next?.href;
  }
  return seen;
}

test('a cursor skips nothing when transactions commit out of order', async () => {
  const service = await newAccount();
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
  const service = await newAccount();
  const [one, two] = [await connect(service), await connect(service)];
  await service.newCustomer({ available: '1.00' });
  const lock = `select 1 from ledger_account where account_id = '${service.client.account_id}' and kind = $1 for no key update`;
  const insert = (client: pg.Client, id: string) =>
    client.query(
      `insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created) values (1, $1, $2, $1, 'customer_created', $1, now())`,
      [id, service.client.account_id],
    );
  const [early, late] = [newId(1), newId(1)];
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
  const service = await newAccount();
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

test('lists newest first to the oldest by next links, in pages by offset, and filtered', async () => {
  const service = await newAccount();
  const { call, newCustomer, newLabel } = service;
  const customer = await newCustomer({ available: '100.00' });
  for (let n = 0; n < 5; n++) await newLabel(customer);
  const oldest = await follow(service);
  const newest: string[] = [];
  for (let path: string | undefined = '/events?limit=3'; path; ) {
    const { body } = await call('GET', path);
    newest.push(...eventsOf(body).map(({ id }) => id));
    assert.equal(body.total, 8);
    path = body._links.next?.href;
  }
  assert.deepEqual(newest, oldest.toReversed());
  const second = (await call('GET', '/events?limit=3&offset=3')).body;
  assert.deepEqual(
    eventsOf(second).map(({ id }) => id),
    newest.slice(3, 6),
  );
  const labels = (await call('GET', '/events?topic=customer_label_created&limit=2')).body;
  assert.deepEqual([labels.total, eventsOf(labels).length], [5, 2]);
  const rest = (await call('GET', labels._links.next.href)).body;
  assert.ok(eventsOf(rest).every(({ topic }) => topic === 'customer_label_created'));
  assert.deepEqual(
    eventsOf(rest).map(({ id }) => id),
    eventsOf((await call('GET', '/events?topic=customer_label_created')).body)
      .map(({ id }) => id)
      .slice(2, 4),
  );
  const about = (await call('GET', `/events?resourceId=${customer.split('/').at(-1)}`)).body;
  assert.deepEqual(
    eventsOf(about).map(({ topic }) => topic),
    ['customer_verified', 'customer_created'],
  );
  const after = (await call('GET', `/events?resourceId=${customer.split('/').at(-1)}&after=${eventsOf(about)[1]!.id}`)).body;
  assert.deepEqual(eventsOf(after), [eventsOf(about)[0]]);
  const gone = (await call('GET', `/events?after=${newest[0]}`)).body;
  assert.deepEqual([eventsOf(gone), gone._links.next], [[], undefined]);
  for (const query of ['?topic=nothing', '?after=7', '?order=up', '?resourceId=x', '?limit=0']) {
    assertRefused(await call('GET', `/events${query}`), { status: 400, code: 'ValidationError' });
  }
});

/** Writes events of an account in one transaction, one for each topic in order, all about `resource` or each about another. */
async function insertEvents({ sql, client }: Account, topics: string[], resource?: string): Promise<string[]> {
  const ids = topics.map(() => newId(1));
  await sql`
    insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created)
    select 1, id, ${client.account_id}, coalesce(${resource}, id), topic, coalesce(${resource}, id), ${new Date()}
    from unnest(${ids}::uuid[], ${topics}::text[]) as e (id, topic)`;
  return ids;
}

test('lists the events of a topic, also from the middle of a page', async () => {
  const account = await newAccount();
  const topics = Array.from({ length: 60 }, (_, n) =>
    n % 5 === 2 ? 'customer_created' : n % 2 ? 'customer_verified' : 'customer_suspended',
  );
  const ids = [...(await insertEvents(account, topics.slice(0, 23))), ...(await insertEvents(account, topics.slice(23)))];
  const created = ids.filter((_, n) => topics[n] === 'customer_created');
  const list = async (query: string) => {
    const { body } = await account.call('GET', `/events?topic=customer_created&limit=3${query}`);
    return { ids: eventsOf(body).map(({ id }) => id), total: body.total, next: body._links.next?.href };
  };
  const newest = created.toReversed();
  for (let offset = 0; offset <= created.length; offset++) {
    assert.deepEqual((await list(`&offset=${offset}`)).ids, newest.slice(offset, offset + 3));
    assert.deepEqual((await list(`&order=oldest&offset=${offset}`)).ids, created.slice(offset, offset + 3));
  }
  // After any event, also of another topic.
  for (const [n, id] of ids.entries()) {
    const [before, behind] = [ids.slice(0, n), ids.slice(n + 1)].map((some) => created.filter((one) => some.includes(one)));
    assert.deepEqual((await list(`&after=${id}`)).ids, behind!.slice(0, 3));
    assert.deepEqual((await list(`&order=newest&after=${id}`)).ids, before!.toReversed().slice(0, 3));
  }
  const first = await list('');
  assert.equal(first.total, created.length);
  assert.deepEqual((await account.call('GET', first.next)).body._embedded.events[0].id, newest[3]);
  await pruneSomeEvents(account.sql, { accountId: account.client.account_id, before: new Date(Date.now() + 1000), limit: 20 });
  const { ids: left, total } = await list('&order=oldest');
  assert.deepEqual([left, total], [created.slice(4, 7), created.length - 4]);
});

test('lists the events about a resource, of one topic or of all', async () => {
  const account = await newAccount();
  const resource = newId(1);
  const mine = await insertEvents(
    account,
    ['customer_created', 'customer_suspended', 'customer_activated', 'customer_suspended'],
    resource,
  );
  await insertEvents(account, ['customer_suspended', 'customer_created']);
  const list = async (query: string) => {
    const { body } = await account.call('GET', `/events?resourceId=${resource}${query}`);
    return [eventsOf(body).map(({ id }) => id), body.total];
  };
  assert.deepEqual(await list(''), [mine.toReversed(), 4]);
  assert.deepEqual(await list('&order=oldest&offset=1&limit=2'), [mine.slice(1, 3), 4]);
  assert.deepEqual(await list('&topic=customer_suspended'), [[mine[3], mine[1]], 2]);
  assert.deepEqual(await list('&topic=customer_verified'), [[], 0]);
  assert.deepEqual(await list(`&after=${mine[1]}`), [mine.slice(2), 4]);
  assert.deepEqual(await list(`&order=newest&after=${mine[1]}`), [[mine[0]], 4]);
  const other = await newAccount();
  assert.equal((await other.call('GET', `/events?resourceId=${resource}`)).body.total, 0);
});

test('deletes old events without gaps in the positions, and refuses a cursor before the oldest', async () => {
  const service = await newAccount();
  const { sql, call, client, newCustomer } = service;
  for (let n = 0; n < 3; n++) await newCustomer();
  const all = await follow(service);
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
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { sql, client } = service;
  await settleEvents(sql);
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
    `insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created) values (1, $1, $2, $1, 'customer_created', $1, now())`,
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
async function listSettled({ sql, client }: Account): Promise<{ elements: string[] }> {
  const rows = await sql<{ eventId: string }>`
    select event_id from event_feed where account_id = ${client.account_id} order by position`;
  return { elements: rows.map(({ eventId }) => eventId) };
}

test('with many writers and the smallest steps, each event appears once, after those it waited for', async () => {
  const account = await newAccount();
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
      const id = newId(bucketFor(customer));
      await client.query(
        `insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created) values ($1, $2, $3, $2, 'customer_created', $2, $4)`,
        [bucketFor(customer), id, account.client.account_id, new Date()],
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

test('a database restored into a server with lower transaction ids continues the feed', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { sql, newCustomer } = service;
  await newCustomer();
  const before = await follow(service);
  // What a dump contains: transaction ids that this server has not reached, and one event that was not settled.
  await sql`update event set xid = '900000000000'`;
  await sql`update event_cursor set snapshot = '900000000001:900000000001:'`;
  await newCustomer();
  await sql`update event set xid = '900000000002' where xid <> '900000000000' and topic = 'customer_created'`;
  const after = await follow(service);
  assert.deepEqual(after.slice(0, 2), before);
  assert.equal(after.length, 4);
  await newCustomer();
  assert.equal((await follow(service)).length, 6);
  assert.equal(await settleEvents(sql), 0);
});
