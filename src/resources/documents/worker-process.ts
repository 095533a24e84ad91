// The child side of a process pool: does the tasks that the parent sends, one at a time.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import { cpuNowMs, NO_LIMIT } from './cpu-watch.ts';

/** What the parent sends: a task, and the CPU time that it may take. */
export type Order<Task> = { task: Task; cpuMs: number };
/** `residentBytes`: the memory of the process after the task. The parent ends a process that has grown too large. */
export type Done<Result> = { result: Result; residentBytes: number };

/** Beside this file, as .ts or compiled to .js. */
const WATCH = new URL(`./cpu-watch${extname(import.meta.url)}`, import.meta.url);
const WATCH_HEAP_MEGABYTES = 16;

/** Allows only the JPEG and PNG loaders of libvips, caches nothing, and says that the process is ready. */
export function serveTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });
  // SIGKILL, because process.exit() would wait for the picture being decoded.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // Ctrl-C signals the whole process group, but the service still needs this process for requests in flight.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const limitCpu = startWatch();
  process.on('message', async ({ task, cpuMs }: Order<Task>) => {
    limitCpu(cpuNowMs() + cpuMs);
    const result = await work(task);
    limitCpu(NO_LIMIT);
    process.send!({ result, residentBytes: process.memoryUsage.rss() } satisfies Done<Result>);
  });
  process.send!('ready');
}

/** Starts the thread that ends this process when its CPU time reaches a limit. Returns the function that sets the limit. */
function startWatch(): (limitMs: number) => void {
  const limit = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(NO_LIMIT);
  new Worker(WATCH, { workerData: limit, resourceLimits: { maxOldGenerationSizeMb: WATCH_HEAP_MEGABYTES } }).unref();
  return (limitMs) => {
    Atomics.store(limit, 0, Math.ceil(limitMs));
    Atomics.notify(limit, 0);
  };
}
