// Tests of the retry schedule and of Retry-After.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttempt, readRetryAfter } from './outcome.ts';

const first = new Date('2026-05-01T00:00:00Z');
const hour = 3_600_000;
const at = (ms: number) => new Date(first.getTime() + ms);
const HOURS = [0.25, 1, 3, 6, 12, 24, 48, 72];

test('retries 15 minutes, 1, 3, 6, 12, 24, 48 and 72 hours after the first attempt, within a tenth, then stops', () => {
  let now = first;
  HOURS.forEach((hours, index) => {
    const next = (chance: number) => nextAttempt({ attempts: index + 1, first, now, chance })!.getTime() - first.getTime();
    assert.equal(Math.round(next(0)), Math.round(hours * hour * 0.9));
    assert.equal(next(0.5), hours * hour);
    assert.ok(next(0.999_999) < hours * hour * 1.1 && next(0.999_999) > hours * hour * 1.09);
    // The earliest time of this attempt.
    now = at(hours * hour * 0.9);
  });
  assert.equal(nextAttempt({ attempts: 9, first, now, chance: 0.5 }), undefined);
});

test('a requested attempt does not move the schedule forward', () => {
  assert.deepEqual(nextAttempt({ attempts: 2, first, now: at(7 * hour), chance: 0.5 }), at(12 * hour));
  assert.equal(nextAttempt({ attempts: 3, first, now: at(100 * hour), chance: 0.5 }), undefined);
  assert.equal(nextAttempt({ attempts: 12, first, now: at(hour), chance: 0.5 }), undefined);
});

test('waits as long as Retry-After asks, up to a day', () => {
  const next = (retryAfterMs: number) => nextAttempt({ attempts: 1, first, now: first, chance: 0.5, retryAfterMs });
  assert.deepEqual(next(2 * hour), at(2 * hour));
  assert.deepEqual(next(1000), at(hour / 4));
  assert.deepEqual(next(1000 * hour), at(24 * hour));
  assert.equal(readRetryAfter('120', first), 120_000);
  assert.equal(readRetryAfter('Fri, 01 May 2026 00:30:00 GMT', first), hour / 2);
  assert.equal(readRetryAfter('Thu, 30 Apr 2026 00:00:00 GMT', first), 0);
  assert.deepEqual(
    ['soon', '', '-1x', undefined].map((value) => readRetryAfter(value, first)),
    [undefined, undefined, undefined, undefined],
  );
});
