// A full disk: the data directory on a small file system, filled under load and freed again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endServer } from '../support/process.ts';
import type { Random } from '../support/random.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import { applyToBalances, assertLedger, compare, settleUnknown } from './ledger-check.ts';
import { type Attempt, startLoad } from './load.ts';
import { countReallocations, openingBalances, openTarget } from './target.ts';

type DiskFigures = { acknowledged: number; acknowledgedAfter: number; unknown: number; lost: number; wrong: number };

const MEGABYTE = 2 ** 20;
const SIZE_MB = 256;
/** Less than a new segment of the write-ahead log and the later growth of the tables. */
const LEFT_BYTES = 24 * MEGABYTE;
const CLIENTS = 32;
const STALLED_MS = 5_000;
const FULL_WITHIN_MS = 300_000;
const FULL_FOR_MS = 3_000;

/** Mounts a small file system in memory on a folder until `t` ends; returns the reason where that is not allowed. */
export function mountSmallDisk(t: TestScope, folder: string): string | undefined {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0700`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    return `mounting needs root: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`;
  }
  t.after(async () => void execFileSync('umount', [folder]));
  return undefined;
}

/** Fills the disk under load until nothing is acknowledged, frees it, and checks that the service recovers. */
export async function fillDisk(t: TestScope, folder: string, random: Random): Promise<DiskFigures> {
  const dataDir = join(folder, 'data');
  t.after(() => endServer(dataDir));
  const target = await openTarget(t, dataDir);
  const { database, accountId, customers, url } = target;
  const before = await countReallocations(database);
  const filler = join(folder, 'filler');
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - LEFT_BYTES));
  const service = target.service();
  const load = startLoad([target.caller], customers, random, CLIENTS, 'disk');
  const acknowledged = () => countAcknowledged(load.attempts);
  await stalled(acknowledged);
  const atFull = acknowledged();
  await sleep(FULL_FOR_MS);
  assert.equal((await fetch(`${url}/health/live`)).status, 200, 'the service is alive');
  assert.equal((await fetch(`${url}/health/ready`)).status, 503, 'the service is not ready');
  rmSync(filler);
  await target.ready();
  await waitUntil('reallocations are acknowledged again', () => acknowledged() > atFull);
  assert.equal(target.service(), service, 'the service was not restarted');
  const attempts = await load.stop();
  const { unknown } = await settleUnknown(target.caller, attempts);
  const { lost, wrong } = await compare(database, accountId, attempts);
  assert.deepEqual({ lost, wrong }, { lost: 0, wrong: 0 });
  const balances = openingBalances(customers);
  applyToBalances(balances, attempts);
  await assertLedger(database, balances, before + acknowledged());
  return { acknowledged: acknowledged(), acknowledgedAfter: acknowledged() - atFull, unknown, lost, wrong };
}

function countAcknowledged(attempts: Attempt[]): number {
  return attempts.filter(({ outcome }) => outcome === 'acknowledged').length;
}

/** Waits until a count stops changing. */
async function stalled(count: () => number): Promise<void> {
  const deadline = performance.now() + FULL_WITHIN_MS;
  for (let [last, sinceMs] = [count(), performance.now()]; performance.now() - sinceMs < STALLED_MS; await sleep(100)) {
    assert.ok(performance.now() < deadline, 'the disk does not fill');
    if (count() === last) continue;
    last = count();
    sinceMs = performance.now();
  }
}
