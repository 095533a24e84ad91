// A child process of a pool that hangs, waits, crashes, grows or reaches out, as its task says, or answers with its process id.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuNowMs } from '../../src/resources/documents/cpu-watch.ts';
import { serveTasks } from '../../src/resources/documents/worker-process.ts';

const kept: unknown[] = [];
/** Uses half of the limit of CPU time of the tests, and then waits for longer than all of it. */
const BUSY_MS = 250;
const WAIT_MS = 700;

/** The signal 0 only asks whether the process may be signalled. */
const ATTEMPTS: Record<string, (target: string) => unknown> = {
  read: (path) => readFileSync(path),
  write: (path) => writeFileSync(path, 'x'),
  execute: (path) => execFileSync(path),
  signal: (pid) => process.kill(Number(pid), 0),
};

serveTasks(async (given: 'answer' | 'hang' | 'wait' | 'crash' | 'grow' | 'allocate' | { attempt: string; target: string }) => {
  if (typeof given === 'object') return tryTo(given);
  const task = given;
  if (task === 'wait') {
    for (const before = cpuNowMs(); cpuNowMs() - before < BUSY_MS; );
    await sleep(WAIT_MS);
  }
  if (task === 'hang') for (;;);
  if (task === 'crash') process.kill(process.pid, 'SIGSEGV');
  // Beyond the limit of the heap.
  if (task === 'grow') for (;;) kept.push(new Array(1_000_000).fill(kept.length));
  // Outside of the heap, as pixels are.
  if (task === 'allocate') for (;;) kept.push(Buffer.alloc(100_000_000, 1));
  await sleep(1);
  return process.pid;
});

function tryTo({ attempt, target }: { attempt: string; target: string }): string {
  try {
    ATTEMPTS[attempt]!(target);
    return 'succeeded';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'failed';
  }
}
