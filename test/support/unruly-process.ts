// A child process of a pool that hangs, crashes or grows, as its task says, or answers with its process id.
import { setTimeout as sleep } from 'node:timers/promises';
import { serveTasks } from '../../src/documents/worker-process.ts';

const kept: unknown[] = [];

serveTasks(async (task: 'answer' | 'hang' | 'crash' | 'grow') => {
  if (task === 'hang') for (;;);
  if (task === 'crash') process.kill(process.pid, 'SIGSEGV');
  // Beyond the limit of the heap.
  if (task === 'grow') for (;;) kept.push(new Array(1_000_000).fill(kept.length));
  await sleep(1);
  return process.pid;
});
