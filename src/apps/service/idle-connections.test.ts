// Connections to the database that stay open while nobody asks for anything: the first request after a pause waits for none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../../test/support/service.ts';

/** After it, `pg` closes idle connections. */
const IDLE_MS = 10_500;

test('a lane is connected from the start, and stays connected while it is idle', async (t) => {
  const { service, sql, newLabels, create, reallocation } = await startService(t, { processes: 1 });
  const { groups } = service;
  assert.equal(groups.connections().total, groups.count);
  // Of the lane: no other connection of the service calls this function.
  const callers = async () => {
    const rows = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = current_database() and query like '%from post\_transfers(%' and pid <> pg_backend_pid()`;
    return rows.map(({ pid }) => pid);
  };
  const before = await callers();
  assert.equal(before.length, groups.count);
  await sleep(IDLE_MS);
  const { from, to } = await newLabels();
  await create('/label-reallocations', reallocation(from, to, '1.00'));
  assert.deepEqual(await callers(), before);
});
