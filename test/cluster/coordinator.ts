// The coordinator of a cluster is no bottleneck of money: while it does not answer, reallocations go on and services stay ready. Run by
// run.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/statistics.ts';
import { call, tokenOf } from '../support/http.ts';
import { sandboxOf } from '../support/process.ts';
import { openRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait.ts';
import { checkAll, stopUnharmed } from './fault-check.ts';
import { startFaultLoad } from './fault-load.ts';
import { type FaultTarget, openFaultTarget } from './fault-target.ts';
import { continueServer, crashServer, stopServer } from './server-processes.ts';

const STOPPED_MS = 10_000;
/** Answers to each customer after that time. */
const SERVED_EACH = 5;
/** So small that reads which wait for the coordinator would fill it. */
const MAX_REQUESTS = '100';
/** The interval of the health check in deploy/haproxy.cfg. */
const HEALTH_CHECK_MS = 200;
const READ_EVERY_MS = 100;
/** A probe finds out that the coordinator is away. */
const NOTICED_WITHIN_MS = 3_000;
/** The time of what does not wait for the coordinator, as a multiple of that of a reallocation on the same machine. */
const TIMES_MOST = 3;
const DEGRADED = '{"status":"degraded","away":["coordinator"]}';

test('reallocations on open lanes go on for ten seconds without the coordinator', async (t) => {
  const target = await openFaultTarget(t, { MAX_REQUESTS });
  const { coordinator } = target.cluster;
  const attempts = [];
  for (const [name, begin, end] of [
    ['stopped', () => stopServer(coordinator), async () => continueServer(coordinator)],
    ['killed', () => crashServer(coordinator), coordinator.start],
  ] as const) {
    const load = startFaultLoad(t, { ...target, random: openRandom(1), name });
    const health = startHealthChecks(target);
    t.after(() => health.stop().catch(() => {}));
    await sleep(1_000);
    begin();
    const reads = startReads(target);
    t.after(async () => void (await reads.stop().catch(() => {})));
    const beginMs = performance.now();
    await sleep(STOPPED_MS);
    assert.ok(await tokenOf(target.url, sandboxOf(target.dataDir)), 'a known application gets a token');
    await load.served(SERVED_EACH);
    await waitUntil('it is degraded', () => health.last() === DEGRADED);
    const readMs = await reads.stop();
    const healthMs = health.tookMs.splice(0);
    const callMs = load.calls.filter(({ sentMs }) => sentMs > beginMs).map(({ sentMs, answeredMs }) => answeredMs - sentMs);
    await end();
    await waitUntil('it is no longer degraded', () => health.last() === '{"status":"ok"}');
    await health.stop();
    attempts.push(...(await stopUnharmed(target, load)));
    for (const [what, tookMs] of Object.entries({ health: healthMs, reads: readMs })) {
      const [took, other] = [median(tookMs), median(callMs)];
      assert.ok(took <= TIMES_MOST * other, `${name}: ${what} waits: ${took} ms beside ${other} ms of a reallocation`);
    }
  }
  await checkAll(t, target, attempts);
});

/** Asks for readiness as a balancer does. Each answer must be 200. */
function startHealthChecks({ url }: FaultTarget) {
  const tookMs: number[] = [];
  let last = '';
  const stop = repeat(HEALTH_CHECK_MS, async () => {
    const sentMs = performance.now();
    const answer = await fetch(`${url}/health/ready`);
    last = await answer.text();
    tookMs.push(performance.now() - sentMs);
    assert.equal(answer.status, 200, last);
  });
  return { tookMs, last: () => last, stop };
}

/** Reads a customer again and again. Once the probe has noticed that the coordinator is away, the answer is 503. */
function startReads({ token, customers }: FaultTarget) {
  const beginMs = performance.now();
  const inFlight: Promise<void>[] = [];
  const tookMs: number[] = [];
  const read = async () => {
    const sentMs = performance.now();
    const { status } = await call(customers[0]!.customer, token);
    if (sentMs - beginMs < NOTICED_WITHIN_MS) return;
    assert.equal(status, 503);
    tookMs.push(performance.now() - sentMs);
  };
  const stop = repeat(READ_EVERY_MS, async () => {
    inFlight.push(read());
  });
  return {
    /** Returns how long the refusals took. */
    async stop(): Promise<number[]> {
      await stop();
      await Promise.all(inFlight);
      return tookMs;
    },
  };
}

/** Repeats work until it is stopped. Stopping throws the first error. */
function repeat(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let stopping = false;
  const run = async () => {
    while (!stopping) await Promise.all([work(), sleep(everyMs)]);
  };
  const running = run();
  running.catch(() => {});
  return async () => {
    stopping = true;
    await running;
  };
}
