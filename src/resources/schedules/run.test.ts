// Tests of how schedules run: amounts, reasons, late occurrences, clocks, and the ledger check.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { idOf, link } from '../../../test/support/http.ts';
import { DAY_SECONDS, openSchedules } from '../../../test/support/schedules.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { verifyLedger } from '../../apps/service/ledger-check.ts';
import { runCustomer } from './run.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after }, { processes: 1 });

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

test('runs within seconds after its time, without a request', async () => {
  const { create, customer, daily, get } = await openSchedules(shared);
  const start = new Date(Date.now() + 1500).toISOString().slice(0, 19);
  const url = await create(`${customer}/schedules`, daily({ start, rule: 'FREQ=DAILY;COUNT=1' }));
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

test('a clock that jumps over a week runs each occurrence once, in the order of times across schedules', async () => {
  const { newSchedule, create, customer, daily, from, to, advance, decided, get, amounts, verified } =
    await openSchedules(shared);
  const there = await newSchedule({ amount: { value: 'all' } });
  // An hour after each sweep, the money returns.
  const start = new Date(Date.parse(`${(await get(there)).start}Z`) + 3_600_000).toISOString().slice(0, 19);
  const links = { _links: { from: { href: to }, to: { href: from } } };
  const back = await create(`${customer}/schedules`, daily({ start, ...links, amount: { value: 'all' } }));
  await advance(7 * DAY_SECONDS);
  const rows = [...(await decided(there)), ...(await decided(back))].sort((a, b) => a.at.localeCompare(b.at));
  assert.ok(rows.length >= 14, `${rows.length}`);
  assert.deepEqual(new Set(rows.map((row) => short(row as Row).join(' '))), new Set(['ran 100.00']));
  assert.deepEqual((await amounts()).toSorted(), ['0.00', '100.00']);
  const { transfers } = (await get(`${customer}/transfers?limit=200`))._embedded;
  assert.deepEqual(
    transfers.filter(({ kind }: { kind: string }) => kind === 'reallocation').map(({ id }: { id: string }) => id),
    rows.map(({ id }) => id).toReversed(),
  );
  await verified();
});

test('catchUp decides which late occurrences run', async () => {
  for (const [catchUp, ran] of [
    ['each', [0, 1, 2, 3]],
    ['last', [3]],
    ['none', []],
  ] as const) {
    const { newSchedule, advance, decided, verified, get } = await openSchedules(shared);
    const url = await newSchedule({ catchUp });
    // The next one is 23 hours ahead; the fourth is then two hours late.
    await advance(4 * DAY_SECONDS + 3600);
    const rows = await decided(url);
    assert.deepEqual(
      rows.map((row) => short(row as Row).join(' ')),
      [0, 1, 2, 3].map((index) => ((ran as readonly number[]).includes(index) ? 'ran 10.00' : 'skipped Missed')),
      catchUp,
    );
    assert.ok((await get(url)).next > rows.at(-1)!.decided);
    await verified();
  }
  const { newSchedule, advance, decided } = await openSchedules(shared);
  const url = await newSchedule({ catchUp: 'none' });
  await advance(DAY_SECONDS - 1800);
  assert.deepEqual(
    (await decided(url)).map((row) => short(row as Row)),
    [['ran', '10.00']],
    'half an hour is not late',
  );
});

test('a schedule that is behind by more than a year runs each late occurrence once', async () => {
  const { newSchedule, customer, amounts, sql, service, verified } = await openSchedules(shared);
  const id = idOf(await newSchedule({ amount: usd('0.01') }));
  const past = new Date(Date.now() - 400 * DAY_SECONDS * 1000).toISOString().slice(0, 19);
  await sql`update schedule set start = ${past}, next = ${new Date(`${past}Z`)}, next_local = ${past} where id = ${id}`;
  const now = new Date();
  while (await runCustomer(service, idOf(customer), now));
  const [count] = await sql<{
    ran: bigint;
  }>`select count(*) as ran from schedule_occurrence where schedule_id = ${id} and status = 'ran'`;
  assert.deepEqual([Number(count!.ran), await amounts()], [401, ['95.99', '4.01']]);
  await verified();
});

test('a transaction that is repeated moves nothing again', async () => {
  const { newSchedule, customer, amounts, service, sql, decided, verified } = await openSchedules(shared);
  const url = await newSchedule();
  const [row] = await sql<{ next: Date }>`select next from schedule where id = ${idOf(url)}`;
  const at = new Date(row!.next.getTime() + 1000);
  const before = await sql`select next, next_local from schedule where id = ${idOf(url)}`;
  await Promise.all(Array.from({ length: 5 }, () => runCustomer(service, idOf(customer), at)));
  assert.deepEqual([(await decided(url)).length, await amounts()], [1, ['90.00', '10.00']]);
  // Whoever sets the schedule back, the occurrence and its reallocation exist already.
  await sql`update schedule set next = ${before[0]!.next}, next_local = ${before[0]!.nextLocal} where id = ${idOf(url)}`;
  await assert.rejects(runCustomer(service, idOf(customer), at), /schedule_occurrence/);
  await sql`delete from schedule_occurrence where schedule_id = ${idOf(url)}`;
  await runCustomer(service, idOf(customer), at);
  assert.deepEqual([(await decided(url)).length, await amounts()], [1, ['90.00', '10.00']]);
  await verified();
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
  const damages: ((tx: typeof sql) => Promise<unknown>)[] = [
    (tx) => tx`update schedule_occurrence set amount = amount + 1 where schedule_id = ${id}`,
    (tx) => tx`update schedule_occurrence set status = 'skipped', reason = 'Missed', amount = null where schedule_id = ${id}`,
    (tx) => tx`update schedule_occurrence set at = at + interval '1 hour' where schedule_id = ${id}`,
    (tx) => tx`update schedule_occurrence set id = overlay(id::text placing 'f' from 30)::uuid where schedule_id = ${id}`,
    (tx) => tx`update schedule set from_id = to_id, to_id = from_id where id = ${id}`,
    (tx) => tx`update schedule set next = next - interval '3 days' where id = ${id}`,
    (tx) => tx`delete from schedule where id = ${id}`,
  ];
  for (const damage of damages) {
    const found = await service.database
      .transaction(async (tx) => {
        await damage(tx);
        throw Object.assign(new Error('undone'), { breaches: await verifyLedger(tx) });
      })
      .catch((error: Error & { breaches?: { rule: string }[] }) => error.breaches ?? [{ rule: error.message }]);
    assert.ok(
      found.some(({ rule }) => rule === 'schedules'),
      `${damage} ${JSON.stringify(found)}`,
    );
  }
});
