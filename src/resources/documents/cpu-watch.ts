// Thread that ends its process when the CPU time of the process reaches a limit, also in the middle of native code.
import { isMainThread, workerData } from 'node:worker_threads';

export const NO_LIMIT = -1;

const CHECK_MS = 50;

/** CPU time of all threads of this process. */
export function cpuNowMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

if (!isMainThread) watch(workerData as Int32Array<SharedArrayBuffer>);

/** Waits without an event loop: until a limit is set, and then until it is changed or reached. */
function watch(limit: Int32Array<SharedArrayBuffer>): never {
  for (;;) {
    const limitMs = Atomics.load(limit, 0);
    const waited = Atomics.wait(limit, 0, limitMs, limitMs === NO_LIMIT ? Number.POSITIVE_INFINITY : CHECK_MS);
    // SIGVTALRM is the signal of a limit of CPU time that writes no core dump, which would hold the picture.
    if (waited === 'timed-out' && cpuNowMs() >= limitMs) process.kill(process.pid, 'SIGVTALRM');
  }
}
