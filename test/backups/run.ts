// `npm run long -- backups`: the recipe of deploy/backup with pgBackRest and S3: backups, drills that succeed and fail, a restore to a moment.
import assert from 'node:assert/strict';
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from '../crash/load.ts';
import { covered } from '../failover/after.ts';
import { openServed } from '../failover/served.ts';
import { runLongTest } from '../support/long-test.ts';
import { runCli, scratch } from '../support/process.ts';
import { readExposition } from '../support/prometheus.ts';
import { openRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait.ts';
import { type BackedUp, missing, startBackedUp } from './server.ts';

const CLIENTS = 8;
const LOAD_MS = 3_000;
/** The metrics show what the database has once a minute. */
const SHOWN_WITHIN_MS = 120_000;
const FOLDER = { drill: 'drill', s3: 's3' };

await runLongTest('backups', {}, async ({ t, options, tell }) => {
  const reason = missing();
  if (reason) throw new Error(reason);
  const random = openRandom(options.seed);
  const folder = scratch(t);
  const server = await startBackedUp(t, folder);
  const { databaseUrl, must } = server;
  await must(['pgbackrest', '--stanza=earmark', 'stanza-create']);
  const served = await openServed(t, folder, databaseUrl);
  const { database, customers, dataDir, settings } = served;
  let acknowledged = 0;
  const spend = async () => {
    const load = startLoad([served.caller], customers, random, CLIENTS, `spend-${performance.now()}`);
    await sleep(LOAD_MS);
    const made = (await load.stop()).filter(({ outcome }) => outcome === 'acknowledged').length;
    assert.ok(made > 0);
    acknowledged += made;
  };
  const stored = async () => {
    const [row] = await database.sql<{ count: number }>`select count(*)::int as count from transfer where kind = 'reallocation'`;
    return row!.count;
  };
  await spend();

  const seconds: Record<string, number> = {};
  for (const type of ['full', 'diff']) {
    seconds[`${type}Backup`] = await timed(async () => {
      for (const command of server.units('earmark-backup@.service', type)) await must(command);
    });
    await spend();
  }
  await requireShown(served.url, 'earmark_backup_timestamp_seconds');
  tell('backed up, full and differential');

  const drill = (more: Record<string, string> = {}) =>
    server.run([server.drill], { DRILL_FOLDER: join(server.home, FOLDER.drill), ...more });
  // Archives what was changed last; PostgreSQL does so after archive_timeout.
  const archive = () => must(['pgbackrest', '--stanza=earmark', 'check']);
  await archive();
  seconds.drill = await timed(async () => {
    const { code, stdout, stderr } = await drill();
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /restored to 20.*OK|restored and checked in \d+ s/s);
  });
  const drilled = await requireShown(served.url, 'earmark_restore_drill_timestamp_seconds');
  tell('drill succeeded');

  await requireFailure(server, await drill({ DRILL_LAG_MAX_SECONDS: '-1000' }), /the archive lacks changes/);
  const [moved] = await database.sql<{ id: string }>`
    update ledger_account set balance = balance + 1 where kind = 'label' and id = (select id from ledger_account where kind = 'label' limit 1)
    returning id`;
  await archive();
  await requireFailure(server, await drill(), /BROKEN/);
  await database.sql`update ledger_account set balance = balance - 1 where id = ${moved!.id}`;
  const damaged = globSync(join(server.bucket, 'earmark/backup/earmark/*F/**/*._S3rver_object'));
  assert.ok(damaged.length > 0);
  tell('drills of a late archive and of a changed balance failed');

  const before = await stored();
  assert.equal(before, acknowledged);
  const [{ moment } = { moment: '' }] = await database.sql<{ moment: string }>`select clock_timestamp()::text as moment`;
  await sleep(LOAD_MS / 3);
  await spend();
  const lost = (await stored()) - before;
  await covered(served);
  await archive();
  await server.killServer();
  rmSync(server.dataDir, { recursive: true });
  seconds.restoreToMoment = await timed(async () => {
    await must(['mkdir', '-m', '700', server.dataDir]);
    await must(['pgbackrest', '--stanza=earmark', '--type=time', `--target=${moment}`, '--target-action=promote', 'restore']);
    await server.startServer();
    await waitUntil('the server takes writes', async () => {
      const [row] = await database.sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.catch(() => []);
      return row?.standby === false;
    });
    await served.ready();
  });
  assert.equal(await stored(), before, 'exactly what was stored at the moment');
  const verified = await runCli(t, ['verify', '--full'], { ...settings, DATA_DIR: dataDir });
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  await waitUntil('the log is held', async () => {
    const [row] = await database.sql<{ held: boolean }>`select held is not null as held from transparency_log limit 1`;
    return row?.held;
  });
  await spend();
  tell(`restored to ${moment}: ${before} reallocations, and ${lost} later ones are gone`);
  // The new timeline is archived, too.
  await archive();
  const { code, stdout, stderr } = await drill();
  assert.equal(code, 0, stdout + stderr);
  assert.ok((await requireShown(served.url, 'earmark_restore_drill_timestamp_seconds', drilled)) > drilled);

  for (const file of damaged) writeFileSync(file, 'damaged');
  await requireFailure(server, await drill(), /checksum|cipher|invalid|unable|error/i);
  return { acknowledged, restored: before, laterThanMoment: lost, durationSeconds: seconds };
});

/** A failed drill records nothing, and leaves its folder. */
async function requireFailure(server: BackedUp, { code, stdout, stderr }: Awaited<ReturnType<BackedUp['run']>>, why: RegExp) {
  assert.notEqual(code, 0, stdout);
  assert.match(stdout + stderr, why);
  assert.doesNotMatch(stdout, /restored and checked/);
  const again = await server.run([server.drill], { DRILL_FOLDER: join(server.home, FOLDER.drill) });
  assert.match(again.stderr, /exists: a drill runs, or failed/);
  rmSync(join(server.home, FOLDER.drill), { recursive: true });
}

/** Waits until the service shows a time after `since`, and returns it. */
function requireShown(url: string, metric: string, since = 0): Promise<number> {
  return waitUntil(
    `${metric} is shown`,
    async () => {
      const value = readExposition(await (await fetch(`${url}/metrics`)).text()).value(metric);
      return value !== undefined && value > since ? value : undefined;
    },
    SHOWN_WITHIN_MS,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return Math.round((performance.now() - startMs) / 1000);
}
