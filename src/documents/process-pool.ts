// Does tasks on untrusted files in child processes: they can be killed in the middle of a task, and a crash does not affect the service.
import { type ChildProcess, fork } from 'node:child_process';
import type { Done } from './worker-process.ts';

export type ProcessPool<Task, Result> = {
  /** Returns the result of a task, or undefined when it exceeds the time limit or ends its process. */
  run(task: Task): Promise<Result | undefined>;
  /** Kills every child process. */
  close(): void;
};

type Limits = {
  /** Longest time for a task. */
  timeMs: number;
  /** A process that has grown beyond this ends after its task. */
  residentBytes: number;
};

const LIMITS: Limits = { timeMs: 3_000, residentBytes: 640 * 1024 * 1024 };
/** Long enough to load libvips on a busy machine. */
const START_LIMIT_MS = 30_000;
/** How long an idle process is kept for the next task. */
const IDLE_MS = 60_000;
/** The heap of JavaScript. Pixels are outside of it. */
const HEAP_MEGABYTES = 256;

/** Opens a pool with one process for each concurrent call of `run`. `program` calls `serveTasks`. */
export function openProcessPool<Task, Result>(program: URL, limits: Limits = LIMITS): ProcessPool<Task, Result> {
  const children = new Set<ChildProcess>();
  /** Idle processes, with the timers that kill them. */
  const idle = new Map<ChildProcess, NodeJS.Timeout>();

  async function start(): Promise<ChildProcess> {
    // The environment is empty: a process that decodes untrusted files must not know any secret.
    const child = fork(program, {
      serialization: 'advanced',
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.unref();
    child.channel?.unref();
    child.on('error', () => {});
    children.add(child);
    child.once('exit', () => {
      children.delete(child);
      takeFromIdle(child);
    });
    if ((await nextMessage(child, START_LIMIT_MS)) !== undefined) return child;
    child.kill('SIGKILL');
    throw new Error('a process for pictures did not start');
  }

  function addToIdle(child: ChildProcess): void {
    const end = () => {
      takeFromIdle(child);
      child.kill('SIGKILL');
    };
    idle.set(child, setTimeout(end, IDLE_MS).unref());
  }

  function takeFromIdle(child: ChildProcess): void {
    clearTimeout(idle.get(child));
    idle.delete(child);
  }

  return {
    async run(task) {
      const [reused] = idle.keys();
      if (reused) takeFromIdle(reused);
      const child = reused ?? (await start());
      child.send(task as Buffer, () => {});
      const done = (await nextMessage(child, limits.timeMs)) as Done<Result> | undefined;
      if (done && done.residentBytes <= limits.residentBytes) addToIdle(child);
      else child.kill('SIGKILL');
      return done?.result;
    },
    close() {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

/** The next message of a process, or undefined when it exits or exceeds the time limit. */
async function nextMessage(child: ChildProcess, limitMs: number): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const giveUp = () => resolve(undefined);
  const timer = setTimeout(giveUp, limitMs);
  child.once('message', resolve).once('exit', giveUp);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off('message', resolve).off('exit', giveUp);
  }
}
