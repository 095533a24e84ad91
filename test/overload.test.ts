// Overload: bounded queues that refuse in time, and no account that can take another's share.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { poll } from './earmark.ts';
import { assertPlainRefusal } from './exchange.ts';
import { type Answer, type Client, startService, type TestService } from './harness.ts';

const MAX_BATCH = 4;
const MAX_QUEUED = 24;

test('a lane that is behind serves accounts in turn, and its queue keeps a place for another', async (t) => {
  const service = await startService(t, { env: { LANES: '1', MAX_BATCH: `${MAX_BATCH}`, MAX_QUEUED: `${MAX_QUEUED}` } });
  const greedy = await mover(service, await service.newClient());
  const modest = await mover(service, await service.newClient());
  const release = await holdLabels(t, service, greedy.labels);
  const order: string[] = [];
  const under = (name: string, moving: Promise<Answer>) =>
    moving.then((answer) => {
      if (answer.status === 201) order.push(name);
      return answer;
    });

  const first = under('greedy', greedy.move());
  await poll('the lane waits for the database', () => service.service.lanes.queued() === 0 && release.waiting());
  const refused: Answer[] = [];
  const wave = Array.from({ length: MAX_QUEUED }, async () => {
    const answer = await under('greedy', greedy.move());
    if (answer.status !== 201) refused.push(answer);
    return answer;
  });
  await poll('all have come', () => refused.length + service.service.lanes.queued() === MAX_QUEUED);
  assert.equal(refused.length, MAX_QUEUED / 2, 'one account has half of the queue');
  for (const answer of refused) {
    assertPlainRefusal(answer, 'unavailable');
    assert.equal(answer.headers['retry-after'], '1');
  }
  const late = Array.from({ length: 2 }, () => under('modest', modest.move()));
  await poll('another account finds a place', () => service.service.lanes.queued() === MAX_QUEUED / 2 + late.length);
  await release.now();

  const answers = await Promise.all([first, ...wave, ...late]);
  assert.equal(answers.filter((answer) => answer.status === 201).length, 1 + MAX_QUEUED / 2 + 2, 'what was accepted is done');
  const rounds = order.lastIndexOf('modest');
  assert.ok(rounds <= MAX_BATCH, `the later account is served with the next batch, not after ${rounds} others`);
});

/** Two labels of a new customer of a client's account, and a reallocation between them. */
async function mover(service: TestService, { token }: Client) {
  const customer = await service.newCustomer({ available: '100.00', token });
  const labels = [
    await service.newLabel(customer, '100.00', { token }),
    await service.newLabel(customer, '0', { token }),
  ] as const;
  const body = service.reallocation(labels[0], labels[1], '1.00');
  return { labels, move: () => service.call('POST', '/label-reallocations', { body, token }) };
}

/** Holds labels locked, so that the lane which posts to them waits. */
async function holdLabels(t: TestContext, { databaseUrl }: TestService, labels: readonly string[]) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  // Should the test fail meanwhile, the service can still close.
  await client.query(`set idle_in_transaction_session_timeout = '30s'`);
  await client.query('begin');
  await client.query('select 1 from ledger_account where id = any ($1) for update', [labels.map((url) => url.split('/').at(-1))]);
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return {
    waiting: async () => (await client.query(waiting)).rowCount === 1,
    now: () => client.query('rollback'),
  };
}
