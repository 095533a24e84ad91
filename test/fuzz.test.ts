// Every operation fed with what nobody should send, and bytes that are almost HTTP; `npm run test:fuzz` does it longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyLedger } from '../src/ledger/verify.ts';
import { assertUnharmed, FED, feed, openTarget } from './fuzz/fuzz.ts';
import { cases, tryCase, trySlow } from './fuzz/raw.ts';
import { picture } from './support/pictures.ts';
import { openRandom } from './support/random.ts';
import { startService } from './support/service.ts';

/** Always the same, so that a failure here is about what was changed; the long run draws its own. */
const SEED = 6;
const INPUTS = 1500;
const AT_ONCE = 8;

test('whatever an operation is sent, it answers as the OpenAPI document says', async (t) => {
  const service = await startService(t, { env: FED });
  const target = await openTarget(service, await picture());
  const figures = await feed(target, openRandom(SEED), { until: (sent) => sent >= INPUTS, atOnce: AT_ONCE });
  assert.equal(figures.inputs, INPUTS);
  t.diagnostic(JSON.stringify(figures));
  for (const status of [200, 201, 400, 401, 403, 404, 405, 406, 409, 413, 415, 431])
    assert.ok(figures.statuses[status], `${status} was met`);
  await assertUnharmed(target, () => verifyLedger(service.sql));
});

test('text that no database keeps is refused in every query', async (t) => {
  const service = await startService(t, { env: FED });
  const { operations, known } = await openTarget(service, await picture());
  const random = openRandom(SEED);
  let asked = 0;
  for (const { method, path, parameters } of operations) {
    const at = path.replace(/\{[^}]+\}/, () => known.pick(random, path.split('/')[1]).split('/').at(-1)!);
    for (const { name } of parameters.filter((one) => one.in === 'query')) {
      asked += 1;
      assert.equal((await service.call(method, `${at}?${name}=%00`)).status, 400, `${path} ${name}`);
    }
  }
  assert.ok(asked > 20, `${asked} parameters`);
});

test('bytes that two could read differently are refused, and nothing hides behind them', async (t) => {
  const { port } = await startService(t, { env: FED });
  for (const one of cases) await t.test(one.name, () => tryCase(port, one));
});

test('what comes too slowly is ended, and holds up nobody', async (t) => {
  const { port } = await startService(t, { env: { ...FED, REQUEST_TIMEOUT_SECONDS: '2' } });
  await trySlow(port, { times: 3 });
});
