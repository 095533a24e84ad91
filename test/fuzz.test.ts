// Hostile input to every operation, and malformed HTTP; `npm run long -- fuzz` runs it longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyInSlices } from '../src/apps/service/ledger-check.ts';
import { assertUnharmed, FUZZ_SETTINGS, openTarget, sendRequests } from './fuzz/fuzz.ts';
import { cases, tryCase, trySlow } from './fuzz/raw.ts';
import { picture } from './support/pictures.ts';
import { openRandom } from './support/random.ts';
import { startService } from './support/service.ts';

/** A fixed seed, so that a failure here comes from a change; the long run draws its own. */
const SEED = 8;
const INPUTS = 2000;
const AT_ONCE = 8;

test('answers hostile requests as the OpenAPI document declares', async (t) => {
  const service = await startService(t, { env: FUZZ_SETTINGS });
  const target = await openTarget(service, await picture());
  const figures = await sendRequests(target, openRandom(SEED), { until: (sent) => sent >= INPUTS, atOnce: AT_ONCE });
  assert.equal(figures.inputs, INPUTS);
  t.diagnostic(JSON.stringify(figures));
  for (const status of [200, 201, 400, 401, 403, 404, 405, 406, 409, 413, 415, 431])
    assert.ok(figures.statuses[status], `${status} was answered`);
  await assertUnharmed(target, () => verifyInSlices(service.service.database));
});

test('refuses text that PostgreSQL cannot store in every query', async (t) => {
  const service = await startService(t, { env: FUZZ_SETTINGS });
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

test('refuses bytes that two parsers read differently, and closes the connection', async (t) => {
  const { port } = await startService(t, { env: FUZZ_SETTINGS });
  for (const one of cases) await t.test(one.name, () => tryCase(port, one));
});

test('closes connections that send too slowly, without delaying others', async (t) => {
  const { port } = await startService(t, { env: { ...FUZZ_SETTINGS, REQUEST_TIMEOUT_SECONDS: '2' } });
  await trySlow(port, { times: 3 });
});
