// Three processes run schedules while the clock jumps over a week and two of them are killed in the middle: every occurrence runs once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBeside } from './support/beside.ts';
import { allEvents } from './support/events.ts';
import { idOf } from './support/http.ts';
import { DAY_SECONDS, openSchedules } from './support/schedules.ts';
import { startService } from './support/service.ts';
import { assertSoundLedger } from './support/sound-ledger.ts';
import { longerMs, waitUntil } from './support/wait.ts';

const CUSTOMERS = 3;
const SCHEDULES_EACH = 10;
const WEEKS = 1;
const DAYS = 7;
/** The occurrences of a week that are decided when the second process is killed: more than one transaction has. */
const SOME = 60;
const WITHIN_MS = longerMs(120_000);

test('each occurrence runs exactly once, whichever process is killed meanwhile', { timeout: longerMs(300_000) }, async (t) => {
  const first = await startService(t, { processes: 1, env: { TOKEN_TTL_SECONDS: '86400' } });
  const { newCustomer, newLabel, create, daily, sql, client, get, tokenOf } = await openSchedules(first);
  const labels: string[][] = [];
  for (let n = 0; n < CUSTOMERS; n++) {
    const customer = await newCustomer({ available: '1000.00' });
    const [from, to] = [await newLabel(customer, '100.00'), await newLabel(customer)];
    labels.push([from, to]);
    const body = daily({ _links: { from: { href: from }, to: { href: to } }, amount: { value: '0.01', currency: 'USD' } });
    for (let schedule = 0; schedule < SCHEDULES_EACH; schedule++) await create(`${customer}/schedules`, body);
  }
  const decided = async () => {
    const [row] = await sql<{ count: bigint }>`
      select count(*) from schedule_occurrence where account_id = ${client.account_id}`;
    return Number(row!.count);
  };
  const all = CUSTOMERS * SCHEDULES_EACH * DAYS;
  for (let week = 1; week <= WEEKS; week++) {
    const before = await decided();
    const [second, third] = [await startBeside(t, first), await startBeside(t, first)];
    const token = await tokenOf(client);
    const jump = { token, body: { advanceSeconds: DAYS * DAY_SECONDS }, key: `week-${week}` };
    const answer = second.send('POST', '/sandbox/clock', jump).catch(() => undefined);
    await waitUntil('some occurrences are decided', async () => (await decided()) > before, WITHIN_MS);
    second.child.kill('SIGKILL');
    await waitUntil('more are decided', async () => (await decided()) > before + SOME, WITHIN_MS);
    third.child.kill('SIGKILL');
    await Promise.all([answer, second.ended, third.ended]);
    t.diagnostic(`week ${week}: ${(await decided()) - before} of ${all} occurrences when the second process is killed`);
    await waitUntil('all are decided', async () => (await decided()) >= week * all, WITHIN_MS);
  }

  const total = WEEKS * all;
  const [counted] = await sql<{ occurrences: bigint; schedules: bigint; moments: bigint; ran: bigint; moved: bigint }>`
    select count(*) as occurrences, count(distinct o.schedule_id) as schedules, count(distinct (o.schedule_id, o.at)) as moments,
      count(*) filter (where o.status = 'ran') as ran, count(distinct t.id) as moved
    from schedule_occurrence o left join transfer t on t.bucket = o.bucket and t.id = o.id and t.kind = 'reallocation'
    where o.account_id = ${client.account_id}`;
  assert.deepEqual(Object.values(counted!).map(Number), [total, CUSTOMERS * SCHEDULES_EACH, total, total, total]);
  const events = await sql<{ topic: string; count: bigint; resources: bigint }>`
    select topic, count(*), count(distinct resource_id) as resources from ${await allEvents(sql)}
    where account_id = ${client.account_id} and topic in ('customer_schedule_ran', 'customer_label_reallocation_created')
    group by topic`;
  assert.deepEqual(
    events.map(({ count, resources }) => [Number(count), Number(resources)]),
    [
      [total, total],
      [total, total],
    ],
  );
  const moved = (SCHEDULES_EACH * DAYS * WEEKS) / 100;
  client.token = await tokenOf(client);
  for (const [from, to] of labels)
    assert.deepEqual(
      [(await get(from!)).amount.value, (await get(to!)).amount.value],
      [(100 - moved).toFixed(2), moved.toFixed(2)],
      idOf(from!),
    );
  await assertSoundLedger(first.service.database);
});
