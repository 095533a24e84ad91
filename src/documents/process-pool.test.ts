// Tests of the processes that decode and read pictures: tasks that hang, crash or use too much memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlive } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { openProcessPool } from './process-pool.ts';

const PROGRAM = new URL('../../test/support/unruly-process.ts', import.meta.url);
const ENDLESS = 60_000;
const MUCH = 1e12;

test('a task that hangs, crashes or grows has no result and ends its process, and the next one has another', async (t) => {
  const pool = openProcessPool<string, number>(PROGRAM, { timeMs: 1_000, residentBytes: MUCH });
  t.after(pool.close);
  const patient = openProcessPool<string, number>(PROGRAM, { timeMs: ENDLESS, residentBytes: MUCH });
  t.after(patient.close);
  for (const [{ run }, task] of [
    [pool, 'hang'],
    [patient, 'crash'],
    [patient, 'grow'],
  ] as const) {
    const first = (await run('answer'))!;
    assert.equal(await run('answer'), first, 'an idle process is used again');
    assert.equal(await run(task), undefined, task);
    await waitUntil('the process is gone', () => !isAlive(first));
    assert.notEqual(await run('answer'), first);
  }
});

test('a process that has grown too large ends after its task', async (t) => {
  const pool = openProcessPool<string, number>(PROGRAM, { timeMs: ENDLESS, residentBytes: 1 });
  t.after(pool.close);
  const first = (await pool.run('answer'))!;
  await waitUntil('the process is gone', () => !isAlive(first));
  assert.notEqual(await pool.run('answer'), first);
});
