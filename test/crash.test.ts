// kill -9 of the service, its database server, or both, at random moments under load; `npm run long -- crash` runs it longer.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { crashBatches } from './crash/batches.ts';
import { crashDeposits } from './crash/deposits.ts';
import { pause } from './crash/pause.ts';
import { crashReturns } from './crash/returns.ts';
import { crash } from './crash/rounds.ts';
import { KILLS, openTarget } from './crash/target.ts';
import { scratch } from './support/process.ts';
import { anySeed, openRandom } from './support/random.ts';

/** One of each kind. */
const ROUNDS = KILLS.length;
const BATCH_ROUNDS = 1;
const DEPOSIT_ROUNDS = 1;
const RETURN_ROUNDS = 1;
const PAUSE_MS = 1500;

/** Each round starts processes, which is slow on a busy machine. */
const TIMEOUT_MS = 600_000;

test('loses no acknowledged reallocation and repeats none when killed at random moments', { timeout: TIMEOUT_MS }, async (t) => {
  const seed = anySeed();
  t.diagnostic(`seed ${seed}`);
  const target = await openTarget(t, join(scratch(t), 'data'));
  const random = openRandom(seed);
  const batches = await crashBatches(target, BATCH_ROUNDS, random);
  t.diagnostic(`batches: ${JSON.stringify(batches)}`);
  const deposits = await crashDeposits(target, DEPOSIT_ROUNDS, random);
  t.diagnostic(`deposits: ${JSON.stringify(deposits)}`);
  const returns = await crashReturns(target, RETURN_ROUNDS, random);
  t.diagnostic(`returns: ${JSON.stringify(returns)}`);
  const { balances, ...figures } = await crash(target, ROUNDS, random, (line) => t.diagnostic(line));
  assert.equal(figures.rounds, ROUNDS);
  assert.ok(figures.acknowledged > ROUNDS, 'there was load');
  assert.ok(figures.unknown > 0, 'some requests were cut off');

  // Pause it beside a second service.
  const paused = await pause(t, target, balances, { pauseMs: PAUSE_MS, random });
  assert.ok(paused.unknown > 0, 'some requests timed out');

  // Stop the service before its server is stopped: it would restart it.
  const { child, ended } = target.service();
  child.kill('SIGTERM');
  assert.equal((await ended).code, 0);
});
