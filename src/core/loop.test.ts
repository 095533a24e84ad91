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

/** Starts a loop whose steps always have more to do, and returns the times between the starts of so many steps. */
async function timesBetween(steps: number, leastMs: number | undefined): Promise<number[]> {
  const stopping = new AbortController();
  const startsMs: number[] = [];
  const loop = startLoop({
    pollMs: () => HOUR_MS,
    ...(leastMs !== undefined && { leastMs }),
    async step() {
      const many = startsMs.push(performance.now());
      await nextTurn();
      if (many === steps) stopping.abort();
      else loop.wake();
      return true;
    },
    onError: rethrow,
    signal: stopping.signal,
  });
  await loop.ended;
  return startsMs.slice(1).map((startMs, index) => startMs - startsMs[index]!);
}

test('steps begin at the earliest after the least time, also if they are woken', async () => {
  for (const betweenMs of await timesBetween(5, LEAST_MS)) assert.ok(betweenMs > LEAST_MS - 2, `${betweenMs} ms`);
});

test('without a least time a step follows the one before it', async () => {
  assert.ok(Math.min(...(await timesBetween(5, undefined))) < LEAST_MS);
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
