// Loaded into a service under soak before anything else: tells its memory, after a garbage collection, to who started it.
import assert from 'node:assert/strict';

export type Memory = { heapBytes: number; rssBytes: number; externalBytes: number };

const { gc } = globalThis;
assert.ok(gc, 'started with --expose-gc');

process.on('message', () => {
  gc();
  const { heapUsed, rss, external } = process.memoryUsage();
  process.send?.({ heapBytes: heapUsed, rssBytes: rss, externalBytes: external } satisfies Memory);
});
// Not what keeps the process alive.
process.channel?.unref();
