// `npm run long -- simulate --seed N --steps N`: runs a simulation from a seed, which repeats it.
import { globalSetup, globalTeardown } from '../global-setup.ts';
import { runLongTest } from '../support/long-test.ts';
import { simulate } from './simulate.ts';

const STEPS = 20_000;

await runLongTest('simulate', { steps: STEPS }, async ({ t, options }) => {
  await globalSetup();
  t.after(globalTeardown);
  const figures = await simulate(t, options);
  return { ...figures };
});
