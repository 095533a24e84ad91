// Failover of the database to a synchronous standby, under load.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from './crash/load.ts';
import { openingBalances } from './crash/target.ts';
import { audit, checkMoney, covered, keyOf } from './failover/after.ts';
import { openPair } from './failover/pair.ts';
import { assertOneLine, runCli, scratch } from './support/process.ts';
import { anySeed, openRandom } from './support/random.ts';

const CLIENTS = 8;
const WARM_UP_MS = 500;

test('a service with the addresses of both servers follows a failover and loses nothing', async (t) => {
  const seed = anySeed();
  t.diagnostic(`seed ${seed}`);
  const folder = scratch(t);
  const pair = await openPair(t, folder, { synchronous: true });
  const onStandby = { DATABASE_URL: pair.standby.url, DATA_DIR: pair.dataDir, MODE: 'sandbox', PORT: '0' };
  assertOneLine(
    await runCli(t, ['serve'], onStandby),
    /^The database server is a standby, .* postgres:\/\/user:password@a,b\/database\.$/m,
  );

  const before = await covered(pair);
  const load = startLoad([pair.caller], pair.customers, openRandom(seed), CLIENTS, 'failover');
  let sent = 0;
  try {
    await sleep(WARM_UP_MS);
    await pair.primary.crash();
    await pair.standby.promote();
    sent = load.attempts.length;
    await pair.ready();
    await sleep(WARM_UP_MS);
  } finally {
    await load.stop();
  }
  const figures = await checkMoney(pair, load.attempts, openingBalances(pair.customers), 0);
  t.diagnostic(JSON.stringify(figures));
  assert.ok(sent > 0 && load.attempts.length > sent, 'the service went on');

  const after = await covered(pair);
  assert.ok(after.size > before.size);
  writeFileSync(join(folder, 'before'), before.note);
  const audited = await audit(t, pair, { key: await keyOf(pair), checkpoint: join(folder, 'before') });
  assert.equal(audited.code, 0, audited.stdout);
});
