// Tests of a reset that runs concurrently with writes to the same account.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { reallocation } from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { countWaiting } from '../../../test/support/locks.ts';
import { picture } from '../../../test/support/pictures.ts';
import { openUploads } from '../../../test/support/uploads.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { bucketOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';

// Each write of the test waits on its own connection.
const service = await openUploads({ after }, { env: { DELIVER_WEBHOOKS: 'false', POOL_SIZE: '60' } });
const SETTLE_MS = 300;
const amount = (value: string, currency = 'USD') => ({ amount: { value, currency } });
const address = { address1: '1 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US', postalCode: '62701' };
const person = { lastName: 'Example', dateOfBirth: '1979-11-30', ssn: '912-65-4329', address };

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
  const owner = await service.newOwner({}, { customer, token });
  const incomplete = await service.newOwner({ firstName: 'incomplete' }, { customer, token });
  const document = await service.submitted(owner, { token });
  const subscription = await made('/webhook-subscriptions', { url: 'https://example.com/hook', secret: 'a secret of mine' });
  const webhook = await made(`${subscription}/pings`);
  return { token, client, post, customer, from, to, empty, owner, incomplete, document, subscription, webhook };
}

type Account = Awaited<ReturnType<typeof open>>;

/** Every kind of write, by name. */
const writes: Record<string, (account: Account) => Promise<{ status: number; text: string }>> = {
  'create a customer': ({ post }) =>
    post('/customers', { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com' }),
  'change a customer': ({ post, customer }) => post(customer, { website: 'https://example.com' }),
  'suspend a customer': ({ post, customer }) => post(customer, { status: 'suspended' }),
  deposit: ({ post, customer }) => post(`${customer}/deposits`, amount('1')),
  'deposit under a key': ({ post, customer }) => post(`${customer}/deposits`, amount('1'), 'key'),
  'deposit in a new currency': ({ post, customer }) => post(`${customer}/deposits`, amount('1', 'EUR')),
  withdraw: ({ post, customer }) => post(`${customer}/withdrawals`, amount('1')),
  'create a label': ({ post, customer }) => post(`${customer}/labels`, amount('0')),
  'create a label with money': ({ post, customer }) => post(`${customer}/labels`, amount('1'), 'label'),
  'remove a label': ({ token, empty }) => service.call('DELETE', empty, { token }),
  'create a ledger entry': ({ post, from }) => post(`${from}/ledger-entries`, amount('1')),
  reallocate: ({ post, from, to }) => post('/label-reallocations', reallocation(from, to, '1')),
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

test('every kind of write that is concurrent with the reset is answered and leaves nothing behind', async () => {
  const account = await open();
  const answers = await resetBeside(
    account,
    (tx) => tx`select 1 from event_cursor for update`,
    () => Promise.all(Object.entries(writes).map(async ([name, write]) => ({ name, ...(await write(account)) }))),
  );
  const wrong = answers.filter(({ status }) => ![200, 201, 404].includes(status));
  assert.deepEqual(
    wrong.map(({ name, status, text }) => `${name}: ${status} ${text}`),
    [],
  );
});

test('all kinds of writes run concurrently with repeated resets', async () => {
  const { sql } = service;
  const account = await open();
  let over = false;
  const writing = Object.entries(writes).map(async ([name, write]) => {
    while (!over) {
      const { status, text } = await write(account);
      // Before the reset a write may be refused for an effect of another: a customer is suspended, a document is decided.
      assert.ok(status < 500, `${name}: ${status} ${text}`);
    }
  });
  for (const _ of [1, 2, 3]) assert.equal((await account.post('/sandbox/reset')).status, 200);
  over = true;
  await Promise.all(writing);
  assert.equal((await account.post('/sandbox/reset')).status, 200);
  const left = await sql`
    select 'transfer' as what from transfer t where not exists (select 1 from customer c where c.bucket = t.bucket and c.id = t.customer_id)
    union all select 'account' from ledger_account a where not exists (select 1 from customer c where c.bucket = a.bucket and c.id = a.customer_id)
    union all select 'webhook' from webhook w where not exists (select 1 from webhook_subscription s where s.bucket = w.bucket and s.id = w.subscription_id)
    union all select 'due' from webhook_due d where not exists (select 1 from webhook w where w.bucket = d.bucket and w.id = d.webhook_id)
    union all select 'retry' from webhook_retry r where not exists (select 1 from webhook w where w.bucket = r.bucket and w.id = r.webhook_id)
    union all select 'event' from ${await allEvents(sql)} where account_id = ${account.client.account_id}`;
  assert.deepEqual(left, []);
});

test('a removal of a subscription and a reset that wait for each other are both answered', async () => {
  const account = await open();
  const id = account.subscription.slice(account.subscription.lastIndexOf('/') + 1);
  const { status, text } = await resetBeside(
    account,
    (tx) => tx`select 1 from webhook_subscription where bucket = ${bucketOf(id)} and id = ${id} for key share`,
    () => service.call('DELETE', account.subscription, { token: account.token }),
  );
  assert.ok([200, 404].includes(status), `${status} ${text}`);
});
