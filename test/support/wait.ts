// Polling for conditions that a test cannot await.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

type Truthy<T> = Exclude<T, false | null | undefined>;

const POLL_MS = 10;
const WITHIN_MS = 30_000;

/** Polls until the condition returns a truthy value, and returns it. Fails with `what` after `withinMs`. */
export async function waitUntil<T>(what: string, condition: () => T | Promise<T>, withinMs = WITHIN_MS): Promise<Truthy<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await condition();
    if (found) return found as Truthy<T>;
    assert.ok(performance.now() < deadline, `waited ${withinMs} ms in vain until ${what}`);
    await sleep(POLL_MS);
  }
}
