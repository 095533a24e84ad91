// Preloaded into a service under soak: reports its memory after a garbage collection to the parent process.
import assert from 'node:assert/strict';

export type Memory = { heapBytes: number; rssBytes: number; externalBytes: number };

const { gc } = globalThis;
assert.ok(gc, 'started with --expose-gc');

process.on('message', () => {
  gc();
  const { heapUsed, rss, external } = process.memoryUsage();
  process.send?.({ heapBytes: heapUsed, rssBytes: rss, externalBytes: external } satisfies Memory);
});
// Must not keep the process alive.
process.channel?.unref();
