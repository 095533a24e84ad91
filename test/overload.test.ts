// Overload: bounded queues that refuse in time, and fair shares for each account.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { bucketOf } from '../src/core/ids.ts';
import { clusterPorts } from './cluster/databases.ts';
import { type Answer, assertPlainRefusal, HAL, idOf } from './support/http.ts';
import { ACTIVITY, lockLabel } from './support/locks.ts';
import type { Client } from './support/platform.ts';
import { startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

type Credentials = Pick<Client, 'client_id' | 'client_secret'>;

const MAX_BATCH = 4;
const MAX_QUEUED = 24;
const isPatient = clusterPorts && 'the statements of tests on a cluster wait for longer than a lane';

test('serves the accounts of a full queue in turn, and keeps room for another account', async (t) => {
  // The queue is of one process.
  const service = await startService(t, {
    env: { LANES: '1', MAX_BATCH: `${MAX_BATCH}`, MAX_QUEUED: `${MAX_QUEUED}` },
    processes: 1,
  });
  const greedy = await mover(service, await service.newClient());
  const modest = await moverBeside(service, greedy.labels[0]);
  const release = await holdLabels(t, service, greedy.labels);
  const order: string[] = [];
  const under = (name: string, moving: Promise<Answer>) =>
    moving.then((answer) => {
      if (answer.status === 201) order.push(name);
      return answer;
    });

  const first = under('greedy', greedy.move());
  await waitUntil('the queue waits for the database', () => service.service.lanes.queued() === 0 && release.waiting());
  const refused: Answer[] = [];
  const wave = Array.from({ length: MAX_QUEUED }, async () => {
    const answer = await under('greedy', greedy.move());
    if (answer.status !== 201) refused.push(answer);
    return answer;
  });
  await waitUntil('all have arrived', () => refused.length + service.service.lanes.queued() === MAX_QUEUED);
  assert.equal(refused.length, MAX_QUEUED / 2, 'one account has half of the queue');
  for (const answer of refused) {
    assertPlainRefusal(answer, 'unavailable');
    assert.equal(answer.headers['retry-after'], '1');
  }
  const late = Array.from({ length: 2 }, () => under('modest', modest.move()));
  await waitUntil('another account is queued', () => service.service.lanes.queued() === MAX_QUEUED / 2 + late.length);
  await release.now();

  const answers = await Promise.all([first, ...wave, ...late]);
  assert.equal(
    answers.filter((answer) => answer.status === 201).length,
    1 + MAX_QUEUED / 2 + 2,
    'every accepted request is done',
  );
  const rounds = order.lastIndexOf('modest');
  assert.ok(rounds <= MAX_BATCH, `the later account is served with the next batch, not after ${rounds} others`);
});

test('a transfer that gets no outcome in time does not fail those that are queued behind it', { skip: isPatient }, async (t) => {
  const service = await startService(t, { env: { LANES: '1' }, processes: 1 });
  const stuck = await mover(service, await service.newClient());
  const behind = await moverBeside(service, stuck.labels[0]);
  const release = await holdLabels(t, service, stuck.labels);
  const first = stuck.move();
  const { retries } = service.service.metrics.ledger;
  await waitUntil('the database cancelled it, and it was sent again', () => retries.total() > 0);
  const second = behind.move();
  await waitUntil('the other is queued', () => service.service.lanes.queued() === 1);
  assertPlainRefusal(await first, 'unavailable');
  await release.now();
  assert.equal((await second).status, 201);
});

test('limits one application to half of the slots, and frees the slot of an aborted request', async (t) => {
  // MAX_REQUESTS is divided among processes.
  const service = await startService(t, { env: { MAX_REQUESTS: '6' }, processes: 1 });
  const greedy = await mover(service, await service.newClient());
  const modest = await service.newClient();
  const release = await holdLabels(t, service, greedy.labels);
  const first = greedy.move();
  await waitUntil('the queue waits for the database', release.waiting);
  const hangingUp = connect(service.port, '127.0.0.1');
  hangingUp.write(greedy.text());
  await waitUntil('its request is in flight', () => service.service.lanes.queued() === 1);
  const second = greedy.move();
  await waitUntil('half of the slots are taken', () => service.service.lanes.queued() === 2);
  for (const answer of [await greedy.move(), await service.call('GET', greedy.labels[0], { token: greedy.token })]) {
    assertPlainRefusal(answer, 'tooManyRequests');
    assert.equal(answer.headers['retry-after'], '1');
  }
  assert.equal((await service.call('GET', '/', { token: modest.token })).status, 200, 'another application has a slot');
  hangingUp.destroy();
  await waitUntil('a slot is free again', async () => (await service.call('GET', '/', { token: greedy.token })).status === 200);
  await release.now();
  assert.deepEqual([(await first).status, (await second).status], [201, 201]);
});

test('limits the rate per application, separately for reads and writes', async (t) => {
  const { call, newClient } = await startService(t, { env: { RATE_LIMIT_READS: '20', RATE_LIMIT_WRITES: '1' } });
  const [fast, other] = [await newClient(), await newClient()];
  const write = (token: string) => call('POST', '/customers', { token, raw: '{}' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => write(fast.token)));
  const [passed, refused] = [answers.filter(({ status }) => status === 400), answers.filter(({ status }) => status === 429)];
  assert.ok(passed.length >= 1 && refused.length >= 1 && passed.length + refused.length === 20, `${passed.length} passed`);
  for (const answer of refused) {
    assertPlainRefusal(answer, 'tooManyRequests');
    assert.equal(answer.headers['retry-after'], '1');
  }
  assert.equal((await write(other.token)).status, 400, 'another application');
  assert.equal((await call('GET', '/', { token: fast.token })).status, 200, 'reads have their own limit');
  await waitUntil('it may write again', async () => (await write(fast.token)).status === 400);

  const reads = await Promise.all(Array.from({ length: 400 }, () => call('GET', '/', { token: fast.token })));
  assert.ok(
    reads.some(({ status }) => status === 429),
    'reads are limited as well',
  );
});

test('slows guessing of a secret by client and address, without locking out the client elsewhere', async (t) => {
  const env = { TOKEN_FAILURES_PER_MINUTE: '5' };
  const first = await startService(t, { env });
  const { client, newClient } = first;
  const ask = ({ send }: Pick<TestService, 'send'>, { client_id, client_secret }: Credentials, from?: string) =>
    send('POST', '/token', {
      form: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString(),
      ...(from && { headers: { 'x-forwarded-for': from } }),
    });
  const wrong = { ...client, client_secret: 'guess' };
  for (let n = 0; n < 20; n++) assert.equal((await ask(first, client)).status, 200, 'successful requests do not count');
  const guesses: Answer[] = [];
  for (let n = 0; n < 20; n++) guesses.push(await ask(first, wrong));
  assert.deepEqual(
    guesses.slice(0, 5).map(({ status }) => status),
    [401, 401, 401, 401, 401],
  );
  const refused = guesses.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0);
  for (const answer of refused) {
    assertPlainRefusal(answer, 'tooManyRequests');
    assert.match(answer.headers['retry-after']!, /^([1-9]|1[0-2])$/);
  }
  while ((await ask(first, wrong)).status !== 429);
  assert.equal((await ask(first, client)).status, 429, 'refused there even with the right secret');
  assert.equal((await ask(first, client, '203.0.113.7')).status, 200, 'the client is served from another address');
  assert.equal(
    (await ask(first, client, '127.0.0.1, 203.0.113.8')).status,
    200,
    'the address from the trusted proxy, not a forged one',
  );
  assert.equal((await ask(first, await newClient())).status, 200, 'another client from the same address');
  assert.equal((await first.call('GET', '/')).status, 200, 'its tokens still work');
  for (const path of ['/token/revoke', '/token/introspect']) {
    const form = new URLSearchParams({ client_id: client.client_id, client_secret: 'guess', token: 'x' }).toString();
    assert.equal((await first.send('POST', path, { form })).status, 429, 'refused on every other route');
  }

  const second = await startService(t, { beside: first, env: { ...env, TRUST_PROXY: 'none', PUBLIC_URL: first.url } });
  while ((await ask(second, wrong)).status !== 429);
  assert.equal((await ask(second, client, '203.0.113.9')).status, 429, 'without trusted proxies the header is ignored');
});

