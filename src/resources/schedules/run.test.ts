// Tests of how schedules run: amounts, reasons, late occurrences, clocks, and the ledger check.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFindsDamage } from '../../../test/support/damage.ts';
import { usd } from '../../../test/support/data.ts';
import { idOf, link } from '../../../test/support/http.ts';
import { readExposition } from '../../../test/support/prometheus.ts';
import { DAY_SECONDS, openSchedules } from '../../../test/support/schedules.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { bucketOf } from '../../core/ids.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after }, { processes: 1, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });

type Row = { status: string; reason?: string; amount?: { value: string } };
const short = ({ status, reason, amount }: Row) => [status, reason ?? amount?.value];

test('an occurrence moves the amount once, with a result, a reallocation and events that link to each other', async () => {
  const { newSchedule, get, advance, decided, amounts, customer, from, to, topics, verified } = await openSchedules(shared);
  const url = await newSchedule({ reference: 'sweep', correlationId: 'c-1', metadata: { plan: 'gold' } });
  const before = await get(url);
  await advance(DAY_SECONDS);
  const [occurrence, ...others] = await decided(url);
  assert.deepEqual(others, []);
  const reallocation = occurrence!._links['label-reallocation'].href;
  const { decided: when, ...shown } = occurrence!;
  const links = { 'label-reallocation': link(reallocation, 'label-reallocation') };
  const ran = { at: before.next, status: 'ran', amount: usd('10.00') };
  assert.deepEqual(shown, { _links: { schedule: link(url, 'schedule'), ...links }, id: idOf(reallocation), ...ran });
  assert.ok(when >= before.next);
  assert.deepEqual((await get(url)).lastOccurrence, { _links: links, ...ran });
  const moved = await get(reallocation);
  assert.deepEqual(moved._links.schedule, link(url, 'schedule'));
  assert.deepEqual(
    [moved.amount, moved._links.from.href, moved._links.to.href, moved.reference, moved.correlationId, moved.metadata],
    [usd('10.00'), from, to, 'sweep', 'c-1', { plan: 'gold' }],
  );
  assert.deepEqual(await amounts(), ['90.00', '10.00']);
  const { transfers } = (await get(`${customer}/transfers`))._embedded;
  assert.deepEqual([transfers[0].kind, transfers[0]._links.schedule], ['reallocation', link(url, 'schedule')]);
  assert.deepEqual(await topics(reallocation), ['customer_label_reallocation_created', 'customer_schedule_ran']);
  const [event] = (await get('/events?topic=customer_schedule_ran'))._embedded.events;
  assert.deepEqual([event.created, event._links.resource], [when, link(reallocation, 'label-reallocation')]);
  const month = when.slice(0, 7);
  const { accounts } = await get(`${customer}/statements/${month}?label=${idOf(to)}`);
  assert.deepEqual(
    accounts[0]._embedded['ledger-entries'].map(({ kind, amount }: { kind: string; amount: { value: string } }) => [
      kind,
      amount.value,
    ]),
    [['reallocation', '10.00']],
  );
  await verified();
});

test('runs by itself after its time, without a request', async () => {
  const { newSchedule, get, sql } = await openSchedules(shared);
  const url = await newSchedule({ rule: 'FREQ=DAILY;COUNT=2' });
  assert.equal((await get(url)).lastOccurrence, undefined);
  await sql`update schedule set next = now() where id = ${idOf(url)}`;
  const ran = await waitUntil('the occurrence runs', async () => {
    const schedule = await get(url);
    return schedule.lastOccurrence && schedule;
  });
  assert.deepEqual([ran.status, ran.endReason, ran.lastOccurrence.status], ['ended', 'Finished', 'ran']);
});

