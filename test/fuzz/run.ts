// `npm run long -- fuzz --seed N --minutes N`: hostile input for some minutes, then malformed HTTP and slow requests.
import { verifyInSlices } from '../../src/apps/service/ledger-check.ts';
import { globalSetup, globalTeardown } from '../global-setup.ts';
import { runLongTest } from '../support/long-test.ts';
import { picture } from '../support/pictures.ts';
import { openRandom } from '../support/random.ts';
import { startService } from '../support/service.ts';
import { assertUnharmed, FUZZ_SETTINGS, openTarget, sendRequests } from './fuzz.ts';
import { cases, tryCase, trySlow } from './raw.ts';

const MINUTES = 5;
const AT_ONCE = 8;
const SLOW_AT_ONCE = 20;

await runLongTest('fuzz', { minutes: MINUTES }, async ({ t, options, tell }) => {
  await globalSetup();
  t.after(globalTeardown);
  const service = await startService(t, { env: FUZZ_SETTINGS });
  const target = await openTarget(service, await picture());
  const endMs = performance.now() + options.minutes * 60_000;
  const figures = await sendRequests(target, openRandom(options.seed), {
    until: () => performance.now() > endMs,
    atOnce: AT_ONCE,
  });
  await assertUnharmed(target, () => verifyInSlices(service.service.database));
  tell(
    `${figures.inputs} inputs to ${figures.operations} operations: no 5xx, no hang, every answer as the OpenAPI document says`,
  );
  for (const one of cases) await tryCase(service.port, one);
  const hurried = await startService(t, { env: { ...FUZZ_SETTINGS, REQUEST_TIMEOUT_SECONDS: '3' } });
  const slow = await trySlow(hurried.port, { times: SLOW_AT_ONCE });
  return { ...figures, serverErrors: 0, hung: 0, almostHttp: cases.length, slow: slow.length };
});
