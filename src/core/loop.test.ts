import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startLoop } from './loop.ts';

const LEAST_MS = 30;
const HOUR_MS = 3_600_000;

/** Rejects the end of the loop. */
function rethrow(error: unknown): never {
  throw error;
}

/** Starts a loop whose steps always have more to do, and returns when so many steps started, since before the loop. */
async function startsOf(steps: number, leastMs: number | undefined): Promise<number[]> {
  const stopping = new AbortController();
  const startsMs: number[] = [];
  const openedMs = performance.now();
  const loop = startLoop({
    pollMs: () => HOUR_MS,
    ...(leastMs !== undefined && { leastMs }),
    async step() {
      const many = startsMs.push(performance.now() - openedMs);
      await nextTurn();
      if (many === steps) stopping.abort();
      else loop.wake();
      return true;
    },
    onError: rethrow,
    signal: stopping.signal,
  });
  await loop.ended;
  return startsMs;
}

test('steps begin at the earliest after the least time, also if they are woken', async () => {
  // A timer may end a millisecond early.
  for (const [before, startMs] of (await startsOf(5, LEAST_MS)).entries())
    assert.ok(startMs >= before * (LEAST_MS - 2), `${startMs} ms after ${before} steps`);
});

test('without a least time a step follows the one before it', async () => {
  const starts = await startsOf(5, undefined);
  assert.ok(Math.min(...starts.slice(1).map((startMs, before) => startMs - starts[before]!)) < LEAST_MS);
});

test('the end of a loop ends the pause after its last step', async () => {
  const stopping = new AbortController();
  const loop = startLoop({
    pollMs: () => HOUR_MS,
    leastMs: HOUR_MS,
    async step() {
      setTimeout(() => stopping.abort());
      return true;
    },
    onError: rethrow,
    signal: stopping.signal,
  });
  await loop.ended;
});
