// Random operations over the whole interface, with faults in between, against a model; `npm run long -- simulate` runs it longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulate/simulate.ts';
import { anySeed } from './support/random.ts';

const STEPS = 150;

test('answers as the model does', async (t) => {
  const seed = anySeed();
  const { steps, faults, events } = await simulate(t, { seed, steps: STEPS });
  t.diagnostic(`npm run long -- simulate --seed ${seed} --steps ${STEPS}: ${JSON.stringify(faults)}, ${events} events`);
  assert.equal(steps, STEPS);
});
