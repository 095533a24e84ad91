// Tests of the processes that decode and read pictures: tasks that hang, wait, crash or use too much memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlive } from '../../test/support/process.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';

type Task = 'answer' | 'hang' | 'wait' | 'crash' | 'grow';

const PROGRAM = new URL('../../test/support/unruly-process.ts', import.meta.url);
const ENDLESS = 60_000;
const MUCH = 1e12;

/** The process that answers. */
async function pidOf({ run }: ProcessPool<Task, number>): Promise<number> {
  const tried = await run('answer');
  assert.equal(tried.state, 'done');
  return tried.state === 'done' ? tried.result : 0;
}

test('a task that uses up its CPU time, crashes or grows fails and ends its process, and the next one has another', async (t) => {
  const pool = openProcessPool<Task, number>(PROGRAM, { cpuMs: 500 });
  t.after(pool.close);
  const patient = openProcessPool<Task, number>(PROGRAM, { cpuMs: ENDLESS, residentBytes: MUCH });
  t.after(patient.close);
  for (const [tried, task] of [
    [pool, 'hang'],
    [patient, 'crash'],
    [patient, 'grow'],
  ] as const) {
    const first = await pidOf(tried);
    assert.equal(await pidOf(tried), first, 'an idle process is used again');
    assert.deepEqual(await tried.run(task), { state: 'failed' }, task);
    await waitUntil('the process is gone', () => !isAlive(first));
    assert.notEqual(await pidOf(tried), first);
  }
});

test('time that a task does not compute does not count, and neither does what its process computed before', async (t) => {
  const pool = openProcessPool<Task, number>(PROGRAM, { cpuMs: 500 });
  t.after(pool.close);
  const first = await pidOf(pool);
  for (let turn = 0; turn < 3; turn++) assert.deepEqual(await pool.run('wait'), { state: 'done', result: first });
});

test('a task that the machine does not let end is unfinished, and so is one whose process is killed', async (t) => {
  const pool = openProcessPool<Task, number>(PROGRAM, { wallMs: 3_000 });
  t.after(pool.close);
  const stopped = await pidOf(pool);
  process.kill(stopped, 'SIGSTOP');
  assert.deepEqual(await pool.run('answer'), { state: 'unfinished' });
  await waitUntil('the process is gone', () => !isAlive(stopped));
  const killed = await pidOf(pool);
  const waiting = pool.run('hang');
  process.kill(killed, 'SIGKILL');
  assert.deepEqual(await waiting, { state: 'unfinished' });
  await pidOf(pool);
});

test('a process that has grown too large ends after its task', async (t) => {
  const pool = openProcessPool<Task, number>(PROGRAM, { residentBytes: 1 });
  t.after(pool.close);
  const first = await pidOf(pool);
  await waitUntil('the process is gone', () => !isAlive(first));
  assert.notEqual(await pidOf(pool), first);
});
