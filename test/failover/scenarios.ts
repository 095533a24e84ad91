// `npm run long -- failover`: what a failover, a standby that lags or hangs, and a restore to a moment do to money, feed and log.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from '../crash/load.ts';
import { openingBalances } from '../crash/target.ts';
import { query } from '../support/database.ts';
import { call } from '../support/http.ts';
import { runCli, runCliJson, scratch } from '../support/process.ts';
import { anySeed, openRandom } from '../support/random.ts';
import { copyServer, openReplica, startStandby } from '../support/replicated.ts';
import { waitUntil } from '../support/wait.ts';
import { audit, checkMoney, covered, keyOf, newestCheckpoint } from './after.ts';
import { openPair, type Pair, setSynchronous } from './pair.ts';

const CLIENTS = 8;
const LOAD_MS = 2_000;
const ROUNDS = 3;
const HELD = /has signed it|entries, and the checkpoint in CHECKPOINT_DIR|differs from the checkpoint in CHECKPOINT_DIR/;

test('synchronous failovers, back and forth, lose nothing', async (t) => {
  const folder = scratch(t);
  const pair = await openPair(t, folder, { synchronous: true });
  const random = seeded(t);
  const [balances, first] = [openingBalances(pair.customers), await covered(pair)];
  let before = 0;
  let { primary, standby } = pair;
  for (let round = 1; round <= ROUNDS; round++) {
    const load = startLoad([pair.caller], pair.customers, random, CLIENTS, `round-${round}`);
    await sleep(LOAD_MS);
    await primary.crash();
    await standby.promote();
    await setSynchronous(standby, '');
    await pair.ready();
    await sleep(LOAD_MS);
    await load.stop();
    const figures = await checkMoney(pair, load.attempts, balances, before);
    before += figures.acknowledged;
    t.diagnostic(JSON.stringify(figures));
    await requireAudit(t, pair, join(folder, 'first'), first.note);
    if (round === ROUNDS) break;
    // The server that died comes back as a standby, made anew at its address.
    const { name, port } = primary;
    const next = await startStandby(t, standby, { name: `${name}_${round}`, folder, port });
    await setSynchronous(standby, next.name);
    [primary, standby] = [standby, next];
  }
});

test('after a failover to a standby that lags the log is held, and a fork of it goes on', async (t) => {
  const folder = scratch(t);
  const pair = await openPair(t, folder, { synchronous: false });
  await covered(pair);
  // A standby that only hangs still has what waits in its sockets.
  await pair.standby.crash();
  await spend(t, pair);
  const [lost, key] = [await covered(pair), await keyOf(pair)];
  await pair.primary.crash();
  await pair.standby.start();
  await pair.standby.promote();
  await pair.ready();
  await spend(t, pair);
  await held(pair);
  const served = await newestCheckpoint(pair);
  assert.ok(served.size < lost.size, 'what the standby has is served, and nothing new is signed');
  const at = pair.settings;
  const mark = join(pair.marks, `${pair.accountId}.checkpoint`);
  assert.equal(readFileSync(mark, 'utf8'), lost.note);
  const refused = await runCli(t, ['log', 'continue', '--checkpoint', mark], { ...at, DATA_DIR: pair.dataDir });
  assert.match(refused.stderr, /entries are lost|differs from the checkpoint/);
  await requireVerified(t, pair);
  await runCliJson(t, ['log', 'continue', '--fork-log', '--yes'], { ...at, DATA_DIR: pair.dataDir });
  await spend(t, pair);
  await covered(pair);
  writeFileSync(join(folder, 'lost'), lost.note);
  const audited = await audit(t, pair, { key, checkpoint: join(folder, 'lost') });
  assert.equal(audited.code, 1, audited.stdout);
  assert.match(audited.stdout, /forked: the log is now/);
});

test('without CHECKPOINT_DIR the log is held after a failover, and continues after the checkpoint of an auditor', async (t) => {
  const folder = scratch(t);
  const pair = await openPair(t, folder, { synchronous: true, env: { CHECKPOINT_DIR: '' } });
  await spend(t, pair);
  const { note } = await covered(pair);
  await pair.primary.crash();
  await pair.standby.promote();
  await setSynchronous(pair.standby, '');
  await pair.ready();
  await held(pair);
  writeFileSync(join(folder, 'checkpoint'), note);
  await runCliJson(t, ['log', 'continue', '--checkpoint', join(folder, 'checkpoint')], {
    ...pair.settings,
    DATA_DIR: pair.dataDir,
  });
  await spend(t, pair);
  await covered(pair);
  await requireAudit(t, pair, join(folder, 'auditor'), note);
});

