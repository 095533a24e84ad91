// Decodes pictures in processes of their own: only a process can be stopped in the middle of a picture, and only it dies of a bad one.
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import type { Decoded } from './decode-process.ts';

export type Decoder = {
  /** The clean copy of a JPEG or PNG, or undefined when it cannot be decoded whole, or not in time. */
  decode(file: Buffer): Promise<Buffer | undefined>;
  /** Ends every process. */
  close(): void;
};

const TIME_LIMIT_MS = 3_000;
/** Loading libvips, on a machine that is busy. */
const START_LIMIT_MS = 30_000;
/** How long a process without work is kept for the next picture. */
const IDLE_MS = 60_000;
/** Compiled or not, it stands beside this file. */
const PROGRAM = new URL(`./decode-process${extname(import.meta.url)}`, import.meta.url);

/** Opens a decoder, which has as many processes as there are calls of `decode` at once. */
export function openDecoder(): Decoder {
  const children = new Set<ChildProcess>();
  /** Processes without work, with the timers that end them. */
  const idle = new Map<ChildProcess, NodeJS.Timeout>();

  async function start(): Promise<ChildProcess> {
    // It gets no setting: what decodes the files of strangers knows no secret.
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
      wake(child);
    });
    if ((await nextMessage(child, START_LIMIT_MS)) !== undefined) return child;
    child.kill('SIGKILL');
    throw new Error('the process that decodes pictures does not start');
  }

  function rest(child: ChildProcess): void {
    const end = () => {
      wake(child);
      child.kill('SIGKILL');
    };
    idle.set(child, setTimeout(end, IDLE_MS).unref());
  }

  function wake(child: ChildProcess): void {
    clearTimeout(idle.get(child));
    idle.delete(child);
  }

  return {
    async decode(file) {
      const [rested] = idle.keys();
      if (rested) wake(rested);
      const child = rested ?? (await start());
      child.send(file, () => {});
      const decoded = (await nextMessage(child, TIME_LIMIT_MS)) as Decoded | undefined;
      if (!decoded) {
        child.kill('SIGKILL');
        return undefined;
      }
      rest(child);
      return decoded.copy && Buffer.from(decoded.copy.buffer, decoded.copy.byteOffset, decoded.copy.byteLength);
    },
    close() {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

/** What a process sends next, or undefined when it ends or stays silent for too long. */
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
