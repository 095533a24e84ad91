// Tests of the processes that decode and read pictures: tasks that hang, wait, crash or use too much memory.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROCESS_OPTIONS } from '../../../packages/document-reader/src/process-options.ts';
import { isAlive } from '../../../test/support/process.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';

type Task = 'answer' | 'hang' | 'wait' | 'crash' | 'grow' | 'allocate' | { attempt: string; target: string };

const PROGRAM = new URL('../../../test/support/unruly-process.ts', import.meta.url);
const ENDLESS = 60_000;
const MUCH = 1e12;

/** The process that answers. */
async function pidOf({ run }: ProcessPool<Task, number | string>): Promise<number> {
  const tried = await run('answer');
  assert.equal(tried.state, 'done');
  return tried.state === 'done' ? Number(tried.result) : 0;
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
  const limits = { wallMs: ENDLESS };
  const pool = openProcessPool<Task, number>(PROGRAM, limits);
  t.after(pool.close);
  const stopped = await pidOf(pool);
  process.kill(stopped, 'SIGSTOP');
  limits.wallMs = 100;
  assert.deepEqual(await pool.run('answer'), { state: 'unfinished' });
  limits.wallMs = ENDLESS;
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

test('a process cannot read or write files, start programs, or reach the service', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'earmark-confined-'));
  t.after(() => rm(folder, { recursive: true }));
  const secret = join(folder, 'encryption-key');
  await writeFile(secret, 'secret', { mode: 0o600 });
  const pool = openProcessPool<Task, string>(PROGRAM);
  t.after(pool.close);
  const attempts = [
    ['read', secret],
    ['read', `/proc/${process.pid}/environ`],
    ['write', join(folder, 'new')],
    ['execute', '/bin/true'],
  ] as const;
  for (const [attempt, target] of attempts) {
    assert.deepEqual(await pool.run({ attempt, target }), { state: 'done', result: 'ERR_ACCESS_DENIED' }, `${attempt} ${target}`);
  }
  // Another user is possible for root only.
  const signalled = process.getuid?.() === 0 ? 'EPERM' : 'succeeded';
  const tried = await pool.run({ attempt: 'signal', target: `${process.pid}` });
  assert.deepEqual(tried, { state: 'done', result: signalled });
});

test('a process has little memory for what is young, one arena for its threads, and no setting of the service', async (t) => {
  if (process.platform !== 'linux') return;
  const pool = openProcessPool<Task, number>(PROGRAM);
  t.after(pool.close);
  const pid = await pidOf(pool);
  const entries = async (name: string) => (await readFile(`/proc/${pid}/${name}`, 'utf8')).split('\0').filter(Boolean);
  const environment = (await entries('environ')).filter((entry) => !entry.startsWith('NODE_CHANNEL_'));
  assert.deepEqual(environment, ['MALLOC_ARENA_MAX=1']);
  const args = await entries('cmdline');
  for (const option of PROCESS_OPTIONS.execArgv) assert.ok(args.includes(option), option);
});

test('the kernel ends a process that allocates too much outside of its heap', async (t) => {
  // macOS does not have it.
  if (!existsSync('/usr/bin/prlimit')) return;
  const pool = openProcessPool<Task, number>(PROGRAM, { cpuMs: ENDLESS, residentBytes: MUCH });
  t.after(pool.close);
  const limited = await pidOf(pool);
  const limits = await readFile(`/proc/${limited}/limits`, 'utf8');
  assert.match(limits, /^Max data size +2147483648 /m);
  assert.match(limits, /^Max core file size +0 /m);
  assert.deepEqual(await pool.run('allocate'), { state: 'failed' });
  assert.notEqual(await pidOf(pool), limited);
});
