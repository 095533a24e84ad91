// Tests of what monitors report: each crossing once, in the order of the feed, also after a crash and between processes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openMonitors } from '../../../test/support/balance-monitors.ts';
import { reallocation, usd } from '../../../test/support/data.ts';
import { idOf, link } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { bucketOf } from '../../core/ids.ts';
import { evaluateAccount } from './evaluate.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const DAY_SECONDS = 86_400;

test('reports each crossing once, not each transfer beyond the threshold', async () => {
  const { get, add, newMonitor, crossings } = await openMonitors(shared);
  const monitor = await newMonitor({ below: usd('50.00') });
  await add('-50.00');
  assert.deepEqual(await crossings(), [], 'an amount at the threshold is not below it');
  assert.equal((await get(monitor)).state, 'armed');
  const entry = await add('-0.01');
  await add('-10.00');
  await add('-10.00');
  assert.deepEqual(await crossings(), [monitor]);
  const { state, lastCrossing } = await get(monitor);
  const { created } = await get(entry);
  assert.deepEqual(
    [state, lastCrossing],
    ['crossed', { _links: { 'ledger-entry': link(entry, 'ledger-entry') }, created, balance: usd('49.99') }],
  );
  await add('20.01');
  await add('-0.01');
  assert.deepEqual(await crossings(), [monitor, monitor], 'at the threshold the monitor is armed again');
});

test('rearm is the value after which a monitor reports again', async () => {
  const { get, add, newMonitor, crossings } = await openMonitors(shared);
  const below = await newMonitor({ below: usd('50.00'), rearm: usd('80.00') });
  const above = await newMonitor({ above: usd('200.00'), rearm: usd('0.00') });
  for (const value of ['-60.00', '39.99', '-39.99', '40.00', '-40.00']) await add(value);
  assert.deepEqual(await crossings(), [below, below], 'between 50.00 and 80.00 it is not armed');
  for (const value of ['160.00', '0.01', '-200.00', '200.00', '-160.01', '-40.00', '200.01']) await add(value);
  const reported = await crossings();
  assert.deepEqual(reported.filter((one) => one === above).length, 2);
  assert.equal((await get(above)).state, 'crossed');
});

test('an amount that is beyond the threshold already is not a crossing', async () => {
  const { get, add, newMonitor, crossings } = await openMonitors(shared);
  const monitor = await newMonitor({ above: usd('99.99') });
  assert.equal((await get(monitor)).state, 'crossed');
  await add('1.00');
  assert.deepEqual(await crossings(), []);
  await add('-10.00');
  await add('10.00');
  assert.deepEqual(await crossings(), [monitor]);
});

test('finds a crossing between the transfers of one commit', async () => {
  const { call, customer, label, newLabel, newMonitor, crossings } = await openMonitors(shared);
  const other = await newLabel(customer);
  const monitor = await newMonitor({ below: usd('50.00') });
  const items = [reallocation(label, other, '60.00'), reallocation(other, label, '60.00'), reallocation(label, other, '70.00')];
  assert.equal((await call('POST', '/label-reallocation-batches', { body: { mode: 'atomic', items } })).status, 201);
  assert.deepEqual(await crossings(), [monitor, monitor]);
});

test('reports crossings of several labels in the order of the feed', async () => {
  const { call, customer, label, newLabel, newMonitor, crossings } = await openMonitors(shared);
  const other = await newLabel(customer);
  const [low, high, elsewhere] = [
    await newMonitor({ below: usd('50.00') }),
    await newMonitor({ above: usd('50.00') }, other),
    await newMonitor({ below: usd('20.00') }),
  ];
  for (const value of ['40.00', '11.00', '40.00'])
    assert.equal((await call('POST', '/label-reallocations', { body: reallocation(label, other, value) })).status, 201);
  assert.deepEqual(await crossings(), [low, high, elsewhere]);
});

test('a crash between effect and position, and concurrent processes, neither repeat nor miss a crossing', async () => {
  const { add, newMonitor, crossings, sql, service, client } = await openMonitors(shared);
  const monitor = await newMonitor({ below: usd('50.00') });
  for (let round = 0; round < 3; round++) {
    await add('-60.00');
    await add('60.00');
  }
  const once = [monitor, monitor, monitor];
  assert.deepEqual(await crossings(), once);
  // As after a crash: the effects are stored, and the position is not.
  await sql`update monitored_feed set position = 0 where account_id = ${client.account_id}`;
  await Promise.all([1, 2, 3].map(() => evaluateAccount(service, client.account_id)));
  assert.deepEqual(await crossings(), once);
  // As by a process that was away: the feed was followed, and nobody evaluated.
  await sql`update monitored_feed set position = 9000000 where account_id = ${client.account_id}`;
  await add('-60.00');
  await add('60.00');
  await sql`update monitored_feed set position = 1 where account_id = ${client.account_id}`;
  assert.deepEqual(await crossings(), [...once, monitor]);
});