test('while a synchronous standby hangs nothing is acknowledged, and afterwards everything is consistent', async (t) => {
  const pair = await openPair(t, scratch(t), { synchronous: true });
  const load = startLoad([pair.caller], pair.customers, seeded(t), CLIENTS, 'hang');
  await sleep(LOAD_MS);
  pair.standby.hang();
  await sleep(LOAD_MS);
  const hung = load.attempts.length;
  await sleep(LOAD_MS * 4);
  const during = load.attempts.slice(hung).filter(({ outcome }) => outcome === 'acknowledged');
  assert.equal(during.length, 0, 'no 201 without the standby');
  pair.standby.resume();
  await pair.ready();
  await sleep(LOAD_MS);
  await load.stop();
  t.diagnostic(JSON.stringify(await checkMoney(pair, load.attempts, openingBalances(pair.customers), 0)));
  await covered(pair);
});

test('after a restore to a moment the log is held, and what the moment has is consistent', async (t) => {
  const folder = scratch(t);
  const archive = join(folder, 'archive');
  mkdirSync(archive, { mode: 0o777 });
  const settings = { archive_mode: 'on', archive_command: `cp "%p" "${archive}/%f"`, wal_level: 'replica' };
  const pair = await openPair(t, folder, { synchronous: false, primarySettings: settings });
  const copy = await copyServer(pair.primary, join(folder, 'restored'));
  await spend(t, pair);
  await covered(pair);
  const [{ moment }] = (await query<{ moment: string }>(pair.primary.url, 'select clock_timestamp()::text as moment')) as [
    { moment: string },
  ];
  await sleep(LOAD_MS / 2);
  await spend(t, pair);
  const lost = await covered(pair);
  const [{ file }] = (await query<{ file: string }>(pair.primary.url, 'select pg_walfile_name(pg_switch_wal()) as file')) as [
    { file: string },
  ];
  await waitUntil('the log is archived', () => existsSync(join(archive, file)));
  await pair.primary.crash();
  await pair.standby.crash();
  writeFileSync(join(copy, 'postgres', 'recovery.signal'), '');
  const recovery = {
    restore_command: `cp "${archive}/%f" "%p"`,
    recovery_target_time: moment,
    recovery_target_action: 'promote',
  };
  const restored = await openReplica(t, { name: 'restored', folder, port: pair.primary.port, settings: recovery });
  await restored.start();
  await pair.ready();
  await spend(t, pair);
  await held(pair);
  assert.ok((await newestCheckpoint(pair)).size < lost.size);
  await requireVerified(t, pair);
});

function seeded(t: TestContext) {
  const seed = anySeed();
  t.diagnostic(`seed ${seed}`);
  return openRandom(seed);
}

/** Makes some reallocations. */
async function spend(t: TestContext, pair: Pair): Promise<void> {
  const load = startLoad([pair.caller], pair.customers, seeded(t), CLIENTS, `spend-${performance.now()}`);
  await waitUntil(
    'reallocations are made',
    () => load.attempts.filter(({ outcome }) => outcome === 'acknowledged').length >= CLIENTS,
  );
  await load.stop();
}

/** Waits until the log is held, and the operator can read why. */
async function held(pair: Pair): Promise<void> {
  await waitUntil('the log is held', async () => {
    const [row] = await pair.database.sql<{ held: boolean }>`
      select held is not null as held from transparency_log where account_id = ${pair.accountId}`;
    return row!.held;
  });
  await waitUntil('the log of the service says why', () => HELD.test(pair.service().stdout() + pair.service().stderr()));
}

async function requireAudit(t: TestContext, pair: Pair, file: string, note: string): Promise<void> {
  await covered(pair);
  writeFileSync(file, note);
  const audited = await audit(t, pair, { key: await keyOf(pair), checkpoint: file });
  assert.equal(audited.code, 0, audited.stdout);
}

async function requireVerified(t: TestContext, pair: Pair): Promise<void> {
  const verified = await runCli(t, ['verify', '--full'], { ...pair.settings, DATA_DIR: pair.dataDir });
  assert.equal(verified.code, 0, verified.stdout);
  const { status } = await call(`${pair.url}/health/ready`, pair.token);
  assert.equal(status, 200);
}
