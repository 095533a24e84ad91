// Reads in a child process, so that the drawing of pictures takes no part in what is measured: its garbage, its threads and its memory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { PROCESS_OPTIONS } from '../src/process-options.ts';
import type { readPicture } from '../src/read-picture.ts';
import type { Reading } from '../src/reading.ts';

export type Order = { picture: Uint8Array; about: Parameters<typeof readPicture>[1] };
/** `cpuMs`: of all threads, for this picture. `residentMb`: the most that the process has had. */
export type Taken = { reading: Reading; cpuMs: number; residentMb: number };
export type Reader = { read(order: Order): Promise<Taken>; close(): void };

export async function openReader(): Promise<Reader> {
  const child = fork(new URL('./read-process.ts', import.meta.url), {
    ...PROCESS_OPTIONS,
    serialization: 'advanced',
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the reader ended');
  });
  ended.catch(() => {});
  const hear = async () => ((await Promise.race([once(child, 'message'), ended])) as [unknown])[0];
  await hear();
  return {
    async read(order) {
      child.send(order);
      return (await hear()) as Taken;
    },
    close: () => child.disconnect(),
  };
}
