// Tests of a reset that runs concurrently with writes to the same account.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { reallocation } from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { idOf } from '../../../test/support/http.ts';
import { countWaiting, untilWaiting } from '../../../test/support/locks.ts';
import { picture } from '../../../test/support/pictures.ts';
import { assertSoundLedger } from '../../../test/support/sound-ledger.ts';
import { openUploads } from '../../../test/support/uploads.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { bucketOf } from '../../core/ids.ts';
import { fragment, identifier, type Sql } from '../../platform/db/sql.ts';
import { verifyLedger } from '../service/ledger-check.ts';

// Each write of the test waits on its own connection.
const service = await openUploads({ after }, { env: { DELIVER_WEBHOOKS: 'false', POOL_SIZE: '60' } });
const SETTLE_MS = 300;
const DAY_SECONDS = 86_400;
let requests = 0;
const newKey = () => `key-${requests++}`;
const amount = (value: string, currency = 'USD') => ({ amount: { value, currency } });
const address = { address1: '1 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US', postalCode: '62701' };
const person = { lastName: 'Example', dateOfBirth: '1979-11-30', ssn: '912-65-4329', address };

const monthly = (from: string, to: string) => ({
  ...reallocation(from, to, '1'),
  rule: 'FREQ=MONTHLY;BYMONTHDAY=1',
  start: '2050-01-01T09:00:00',
  timeZone: 'UTC',
});
const holding = (from: string, value: string) => ({ _links: { from: { href: from } }, ...amount(value) });
const sharing = (label: string) => ({ name: 'Set aside', steps: [{ label: { href: label }, percent: '10' }] });