test('a transfer does not wait for its monitors', async () => {
  const { add, newMonitor, crossings, service } = await openMonitors(shared);
  const monitor = await newMonitor({ below: usd('50.00') });
  await service.database.transaction(async (tx) => {
    await tx`select 1 from balance_monitor where bucket = ${bucketOf(idOf(monitor))} and id = ${idOf(monitor)} for update`;
    await add('-60.00');
  });
  assert.deepEqual(await crossings(), [monitor]);
});

test('a monitor that is created between transfers misses none after it', async () => {
  const { add, createMonitor, crossings, get } = await openMonitors(shared);
  await createMonitor({ below: usd('1.00') });
  const adding = Promise.all(Array.from({ length: 40 }, (_, index) => add(index % 2 === 0 ? '10.00' : '-10.00')));
  const made = await Promise.all(Array.from({ length: 8 }, () => createMonitor({ above: usd('500.00') })));
  await adding;
  await add('1000.00');
  const monitors = made.map(({ headers }) => headers.location!);
  assert.deepEqual((await crossings()).sort(), monitors.sort());
  for (const monitor of monitors) assert.equal((await get(monitor)).state, 'crossed');
});

test('webhooks deliver a crossing, and retention deletes no event that is not evaluated', async (t) => {
  const { call, create, add, newMonitor, customer, sql, client, send } = await openMonitors(shared);
  const receiver = await startReceiver(t);
  const topics = ['customer_label_balance_crossed'];
  await create('/webhook-subscriptions', { url: receiver.url, secret: 'a secret of mine', topics });
  const monitor = await newMonitor({ below: usd('50.00') });
  await sql`update monitored_feed set position = 9000000 where account_id = ${client.account_id}`;
  await add('-60.00');
  await sql`update monitored_feed set position = 0 where account_id = ${client.account_id}`;
  assert.equal((await call('POST', '/sandbox/clock', { body: { advanceSeconds: 400 * DAY_SECONDS } })).status, 200);
  const [received] = await waitUntil('the webhook arrives', () => receiver.received.length > 0 && receiver.received);
  assert.deepEqual(
    [received!.body.resourceId, received!.body._links.resource.href, received!.body._links.customer.href],
    [idOf(monitor), monitor, customer],
  );
  const token = await shared.tokenOf(client);
  const { state } = (await send('GET', monitor, { token })).body;
  assert.equal(state, 'crossed');
});

test('agrees with a model on random movements', async () => {
  const cents = (value: number) => usd((value / 100).toFixed(2));
  const threshold = fc.integer({ min: 1, max: 300 });
  const monitorOf = fc.record({ below: fc.boolean(), threshold, apart: fc.nat(200) });
  const walk = fc.array(fc.integer({ min: -200, max: 200 }), { minLength: 20, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.array(monitorOf, { minLength: 1, maxLength: 6 }), walk, async (wanted, steps) => {
      const { add, newMonitor, crossings, label, newLabel, customer } = await openMonitors(shared);
      assert.ok(label);
      const watched = await newLabel(customer);
      const models = [];
      for (const { below, threshold, apart } of wanted) {
        const rearm = below ? threshold + apart : Math.max(0, threshold - apart);
        const url = await newMonitor({ [below ? 'below' : 'above']: cents(threshold), rearm: cents(rearm) }, watched);
        models.push({ url, below, threshold, rearm, armed: !below });
      }
      const expected: string[] = [];
      let amount = 0;
      for (const step of steps) {
        const change = Math.max(step, -amount);
        if (change === 0) continue;
        await add(cents(change).value, watched);
        amount += change;
        for (const model of models) {
          const { below, threshold, rearm } = model;
          if (model.armed && (below ? amount < threshold : amount > threshold)) {
            expected.push(model.url);
            model.armed = false;
          } else if (below ? amount >= rearm : amount <= rearm) model.armed = true;
        }
      }
      assert.deepEqual(await crossings(), expected);
    }),
    { numRuns: 4 },
  );
});
