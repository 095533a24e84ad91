// `earmark schedules`: what runs next, what is late, and pausing and resuming beside a running service.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { bucketOf } from '../src/core/ids.ts';
import { idOf } from './support/http.ts';
import { assertOneLine, runCli, settingsOf } from './support/process.ts';
import { DAY_SECONDS, openSchedules } from './support/schedules.ts';
import { startService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

type Row = { schedule_id: string; amount: string; status: string; next: string; last: string; last_result: string };

const shared = await startService({ after });
const env = { ...settingsOf(shared), MODE: 'sandbox' };
const run = (t: TestContext, ...args: string[]) => runCli(t, ['schedules', ...args], env);

async function listed(t: TestContext, ...args: string[]): Promise<Row[]> {
  const { code, stdout, stderr } = await run(t, 'list', '--json', ...args);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).schedules;
}

test('list shows the next occurrence first, what became of the last one, and the paused ones by themselves', async (t) => {
  const { newSchedule, get, advance } = await openSchedules(shared);
  const soon = await newSchedule({ amount: { above: '50.00' } });
  const later = await newSchedule({ amount: { value: 'all' }, rule: 'FREQ=WEEKLY', ifInsufficient: 'fail' });
  await advance(DAY_SECONDS);
  const paused = await newSchedule();
  assert.equal((await run(t, 'pause', idOf(paused), '--yes')).code, 0);
  const [first, second, ...others] = await listed(t);
  assert.deepEqual(others, []);
  const { next, lastOccurrence } = await get(soon);
  assert.deepEqual(
    [first!.schedule_id, first!.amount, first!.status, first!.next, first!.last, first!.last_result],
    [idOf(soon), 'above 50.00 USD', 'active', next, lastOccurrence.at, 'ran'],
  );
  assert.deepEqual([second!.schedule_id, second!.amount, second!.last_result], [idOf(later), 'all USD', '']);
  assert.deepEqual(
    (await listed(t, '--paused')).map(({ schedule_id, status, next: time }) => [schedule_id, status, time]),
    [[idOf(paused), 'paused', '']],
  );
  const table = await run(t, 'list', '--late');
  assert.equal(table.stdout, 'No schedule is late.\n');
  assertOneLine(await run(t, 'list', '--late', '--paused'), /never late/, 2);
});

test('list --late has what could not run yet, by the clock of its account', async (t) => {
  const { newSchedule, advance, customer, service, sql } = await openSchedules(shared);
  const url = await newSchedule();
  await advance(DAY_SECONDS / 2);
  const listing = service.database.transaction(async (tx) => {
    // Schedules of a locked customer wait. Two hours ahead is past for an account whose clock is half a day ahead.
    await tx`select 1 from customer where bucket = ${bucketOf(idOf(customer))} and id = ${idOf(customer)} for update`;
    await sql`update schedule set next = now() + interval '2 hours' where id = ${idOf(url)}`;
    let rows: Row[] | undefined;
    const listing = listed(t, '--late').then((found) => {
      rows = found;
    });
    await waitUntil('the command ends', async () => {
      await tx`select 1`;
      return rows !== undefined;
    });
    await listing;
    return rows!;
  });
  assert.deepEqual(
    (await listing).map(({ schedule_id }) => schedule_id),
    [idOf(url)],
  );
  await waitUntil('it has run', async () => (await listed(t, '--late')).length === 0);
});

test('a paused schedule does not run, a resumed one goes on, and the audit log says who did it', async (t) => {
  const { newSchedule, get, advance, decided, call } = await openSchedules(shared);
  const url = await newSchedule();
  const id = idOf(url);
  assert.equal((await run(t, 'pause', id, '--yes')).code, 0);
  assert.equal((await get(url)).status, 'paused');
  await advance(DAY_SECONDS);
  assert.deepEqual(await decided(url), []);
  assert.equal((await run(t, 'resume', id)).code, 0);
  await advance(DAY_SECONDS);
  assert.equal((await decided(url)).length, 1);
  const log = await shared.sql<{ action: string; actor: string }>`
    select action, actor from audit_entry where resource_id = ${id} order by id`;
  assert.deepEqual(
    log.map(({ action }) => action),
    ['pause_schedule', 'resume_schedule'],
  );
  assert.match(log[0]!.actor, /\(command line\)$/);
  assert.equal((await call('DELETE', url)).status, 200);
  assertOneLine(await run(t, 'resume', id), /^The schedule has ended\.$/m);
  assertOneLine(await run(t, 'pause', '01890000-0000-7000-8000-000000000000', '--yes'), /There is no schedule 01890000/);
  assertOneLine(await run(t, 'pause', 'x', '--yes'), /There is no schedule x\./);
});
