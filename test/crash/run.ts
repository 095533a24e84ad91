// `npm run long -- crash`: rounds of kill -9 under load, a service paused for a minute beside a second one, and a full disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLongTest } from '../support/long-test.ts';
import { runCli, scratch } from '../support/process.ts';
import { openRandom } from '../support/random.ts';
import type { TestScope } from '../support/test-scope.ts';
import { crashBatches } from './batches.ts';
import { crashDeposits } from './deposits.ts';
import { fillDisk, mountSmallDisk } from './disk.ts';
import { pause, pauseInTransaction } from './pause.ts';
import { crashReturns } from './returns.ts';
import { crash } from './rounds.ts';
import { openTarget } from './target.ts';

await runLongTest('crash', { rounds: 100, 'pause-seconds': 60 }, async ({ t, options, tell }) => {
  const random = openRandom(options.seed);
  const dataDir = join(scratch(t), 'data');
  const target = await openTarget(t, dataDir);
  tell('killing it during batches and reversals');
  const batches = await crashBatches(target, Math.ceil(options.rounds / 5), random);
  tell('killing it during deposits under an allocation rule');
  const deposits = await crashDeposits(target, Math.ceil(options.rounds / 5), random);
  tell('killing it during returns of deposits');
  const returns = await crashReturns(target, Math.ceil(options.rounds / 5), random);
  const { balances, ...killed } = await crash(target, options.rounds, random, tell);
  tell(`pausing the service for ${options['pause-seconds']} seconds beside a second one`);
  const paused = await pause(t, target, balances, { pauseMs: options['pause-seconds'] * 1000, random });
  const inTransaction = await pauseInTransaction(t, target);
  const { code, stdout } = await runCli(t, ['verify', '--full'], { DATA_DIR: dataDir });
  if (code !== 0) throw new Error(stdout);
  tell('filling the disk');
  return { ...killed, batches, deposits, returns, paused: { ...paused, ...inTransaction }, diskFull: await fullDisk(t) };

  async function fullDisk(t: TestScope) {
    const folder = mkdtempSync(join(tmpdir(), 'earmark-disk-'));
    t.after(async () => rmSync(folder, { recursive: true, force: true }));
    const refused = mountSmallDisk(t, folder);
    if (refused === undefined) return fillDisk(t, folder, random.fork());
    tell(`the full disk is skipped: ${refused}`);
    return { leftOut: refused };
  }
});