test('decides amounts by what is available, and skips when nothing is to move', async () => {
  const cases: [object, string[][], string[]][] = [
    [
      { amount: { value: 'all' } },
      [
        ['ran', '70.00'],
        ['skipped', 'NothingToMove'],
      ],
      ['30.00', '70.00'],
    ],
    [
      { amount: { above: '45.00' } },
      [
        ['ran', '25.00'],
        ['skipped', 'NothingToMove'],
      ],
      ['75.00', '25.00'],
    ],
    [
      { amount: { upTo: '20.00' } },
      [
        ['ran', '20.00'],
        ['skipped', 'NothingToMove'],
      ],
      ['80.00', '20.00'],
    ],
    [
      { amount: { upTo: '80.00' } },
      [
        ['skipped', 'InsufficientFunds'],
        ['skipped', 'InsufficientFunds'],
      ],
      ['100.00', '0.00'],
    ],
    [
      { amount: { upTo: '80.00' }, ifInsufficient: 'partial' },
      [
        ['ran', '70.00'],
        ['skipped', 'InsufficientFunds'],
      ],
      ['30.00', '70.00'],
    ],
    [
      { amount: usd('60.00') },
      [
        ['ran', '60.00'],
        ['skipped', 'InsufficientFunds'],
      ],
      ['40.00', '60.00'],
    ],
    [
      { amount: usd('60.00'), ifInsufficient: 'partial' },
      [
        ['ran', '60.00'],
        ['ran', '10.00'],
      ],
      ['30.00', '70.00'],
    ],
    [
      { amount: usd('60.00'), ifInsufficient: 'fail' },
      [
        ['ran', '60.00'],
        ['failed', 'InsufficientFunds'],
      ],
      ['40.00', '60.00'],
    ],
  ];
  for (const [terms, results, left] of cases) {
    const { newSchedule, create, customer, from, advance, decided, amounts, verified, topics, get } = await openSchedules(shared);
    await create(`${customer}/holds`, { _links: { from: { href: from } }, amount: usd('30.00') });
    const url = await newSchedule(terms);
    await advance(2 * DAY_SECONDS);
    assert.deepEqual(
      (await decided(url)).map((row) => short(row as Row)),
      results,
      JSON.stringify(terms),
    );
    assert.deepEqual(await amounts(), left, JSON.stringify(terms));
    assert.equal((await get(url)).status, 'active');
    const reported = results.filter(([status]) => status !== 'ran').map(([status]) => `customer_schedule_${status}`);
    assert.deepEqual(await topics(url), reported);
    await verified();
  }
});

test('while the customer is suspended occurrences fail, and the schedule goes on', async () => {
  const { newSchedule, call, customer, advance, decided, amounts, verified } = await openSchedules(shared);
  const url = await newSchedule();
  await call('POST', customer, { body: { status: 'suspended' } });
  await advance(DAY_SECONDS);
  await call('POST', customer, { body: { status: 'reactivated' } });
  await advance(DAY_SECONDS);
  assert.deepEqual(
    (await decided(url)).map((row) => short(row as Row)),
    [
      ['failed', 'CustomerNotVerified'],
      ['ran', '10.00'],
    ],
  );
  assert.deepEqual(await amounts(), ['90.00', '10.00']);
  await verified();
});

test('when a label was removed the occurrence fails, and the schedule ends', async () => {
  const { newSchedule, call, to, advance, decided, get, topics, verified } = await openSchedules(shared);
  const url = await newSchedule();
  assert.equal((await call('DELETE', to)).status, 200);
  await advance(3 * DAY_SECONDS);
  assert.deepEqual(
    (await decided(url)).map((row) => short(row as Row)),
    [['failed', 'LabelRemoved']],
  );
  const { status, endReason } = await get(url);
  assert.deepEqual([status, endReason, await topics(url)], ['ended', 'LabelRemoved', ['customer_schedule_failed']]);
  await verified();
});

test('an occurrence that would take a label above 18 digits fails, and the schedule goes on', async () => {
  const { newCustomer, newLabel, create, daily, advance, decided, get } = await openSchedules(shared);
  const most = '9999999999999999.99';
  const customer = await newCustomer({ available: most });
  const [first] = (await get(`${customer}/deposits`))._embedded.deposits;
  const payout = await create(`${customer}/withdrawals`, { amount: usd(most) });
  await create(`${customer}/deposits`, { amount: usd(most) });
  const from = await newLabel(customer, '0.01');
  const to = await newLabel(customer, '9999999999999999.98');
  // The bank takes the first deposit back, which becomes a debt, and the withdrawal comes back: there is more than one deposit can be.
  await create(`${first._links.self.href}/returns`, { reason: 'R01', shortfall: 'owe' });
  await create(`${payout}/returns`, { reason: 'R03' });
  await create(`${to}/ledger-entries`, { amount: usd('0.01') });
  const links = { _links: { from: { href: from }, to: { href: to } } };
  const url = await create(`${customer}/schedules`, daily({ ...links, amount: usd('0.01') }));
  await advance(DAY_SECONDS);
  assert.deepEqual(
    (await decided(url)).map((row) => short(row as Row)),
    [['failed', 'BalanceLimit']],
  );
  assert.deepEqual([(await get(url)).status, (await get(to)).amount.value], ['active', most]);
});

