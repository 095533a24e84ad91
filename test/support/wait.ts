// Polling for conditions that a test cannot await.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

type Truthy<T> = Exclude<T, false | null | undefined>;

/** Only what hangs takes this long, however busy the machine is. */
export const HANGS_MS = 600_000;
const POLL_MS = 10;
const isOnCluster = process.env.EARMARK_TEST_CLUSTER !== undefined;
/** Less than the limit of a test in the suite, which would not say what was waited for. On a cluster only what hangs is ended. */
const WITHIN_MS = isOnCluster ? HANGS_MS : 100_000;

/** The limit of what takes longer than others of its kind. On a cluster the default applies: only what hangs is ended. */
export const longerMs = (ms: number): number | undefined => (isOnCluster ? undefined : ms);

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
