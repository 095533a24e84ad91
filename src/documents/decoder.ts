// Decodes pictures in child processes: they can be killed while decoding, and a crash does not affect the service.
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import type { Decoded } from './decode-process.ts';

type Decoder = {
  /** Returns the clean copy of a JPEG or PNG, or undefined when it cannot be decoded completely within the time limit. */
  decode(file: Buffer): Promise<Buffer | undefined>;
  /** Kills every child process. */
  close(): void;
};

const TIME_LIMIT_MS = 3_000;
/** Long enough to load libvips on a busy machine. */
const START_LIMIT_MS = 30_000;
/** How long an idle process is kept for the next picture. */
const IDLE_MS = 60_000;
/** Beside this file, as .ts or compiled to .js. */
const PROGRAM = new URL(`./decode-process${extname(import.meta.url)}`, import.meta.url);

/** Opens a decoder with one process for each concurrent call of `decode`. */
export function openDecoder(): Decoder {
  const children = new Set<ChildProcess>();
  /** Idle processes, with the timers that kill them. */
  const idle = new Map<ChildProcess, NodeJS.Timeout>();

  async function start(): Promise<ChildProcess> {
    // The environment is empty: a process that decodes untrusted files must not know any secret.
    const child = fork(PROGRAM, {
      serialization: 'advanced',
      env: {},
      execArgv: [],
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
    throw new Error('the picture decoder process did not start');
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
    async decode(file) {
      const [reused] = idle.keys();
      if (reused) takeFromIdle(reused);
      const child = reused ?? (await start());
      child.send(file, () => {});
      const decoded = (await nextMessage(child, TIME_LIMIT_MS)) as Decoded | undefined;
      if (!decoded) {
        child.kill('SIGKILL');
        return undefined;
      }
      addToIdle(child);
      return decoded.copy && Buffer.from(decoded.copy.buffer, decoded.copy.byteOffset, decoded.copy.byteLength);
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
