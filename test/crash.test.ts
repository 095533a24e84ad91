// kill -9 of the service, of its database server, of both, under load at random moments; `npm run test:crash` does it longer.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pause } from './crash/pause.ts';
import { crash } from './crash/rounds.ts';
import { openTarget } from './crash/target.ts';
import { scratch } from './support/process.ts';
import { anySeed, openRandom } from './support/random.ts';

const ROUNDS = 20;
const PAUSE_MS = 1500;

/** Each round starts processes: it takes its time where every core is busy. */
const TIMEOUT_MS = 600_000;

test('killed at random moments, nothing acknowledged is lost and nothing is done twice', { timeout: TIMEOUT_MS }, async (t) => {
  const seed = anySeed();
  t.diagnostic(`seed ${seed}`);
  const target = await openTarget(t, join(scratch(t), 'data'));
  const random = openRandom(seed);
  const { held, ...figures } = await crash(target, ROUNDS, random, (line) => t.diagnostic(line));
  assert.equal(figures.rounds, ROUNDS);
  assert.ok(figures.acknowledged > ROUNDS, 'there was load');
  assert.ok(figures.unknown > 0, 'some were cut off');

  // And paused for a while beside a second one.
  const paused = await pause(t, target, held, { pauseMs: PAUSE_MS, random });
  assert.ok(paused.unknown > 0, 'some had no answer in time');

  // Before its server is ended, which it would start again.
  const { child, ended } = target.service();
  child.kill('SIGTERM');
  assert.equal((await ended).code, 0);
});
