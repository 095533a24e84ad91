// The coordinator of a cluster is no bottleneck of money: reallocations go on while it does not answer. Run by run.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRandom } from '../support/random.ts';
import { checkAll, stopUnharmed } from './fault-check.ts';
import { startFaultLoad } from './fault-load.ts';
import { openFaultTarget } from './fault-target.ts';
import { continueServer, crashServer, stopServer } from './server-processes.ts';

const STOPPED_MS = 10_000;

test('reallocations on open lanes go on for ten seconds without the coordinator', { timeout: 400_000 }, async (t) => {
  const target = await openFaultTarget(t);
  const { coordinator } = target.cluster;
  const all = new Set(target.customers.map(({ customer }) => customer));
  const attempts = [];
  for (const [name, begin, end] of [
    ['stopped', () => stopServer(coordinator), async () => continueServer(coordinator)],
    ['killed', () => crashServer(coordinator), coordinator.start],
  ] as const) {
    const load = startFaultLoad(target.caller, target.customers, openRandom(1), name);
    await sleep(1_000);
    begin();
    const beginMs = performance.now();
    await sleep(STOPPED_MS);
    const endMs = performance.now();
    const early = load.rate(all, beginMs, beginMs + STOPPED_MS / 2);
    const late = load.rate(all, beginMs + STOPPED_MS / 2, endMs);
    await end();
    attempts.push(...(await stopUnharmed(target, load)));
    assert.ok(late > early / 2, `${name}: the rate stays, ${early} and then ${late} per second`);
  }
  await checkAll(t, target, attempts);
});
