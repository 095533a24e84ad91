// Shared runs: each caller gets a run that began after its call, and no run that fails or hangs holds others up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareRuns } from './shared-run.ts';

/** Work whose runs the test ends; `begun` counts them. */
function openWork() {
  const runs: PromiseWithResolvers<number>[] = [];
  const share = shareRuns(() => {
    runs.push(Promise.withResolvers());
    return runs.at(-1)!.promise;
  });
  return { share, runs };
}

const settled = () => new Promise((resume) => setTimeout(resume, 5));

test('callers during a run share the next one', async () => {
  const { share, runs } = openWork();
  const first = share();
  const later = [share(), share(), share()];
  assert.equal(runs.length, 1);
  runs[0]!.resolve(1);
  assert.equal(await first, 1);
  await settled();
  const last = share();
  assert.equal(runs.length, 2);
  runs[1]!.resolve(2);
  assert.deepEqual(await Promise.all(later), [2, 2, 2]);
  await settled();
  runs[2]!.resolve(3);
  assert.equal(await last, 3);
});

test('a run that fails fails its own callers only', async () => {
  const { share, runs } = openWork();
  const first = share();
  const later = share();
  runs[0]!.reject(new Error('broken'));
  await assert.rejects(first, /broken/);
  await settled();
  runs[1]!.resolve(2);
  assert.equal(await later, 2);
});

test('a run that hangs delays others for a moment only', async () => {
  const { share, runs } = openWork();
  const first = share();
  const later = share();
  while (runs.length < 2) await settled();
  runs[1]!.resolve(2);
  assert.equal(await later, 2);
  runs[0]!.resolve(1);
  assert.equal(await first, 1);
});