/** An account with one of every resource that can be written to. */
async function open() {
  const { call, newPlatform } = service;
  const { token, client } = await newPlatform();
  const post = (path: string, body?: unknown, key?: string) =>
    call('POST', path, { token, ...(body !== undefined && { body }), ...(key && { key }) });
  const made = async (path: string, body?: unknown) => {
    const answer = await post(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  };
  const customer = await service.newCustomer({}, token);
  await made(`${customer}/deposits`, amount('100'));
  const [from, to, empty] = [
    await made(`${customer}/labels`, amount('10')),
    await made(`${customer}/labels`, amount('0')),
    await made(`${customer}/labels`, amount('0')),
  ];
  const deposit = await made(`${customer}/deposits`, amount('1'));
  const schedule = await made(`${customer}/schedules`, monthly(from, to));
  const hold = await made(`${customer}/holds`, holding(from, '1'));
  const rule = await made(`${customer}/allocation-rules`, sharing(to));
  const monitor = await made(`${from}/monitors`, { below: amount('5').amount });
  const owner = await service.newOwner({}, { customer, token });
  const incomplete = await service.newOwner({ firstName: 'incomplete' }, { customer, token });
  const document = await service.submitted(owner, { token });
  const subscription = await made('/webhook-subscriptions', { url: 'https://example.com/hook', secret: 'a secret of mine' });
  const webhook = await made(`${subscription}/pings`);
  return {
    ...{ token, client, post, customer, from, to, empty, deposit, schedule, hold, rule, monitor },
    ...{ owner, incomplete, document, subscription, webhook },
  };
}

type Account = Awaited<ReturnType<typeof open>>;

type Write = (account: Account) => Promise<{ status: number; text: string }>;

/** Every kind of write, by name. */
const writes: Record<string, Write> = {
  'create a customer': ({ post }) =>
    post('/customers', { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com' }),
  'create a customer under a key': ({ post }) =>
    post(
      '/customers',
      { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com', externalId: newKey() },
      newKey(),
    ),
  'change a customer': ({ post, customer }) => post(customer, { website: 'https://example.com' }),
  'suspend a customer': ({ post, customer }) => post(customer, { status: 'suspended' }),
  deposit: ({ post, customer }) => post(`${customer}/deposits`, amount('1')),
  'deposit under a key': ({ post, customer }) => post(`${customer}/deposits`, amount('1'), 'key'),
  'deposit in a new currency': ({ post, customer }) => post(`${customer}/deposits`, amount('1', 'EUR')),
  withdraw: ({ post, customer }) => post(`${customer}/withdrawals`, amount('1')),
  'return a deposit': ({ post, deposit }) => post(`${deposit}/returns`, { reason: 'R01' }, newKey()),
  'create a label': ({ post, customer }) => post(`${customer}/labels`, amount('0')),
  'create a label with money': ({ post, customer }) => post(`${customer}/labels`, amount('1'), 'label'),
  'remove a label': ({ token, empty }) => service.call('DELETE', empty, { token }),
  'create a ledger entry': ({ post, from }) => post(`${from}/ledger-entries`, amount('1')),
  reallocate: ({ post, from, to }) => post('/label-reallocations', reallocation(from, to, '1')),
  'reallocate in an independent batch': ({ post, from, to }) =>
    post('/label-reallocation-batches', { mode: 'independent', items: [reallocation(from, to, '1')] }, newKey()),
  'reallocate in an atomic batch': ({ post, from, to }) =>
    post('/label-reallocation-batches', { mode: 'atomic', items: [reallocation(from, to, '1')] }),
  'rename a label': ({ post, to }) => post(to, { name: newKey() }, newKey()),
  'hold money': ({ post, customer, from }) => post(`${customer}/holds`, holding(from, '0.01'), newKey()),
  'release a hold': ({ post, hold }) => post(`${hold}/releases`, undefined, newKey()),
  'create a schedule': ({ post, customer, from, to }) => post(`${customer}/schedules`, monthly(from, to), newKey()),
  'change a schedule': ({ post, schedule }) => post(schedule, { reference: 'changed' }, newKey()),
  'change an allocation rule': ({ post, rule, to }) => post(rule, sharing(to), newKey()),
  'preview an allocation': ({ post, customer }) => post(`${customer}/allocation-rules/preview`, amount('1'), newKey()),
  'create a monitor': ({ post, from }) => post(`${from}/monitors`, { below: amount('5').amount }, newKey()),
  'remove a monitor': ({ token, monitor }) => service.call('DELETE', monitor, { token }),
  'create an owner': ({ post, customer }) => post(`${customer}/beneficial-owners`, { firstName: 'Ada', ...person }),
  'change an owner': ({ post, incomplete }) => post(incomplete, { firstName: 'incomplete' }),
  'remove an owner': ({ token, owner }) => service.call('DELETE', owner, { token }),
  certify: ({ post, customer }) => post(`${customer}/beneficial-ownership`, { status: 'certified' }),
  'submit a document': async ({ token, owner }) => service.submit(owner, { token, file: await picture('png', 8, 8) }),
  'decide on a document': ({ post, document }) => post(`${document}/reviews`, { decision: 'accepted' }),
  subscribe: ({ post }) => post('/webhook-subscriptions', { url: 'https://example.com/hook', secret: 'a secret of mine' }),
  'pause a subscription': ({ post, subscription }) => post(subscription, { paused: true }),
  'rotate a secret': ({ post, subscription }) => post(`${subscription}/secrets`, { secret: 'another secret' }),
  'remove a subscription': ({ token, subscription }) => service.call('DELETE', subscription, { token }),
  ping: ({ post, subscription }) => post(`${subscription}/pings`),
  'retry a webhook': ({ post, webhook }) => post(`${webhook}/retries`),
  'plan a fault': ({ post }) => post('/sandbox/faults', { operation: 'getRoot', status: 503 }),
  'move the clock': ({ post }) => post('/sandbox/clock', { advanceSeconds: 60 }),
  'reset again': ({ post }) => post('/sandbox/reset'),
};

/** The answer to a write. On a busy machine it may wait for others for longer than a request may take, and is repeated. */
function answerTo(write: Write, account: Account) {
  return waitUntil('the write is answered', async () => {
    const answer = await write(account);
    return answer.status !== 503 && answer;
  });
}

/** Locks a row that a reset deletes, starts the reset, runs `beside` once it waits, and then releases the lock. */
async function resetBeside<T>(account: Account, lock: (tx: Sql) => Promise<unknown>, beside: () => Promise<T>): Promise<T> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: begin } = Promise.withResolvers<void>();
  const holder = service.service.database.transaction(async (tx) => {
    await lock(tx);
    begin();
    await released;
  });
  await locked;
  const reset = account.post('/sandbox/reset');
  await waitUntil('the reset waits for a lock', async () => (await countWaiting(service.sql)) > 0);
  const others = beside();
  await new Promise((resume) => setTimeout(resume, SETTLE_MS));
  release();
  await holder;
  const { status, text } = await reset;
  assert.equal(status, 200, text);
  return others;
}

/** Asserts that every rule of the ledger check holds, and that no row of a customer is there without the customer. */
async function assertNothingLeft(): Promise<void> {
  const { sql, service: checked } = service;
  await assertSoundLedger(checked.database);
  const tables = [
    'transfer',
    'ledger_account',
    'beneficial_owner',
    'document',
    'hold',
    'schedule',
    'allocation_rule',
    'balance_monitor',
  ];
  const ofCustomers = tables.map(
    (table) => fragment`
      select ${table} as what from ${identifier(table)} r
      where not exists (select 1 from customer c where c.bucket = r.bucket and c.id = r.customer_id)`,
  );
  const left = await sql`
    ${ofCustomers.reduce((all, one) => fragment`${all} union all ${one}`)}
    union all select 'webhook' from webhook w where not exists (select 1 from webhook_subscription s where s.bucket = w.bucket and s.id = w.subscription_id)
    union all select 'due' from webhook_due d where not exists (select 1 from webhook w where w.bucket = d.bucket and w.id = d.webhook_id)
    union all select 'retry' from webhook_retry r where not exists (select 1 from webhook w where w.bucket = r.bucket and w.id = r.webhook_id)`;
  assert.deepEqual(left, []);
}

test('every kind of write that is concurrent with the reset is answered and leaves nothing behind', async () => {
  const account = await open();
  const answers = await resetBeside(
    account,
    (tx) => tx`select 1 from event_cursor for update`,
    () => Promise.all(Object.entries(writes).map(async ([name, write]) => ({ name, ...(await answerTo(write, account)) }))),
  );
  const wrong = answers.filter(({ status }) => ![200, 201, 404].includes(status));
  assert.deepEqual(
    wrong.map(({ name, status, text }) => `${name}: ${status} ${text}`),
    [],
  );
  await assertNothingLeft();
});

test('all kinds of writes run concurrently with resets', async () => {
  const { sql } = service;
  for (const part of [0, 1, 2]) {
    const account = await open();
    let over = false;
    const writing = Object.entries(writes).map(async ([name, write], place) => {
      while (!over && place % 3 === part) {
        const { status, text } = await answerTo(write, account);
        // Before the reset a write may be refused for an effect of another: a customer is suspended, a document is decided.
        assert.ok(status < 500, `${name}: ${status} ${text}`);
      }
    });
    const reset = () => waitUntil('the account is reset', async () => (await account.post('/sandbox/reset')).status === 200);
    await Promise.all([reset().finally(() => (over = true)), ...writing]);
    await assertNothingLeft();
    await reset();
    assert.deepEqual(await sql`select 1 from ${await allEvents(sql)} where account_id = ${account.client.account_id}`, []);
  }
});

test('a batch whose items are posted before a reset is deleted by it', async () => {
  const account = await open();
  const { database } = service.service;
  const id = idOf(account.from);
  const items = [reallocation(account.from, account.to, '1')];
  const { batch, reset } = await database.transaction(async (inTheWay) => {
    const { batch } = await database.transaction(async (tx) => {
      await tx`select 1 from ledger_account where bucket = ${bucketOf(id)} and id = ${id} for update`;
      const batch = account.post('/label-reallocation-batches', { mode: 'independent', items }, newKey());
      await untilWaiting(service.sql, 1);
      // The row of the batch waits for one with its id.
      const accountId = account.client.account_id;
      const [key] = await inTheWay<{ bucket: number; resourceId: string }>`
        select bucket, resource_id from idempotency_key where status is null and account_id = ${accountId}`;
      await inTheWay`
        insert into label_reallocation_batch (bucket, id, account_id, mode, created, results, withdrawals)
        values (${key!.bucket}, ${key!.resourceId}, ${accountId}, 'independent', now(), '[]', '[]')`;
      return { batch };
    });
    await waitUntil(
      'the item is posted',
      async () => (await service.call('GET', account.to, account)).body.amount.value === '1.00',
    );
    await untilWaiting(service.sql, 1);
    const reset = account.post('/sandbox/reset');
    let isOver = false;
    reset.then(() => (isOver = true));
    await waitUntil('the reset waits, or does not', async () => isOver || (await countWaiting(service.sql)) === 2);
    await inTheWay`delete from label_reallocation_batch where account_id = ${account.client.account_id}`;
    return { batch, reset };
  });
  assert.equal((await reset).status, 200);
  const { status, headers } = await batch;
  assert.ok([201, 404].includes(status), `${status}`);
  if (status === 201) assert.equal((await service.call('GET', headers.location!, account)).status, 404);
  await assertNothingLeft();
});

test('the key of a change that a reset waits for is deleted', async () => {
  const account = await open();
  const id = idOf(account.schedule);
  const { change, reset } = await service.service.database.transaction(async (tx) => {
    await tx`select 1 from schedule where bucket = ${bucketOf(id)} and id = ${id} for update`;
    const change = account.post(account.schedule, { reference: 'changed' }, newKey());
    await untilWaiting(service.sql, 1);
    const reset = account.post('/sandbox/reset');
    await untilWaiting(service.sql, 2);
    return { change, reset };
  });
  assert.deepEqual([(await change).status, (await reset).status], [200, 200]);
  await assertNothingLeft();
});

test('a checkpoint that is announced beside a reset leaves no event', async () => {
  const account = await open();
  const { sql } = service;
  const { account_id: accountId } = account.client;
  await waitUntil('the log has the events', async () => {
    const [log] = await sql`select 1 from transparency_log where account_id = ${accountId} and size > announced_size + 1`;
    return log;
  });
  const reset = await service.service.database.transaction(async (tx) => {
    await tx`lock table log_announcement in share mode`;
    await sql`update transparency_log set announced = announced - interval '1 day' where account_id = ${accountId}`;
    await untilWaiting(sql, 1);
    const reset = account.post('/sandbox/reset');
    await untilWaiting(sql, 2);
    return { reset };
  });
  assert.equal((await reset.reset).status, 200);
  const left = await sql`
    select 1 from ${await allEvents(sql)} where account_id = ${accountId} and topic = 'account_checkpoint_created'`;
  assert.deepEqual(left, []);
});

test('after a reset the ledger check misses an event, however far the clock was ahead', async () => {
  const account = await open();
  const { call, tokenOf, sql } = service;
  const { client } = account;
  const moved = await account.post('/sandbox/clock', { advanceSeconds: 400 * DAY_SECONDS });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await call('POST', '/sandbox/reset', { token: await tokenOf(client) })).status, 200);
  const customer = await service.newCustomer({}, account.token);
  const made = await account.post(`${customer}/deposits`, amount('1'));
  assert.equal(made.status, 201, made.text);
  const id = idOf(made.headers.location!);
  await waitUntil('the event is settled', async () => {
    const [event] = await sql`select 1 from event where resource_id = ${id}`;
    return event;
  });
  let broken: string[] = [];
  const takeBack = new Error('take back');
  const check = service.service.database.transaction(async (tx) => {
    await tx`delete from event where resource_id = ${id}`;
    broken = (await verifyLedger(tx)).map((violation) => violation.id);
    throw takeBack;
  });
  await assert.rejects(check, takeBack);
  assert.ok(broken.includes(id), `${broken}`);
});

test('a removal of a subscription and a reset that wait for each other are both answered', async () => {
  const account = await open();
  const id = idOf(account.subscription);
  const { status, text } = await resetBeside(
    account,
    (tx) => tx`select 1 from webhook_subscription where bucket = ${bucketOf(id)} and id = ${id} for key share`,
    () => service.call('DELETE', account.subscription, { token: account.token }),
  );
  assert.ok([200, 404].includes(status), `${status} ${text}`);
});
