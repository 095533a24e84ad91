// The child side of a process pool: does the tasks that the parent sends, one at a time.
import sharp from 'sharp';

/** `residentBytes`: the memory of the process after the task. The parent ends a process that has grown too large. */
export type Done<Result> = { result: Result; residentBytes: number };

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
  process.on('message', async (task: Task) => {
    const result = await work(task);
    process.send!({ result, residentBytes: process.memoryUsage.rss() } satisfies Done<Result>);
  });
  process.send!('ready');
}