test('webhooks report what became of occurrences, with links to the reallocation or the schedule', async (t) => {
  const { newSchedule, create, call, to, advance, client, tokenOf } = await openSchedules(shared);
  const receiver = await startReceiver(t);
  const topics = ['ran', 'skipped', 'failed'].map((status) => `customer_schedule_${status}`);
  await create('/webhook-subscriptions', { url: receiver.url, secret: 'a secret that you choose', topics });
  const moving = await newSchedule({ amount: { value: 'all' }, reference: 'sweep' });
  await advance(2 * DAY_SECONDS);
  await call('DELETE', moving);
  await create(`${to}/ledger-entries`, { amount: usd('-100.00') });
  await newSchedule();
  assert.equal((await call('DELETE', to)).status, 200);
  await advance(DAY_SECONDS);
  client.token = await tokenOf(client);
  await waitUntil('three webhooks', () => receiver.received.length >= 3);
  const sent = receiver.received.map(({ body }) => body).sort((a, b) => a.created.localeCompare(b.created));
  assert.deepEqual(
    sent.map(({ topic }) => topic),
    topics,
  );
  const [ran, ...others] = await Promise.all(sent.map(({ _links }) => call('GET', _links.resource.href)));
  assert.deepEqual([ran!.body.reference, ran!.body.amount], ['sweep', usd('100.00')]);
  assert.deepEqual(
    others.map(({ body }) => body.lastOccurrence.reason),
    ['NothingToMove', 'LabelRemoved'],
  );
});

test('a metric says how late the oldest occurrence is while schedules cannot run', async () => {
  const { newSchedule, customer, sql, service, send } = await openSchedules(shared);
  const url = await newSchedule();
  const late = async () => readExposition((await send('GET', '/metrics')).text).value('earmark_schedule_lag_seconds');
  await service.database.transaction(async (tx) => {
    await tx`select 1 from customer where bucket = ${bucketOf(idOf(customer))} and id = ${idOf(customer)} for update`;
    await sql`update schedule set next = now() - interval '10 minutes' where id = ${idOf(url)}`;
    await waitUntil('the metric is late', async () => {
      await tx`select 1`;
      return ((await late()) ?? 0) >= 600;
    });
  });
  await waitUntil('nothing is late', async () => (await late()) === 0);
});

test('a reset deletes schedules and their occurrences', async () => {
  const { newSchedule, advance, call, sql, client } = await openSchedules(shared);
  const url = await newSchedule();
  await advance(DAY_SECONDS);
  assert.equal((await call('POST', '/sandbox/reset')).status, 200);
  const left = await sql`select 1 from schedule_occurrence where account_id = ${client.account_id}
    union all select 1 from schedule where id = ${idOf(url)}`;
  assert.deepEqual(left, []);
});

test('the ledger check finds occurrences without their reallocation, with another, and twice', async () => {
  const { newSchedule, advance, sql, service, verified } = await openSchedules(shared);
  const url = await newSchedule();
  await advance(2 * DAY_SECONDS);
  await verified();
  const id = idOf(url);
  const [occurrence] = await sql<{ id: string }>`select id from schedule_occurrence where schedule_id = ${id} limit 1`;
  const before = new Date(Date.now() - DAY_SECONDS * 1000);
  await assertFindsDamage(service.database, 'schedules', [
    (tx) => tx`update schedule_occurrence set amount = amount + 1 where schedule_id = ${id}`,
    (tx) => tx`update schedule_occurrence set status = 'skipped', reason = 'Missed', amount = null where schedule_id = ${id}`,
    (tx) => tx`update schedule_occurrence set at = ${before} where id = ${occurrence!.id}`,
    (tx) => tx`update schedule_occurrence set id = overlay(id::text placing 'f' from 30)::uuid where schedule_id = ${id}`,
    (tx) => tx`update schedule set from_id = to_id, to_id = from_id where id = ${id}`,
    (tx) => tx`update schedule set next = ${before} where id = ${id}`,
    (tx) => tx`delete from schedule where id = ${id}`,
  ]);
});