/** Two labels of a new customer of a client's account, and a reallocation between them. */
async function mover(service: TestService, { token }: Client) {
  const customer = await service.newCustomer({ available: '100.00', token });
  const labels = [
    await service.newLabel(customer, '100.00', { token }),
    await service.newLabel(customer, '0', { token }),
  ] as const;
  const body = service.reallocation(labels[0], labels[1], '1.00');
  const head = [
    'POST /label-reallocations HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${HAL}`,
  ];
  const json = JSON.stringify(body);
  return {
    labels,
    token,
    move: () => service.call('POST', '/label-reallocations', { body, token }),
    /** The same in bytes. */
    text: () => `${head.join('\r\n')}\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
  };
}

/** A mover of another account, whose customer has the lane of a label. */
async function moverBeside(service: TestService, label: string) {
  for (;;) {
    const found = await mover(service, await service.newClient());
    if (!clusterPorts || (await groupOf(service, found.labels[0])) === (await groupOf(service, label))) return found;
  }
}

async function groupOf({ sql }: TestService, label: string): Promise<bigint> {
  const [row] = await sql<{ shard: bigint }>`
    select get_shard_id_for_distribution_column('customer', ${bucketOf(idOf(label))}::int) as shard`;
  return row!.shard;
}

/** Locks labels, so that the queue that posts to them waits. */
async function holdLabels(t: TestContext, { databaseUrl }: TestService, labels: readonly string[]) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  // If the test fails meanwhile, the service can still close.
  await client.query(`set idle_in_transaction_session_timeout = '30s'`);
  await client.query('begin');
  for (const label of labels) await lockLabel(client, label);
  const waiting = `select 1 from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock'`;
  return {
    waiting: async () => (await client.query(waiting)).rowCount === 1,
    now: () => client.query('rollback'),
  };
}
