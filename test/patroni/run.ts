// `npm run long -- patroni`: three servers with the settings of deploy/patroni.yml, whose leader is killed again and again under load.
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attempt, startLoad } from '../crash/load.ts';
import { openingBalances } from '../crash/target.ts';
import { audit, checkMoney, covered, keyOf } from '../failover/after.ts';
import { openServed } from '../failover/served.ts';
import { query } from '../support/database.ts';
import { runLongTest } from '../support/long-test.ts';
import { runCli, scratch } from '../support/process.ts';
import { openRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait.ts';
import { missing, type Node, PASSWORD, settled, startNodes } from './nodes.ts';

const CLIENTS = 8;
const LOAD_MS = 3_000;
const RECOVERS_WITHIN_MS = 180_000;

await runLongTest('patroni', { kills: 10 }, async ({ t, options, tell }) => {
  const reason = missing();
  if (reason) throw new Error(reason);
  const random = openRandom(options.seed);
  const folder = scratch(t);
  chmodSync(folder, 0o755);
  const nodes = await startNodes(t, folder);
  const leader = await settled(nodes);
  tell(`${leader.name} leads`);
  await query(urlOf([leader], 'postgres'), 'create database earmark');
  const databaseUrl = urlOf(nodes, 'earmark');
  const served = await openServed(t, folder, databaseUrl);
  const { customers, dataDir, settings } = served;
  const first = await covered(served);

  const load = startLoad([served.caller], customers, random, CLIENTS, 'patroni');
  const outages: { leader: number[]; server: number[] } = { leader: [], server: [] };
  for (let kill = 1; kill <= options.kills; kill++) {
    await sleep(LOAD_MS);
    const leader = await settled(nodes);
    // Patroni and PostgreSQL die together, as with their machine; every third time PostgreSQL alone.
    const what = kill % 3 === 0 ? 'server' : 'leader';
    const outage = await measureOutage(load.attempts, async () => (what === 'server' ? leader.killServer() : leader.kill()));
    outages[what].push(outage);
    tell(`${kill}: ${what} of ${leader.name} killed, next 201 after ${outage} ms`);
    if (what === 'leader') leader.start();
  }
  await settled(nodes);
  await sleep(LOAD_MS);
  await load.stop();
  const figures = await checkMoney(served, load.attempts, openingBalances(customers), 0);
  const last = await covered(served);
  writeFileSync(join(folder, 'first'), first.note);
  const audited = await audit(t, served, { key: await keyOf(served), checkpoint: join(folder, 'first') });
  assert.equal(audited.code, 0, audited.stdout);
  const verified = await runCli(t, ['verify', '--full'], { ...settings, DATA_DIR: dataDir });
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  const longest = (list: number[]) => Math.max(0, ...list);
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
  return {
    ...figures,
    logEntries: last.size,
    leaderOutageMs: { median: median(outages.leader), longest: longest(outages.leader) },
    serverOutageMs: { median: median(outages.server), longest: longest(outages.server) },
  };
});

/** The time from a kill to the first acknowledgement of a request that was sent after it. Requests before it may have reached the old leader. */
async function measureOutage(attempts: Attempt[], kill: () => Promise<void>): Promise<number> {
  const beginMs = performance.now();
  await kill();
  const killedMs = performance.now();
  const seen = attempts.length;
  await waitUntil(
    'a request is acknowledged again',
    () => attempts.slice(seen).some(({ outcome, madeMs }) => outcome === 'acknowledged' && madeMs > killedMs),
    RECOVERS_WITHIN_MS,
  );
  return Math.round(performance.now() - beginMs);
}

/** The address of all nodes, of which the leader takes writes. */
function urlOf(nodes: Pick<Node, 'port'>[], database: string): string {
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return `postgres://postgres:${PASSWORD}@${hosts}/${database}?target_session_attrs=read-write`;
}
