// A child process of a pool that hangs, waits, crashes or grows, as its task says, or answers with its process id.
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuNowMs } from '../../src/documents/cpu-watch.ts';
import { serveTasks } from '../../src/documents/worker-process.ts';

const kept: unknown[] = [];
/** Uses half of the limit of CPU time of the tests, and then waits for longer than all of it. */
const BUSY_MS = 250;
const WAIT_MS = 700;

serveTasks(async (task: 'answer' | 'hang' | 'wait' | 'crash' | 'grow') => {
  if (task === 'wait') {
    for (const before = cpuNowMs(); cpuNowMs() - before < BUSY_MS; );
    await sleep(WAIT_MS);
  }
  if (task === 'hang') for (;;);
  if (task === 'crash') process.kill(process.pid, 'SIGSEGV');
  // Beyond the limit of the heap.
  if (task === 'grow') for (;;) kept.push(new Array(1_000_000).fill(kept.length));
  await sleep(1);
  return process.pid;
});
