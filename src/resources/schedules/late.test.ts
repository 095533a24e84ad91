// Tests of occurrences that are late: clocks that jump, catching up, and repetition.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { idOf } from '../../../test/support/http.ts';
import { DAY_SECONDS, openSchedules } from '../../../test/support/schedules.ts';
import { startService } from '../../../test/support/service.ts';
import { reallocationsPerMinute } from '../label-reallocations/rate.ts';
import { runCustomer } from './run.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after }, { processes: 1 });

type Row = { status: string; reason?: string; amount?: { value: string } };
const short = ({ status, reason, amount }: Row) => [status, reason ?? amount?.value];

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

test('the console counts reallocations of the future in no minute', async () => {
  const { newSchedule, advance, decided, sql } = await openSchedules(shared);
  const minutes = 10;
  const counted = async () => {
    const rows = await reallocationsPerMinute(sql, { since: new Date(Date.now() - (minutes - 1) * 60_000), minutes });
    return rows.reduce((sum, { reallocations }) => sum + reallocations, 0);
  };
  const before = await counted();
  const url = await newSchedule();
  await advance(7 * DAY_SECONDS);
  assert.ok((await decided(url)).length >= 7);
  assert.ok((await counted()) <= before, 'their ids have the times of their occurrences');
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
  while (await runCustomer(service, idOf(customer), () => new Date()));
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
  const at = () => new Date(row!.next.getTime() + 1000);
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
