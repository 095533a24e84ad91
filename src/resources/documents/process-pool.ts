// Does tasks on untrusted files in child processes: they can be killed in the middle of a task, and a crash does not affect the service.
import { type ChildProcess, fork } from 'node:child_process';
import { PROCESS_OPTIONS } from '../../../packages/document-reader/src/process-options.ts';
import { confine } from './confinement.ts';
import type { Done, Order } from './worker-process.ts';

/** `failed`: another attempt would end the same way. `unfinished`: the machine did not let the task end, so it should be tried again later. */
export type Tried<Result> = { state: 'done'; result: Result } | { state: 'failed' } | { state: 'unfinished' };

export type ProcessPool<Task, Result> = {
  /** Does a task. It fails when it exceeds the limit of CPU time or ends its process. */
  run(task: Task): Promise<Tried<Result>>;
  /** Kills every child process. */
  close(): void;
};

export type Limits = {
  /** CPU time of a task, which does not depend on what else the machine does. */
  cpuMs: number;
  /** Longest time for a task, and for the start of a process. A task that exceeds it is unfinished. */
  wallMs: number;
  /** A process that has grown beyond this ends after its task. */
  residentBytes: number;
};

// A picture takes up to 2.3 s on an idle machine. Processes that share a core or its caches need more for the same work.
const LIMITS: Limits = { cpuMs: 10_000, wallMs: 60_000, residentBytes: 640 * 1024 * 1024 };
/** How long an idle process is kept for the next task. */
const IDLE_MS = 60_000;

/**
 * Opens a pool with one process for each concurrent call of `run`. `program` calls `serveTasks`. The limits may change: those at the begin
 * of a task or a start apply to it.
 */
export function openProcessPool<Task, Result>(program: URL, limits: Partial<Limits> = {}): ProcessPool<Task, Result> {
  const current = (): Limits => ({ ...LIMITS, ...limits });
  const children = new Set<ChildProcess>();
  /** Idle processes, with the timers that kill them. */
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  let confinement: ReturnType<typeof confine> | undefined;

  /** Returns undefined when the process is not ready in time. */
  async function start(): Promise<ChildProcess | undefined> {
    confinement ??= confine(program);
    // The environment of the service stays here: a process that decodes untrusted files must not know any secret.
    const child = fork(program, {
      ...(await confinement),
      serialization: 'advanced',
      env: PROCESS_OPTIONS.env,
      cwd: '/',
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
    const heard = await hear(child, current().wallMs);
    if (heard.state === 'done') return child;
    child.kill('SIGKILL');
    if (heard.state === 'failed') throw new Error('a process for pictures did not start');
    return undefined;
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
      if (!child) return { state: 'unfinished' };
      const { cpuMs, wallMs, residentBytes } = current();
      child.send({ task, cpuMs } satisfies Order<Task>, () => {});
      const heard = await hear(child, wallMs);
      if (heard.state !== 'done') {
        child.kill('SIGKILL');
        return heard;
      }
      const done = heard.result as Done<Result>;
      if (done.residentBytes <= residentBytes) addToIdle(child);
      else child.kill('SIGKILL');
      return { state: 'done', result: done.result };
    },
    close() {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

/** Waits for the next message of a process. Only this process, the kernel and the operator use SIGKILL: then nothing is known of the task. */
async function hear(child: ChildProcess, wallMs: number): Promise<Tried<unknown>> {
  const { promise, resolve } = Promise.withResolvers<Tried<unknown>>();
  const onMessage = (result: unknown) => resolve({ state: 'done', result });
  const onExit = (_code: number | null, signal: string | null) =>
    resolve({ state: signal === 'SIGKILL' ? 'unfinished' : 'failed' });
  const timer = setTimeout(() => resolve({ state: 'unfinished' }), wallMs);
  child.once('message', onMessage).once('exit', onExit);
  if (child.exitCode !== null || child.signalCode !== null) onExit(child.exitCode, child.signalCode);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off('message', onMessage).off('exit', onExit);
  }
}
