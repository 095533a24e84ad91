// Events: told once, in an order that stays, followed without a gap however transactions commit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { assertRefused, startService, type TestService } from '../../test/harness.ts';
import { newId, randomBucket } from '../ids.ts';
import { settleEvents } from './feed.ts';
import { pruneEvents } from './prune.ts';

type Listed = { id: string; topic: string; resourceId: string };

const eventsOf = (body: { _embedded: { events: Listed[] } }) => body._embedded.events;

test('what happened is there at once, newest first, each with links to what it is about', async (t) => {
  const { call, newCustomer, newLabel, reallocation, client } = await startService(t);
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

test('an account sees its own events only; an unknown one is not found', async (t) => {
  const { call, newCustomer, newClient, nowhere, client } = await startService(t);
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

/** A connection of the test's own; the end of the service's database ends it. */
async function connect(service: TestService): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Writes events the way a room does, in transactions of the test's own. */
async function openWriter(service: TestService) {
  const client = await connect(service);
  return {
    begin: () => client.query('begin'),
    async write(customerId: string): Promise<string> {
      const id = newId(bucketFor(customerId));
      await client.query(
        `insert into event (bucket, id, account_id, customer_id, topic, resource_id, created) values ($1, $2, $3, $4, 'customer_created', $4, $5)`,
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
async function follow(service: TestService, after?: string): Promise<string[]> {
  const seen: string[] = [];
  let path: string | undefined = `/events?limit=3&${after ? `after=${after}` : 'order=oldest'}`;
  while (path) {
    const { body } = await service.call('GET', path);
    seen.push(...eventsOf(body).map(({ id }) => id));
    path = body._links.next?.href;
  }
  return seen;
}

test('the cursor passes over nothing when transactions commit out of order', async (t) => {
  const service = await startService(t);
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
  assert.deepEqual(await follow(service, third), [fourth], 'the oldest transaction does not hold the feed up');
  const fifth = await a.write(customer);
  await a.commit();
  assert.deepEqual(await follow(service, fourth), [first, fifth], 'what was begun first and committed last comes last');
  assert.deepEqual(await follow(service), [second, third, fourth, first, fifth], 'the order stays');
  assert.ok(!(await follow(service)).includes(lost));
});

test('what waited for another transaction comes after it, although it began before', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const [one, two] = [await connect(service), await connect(service)];
  await service.newCustomer({ available: '1.00' });
  const lock = `select 1 from ledger_account where kind = $1 for no key update`;
  const insert = (client: pg.Client, id: string) =>
    client.query(
      `insert into event (bucket, id, account_id, customer_id, topic, resource_id, created) values (1, $1, $2, $1, 'customer_created', $1, now())`,
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

test('many writers, a follower that never stops: each committed event exactly once', async (t) => {
  const service = await startService(t);
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
  assert.equal(new Set(seen).size, seen.length, 'none twice');
  assert.deepEqual(new Set(seen), committed, 'none lost, none that was rolled back');
  assert.deepEqual(await follow(service), seen, 'the same order for who comes later');
});

test('newest first and its next links lead to the oldest; pages by offset; filters', async (t) => {
  const service = await startService(t);
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
    assertRefused(await call('GET', `/events${query}`), { status: 400, code: 'BadRequest' });
  }
});

test('a topic is searched for a stretch at a time, and next leads on', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { sql, client, call } = service;
  const customer = newId(1);
  const ids = Array.from({ length: 10_050 }, () => newId(1));
  // One of another kind at each end.
  await sql`
    insert into event (bucket, id, account_id, customer_id, topic, resource_id, created)
    select 1, id, ${client.account_id}, ${customer}, case when n in (1, 10050) then 'customer_created' else 'customer_verified' end, ${customer}, ${new Date()}
    from unnest(${ids}::uuid[]) with ordinality as e (id, n)`;
  const first = (await call('GET', '/events?topic=customer_created')).body;
  assert.deepEqual([eventsOf(first).map(({ id }) => id), first.total], [[ids.at(-1)], 1]);
  const second = (await call('GET', first._links.next.href)).body;
  assert.deepEqual(
    eventsOf(second).map(({ id }) => id),
    [ids[0]],
  );
  assert.equal(second._links.next, undefined);
  const on = (await call('GET', `/events?topic=customer_created&after=${ids[0]}`)).body;
  assert.deepEqual(eventsOf(on), []);
  assert.deepEqual(
    eventsOf((await call('GET', on._links.next.href)).body).map(({ id }) => id),
    [ids.at(-1)],
  );
});

test('old events go, positions stay without gaps, and a cursor that was left behind is told', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { sql, call, client, newCustomer } = service;
  for (let n = 0; n < 3; n++) await newCustomer();
  const all = await follow(service);
  // The last as well: it stays, as those before it do.
  await sql`update event set created = ${new Date(0)} where id = any (${[...all.slice(0, 4), all.at(-1)]})`;
  const pruned = () => pruneEvents(sql, { accountId: client.account_id, before: new Date(1), limit: 3 });
  assert.deepEqual([await pruned(), await pruned(), await pruned()], [3, 1, 0]);
  assert.deepEqual(await follow(service), all.slice(4));
  const { body } = await call('GET', '/events?limit=1');
  assert.equal(body.total, 2);
  assertRefused(await call('GET', `/events?after=${all[0]}`), { status: 404, code: 'NotFound' });
  assertRefused(await call('GET', `/events/${all[0]}`), { status: 404, code: 'NotFound' });
  await newCustomer();
  assert.equal((await follow(service, all.at(-1))).length, 2);
});

test('a database restored into a server that counts transactions anew goes on', async (t) => {
  const service = await startService(t, { env: { DELIVER_WEBHOOKS: 'false' } });
  const { sql, newCustomer } = service;
  await newCustomer();
  const before = await follow(service);
  // What a dump brings: numbers of transactions that this server has not reached, and one event that was not settled there.
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
