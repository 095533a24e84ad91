// `earmark cluster` under load: a server joins, gets groups, and leaves again, without a failed call. Run by run.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertOneLine, runCli, runCliJson, startCli } from '../support/process.ts';
import { openRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait.ts';
import { runOn, urlOf } from './cluster.ts';
import { checkAll, stopUnharmed } from './fault-check.ts';
import { startFaultLoad } from './fault-load.ts';
import { DATABASE, openFaultTarget } from './fault-target.ts';

type Status = { servers: { server: string; role: string; state: string; groups: number; transfersPerSecond: number }[] };

const WARM_UP_MS = 500;
const GROUPS = 4;

test('a server joins under load, gets groups and leaves again', async (t) => {
  const target = await openFaultTarget(t);
  const env = { DATABASE_URL: target.databaseUrl, DATA_DIR: target.dataDir };
  const run = (...words: string[]) => runCliJson<Record<string, unknown>>(t, ['cluster', ...words], env);
  const statusOf = async (server: string) => {
    const { servers } = (await run('status')) as Status;
    assert.equal(
      servers.reduce((sum, { groups }) => sum + groups, 0),
      GROUPS,
    );
    return servers.find((one) => one.server === server);
  };
  const load = startFaultLoad(t, { ...target, random: openRandom(1), name: 'commands' });
  await sleep(WARM_UP_MS);

  const { port } = await target.cluster.addServer('worker-3');
  const server = `127.0.0.1:${port}`;
  assert.equal(await statusOf(server), undefined);
  assert.deepEqual(await run('add-node', server), { added: server, next: 'earmark cluster rebalance' });
  assert.deepEqual(await run('add-node', server), { added: server, next: 'earmark cluster rebalance' }, 'again');
  assert.equal((await statusOf(server))?.groups, 0);

  // Without the password for the others, which add-node has stored, the new server cannot copy a group.
  await runOn(urlOf(port, DATABASE), 'delete from pg_dist_authinfo');
  const failing = startCli(t, ['cluster', 'rebalance'], env);
  await waitUntil('the error of a move is printed', () => /cannot be moved.*ERROR:/.test(failing.stderr()));
  const { moves } = (await run('status')) as { moves: { error: string } };
  assert.match(moves.error, /^ERROR:/);
  const { code, stderr } = await failing.ended;
  assert.equal(code, 1);
  assert.match(stderr, /was stopped: 0 of \d+ groups were moved\. ERROR:/);
  await run('add-node', server);

  assert.ok(Number((await run('rebalance')).moved) > 0);
  const joined = (await statusOf(server))!;
  assert.ok(joined.groups > 0 && joined.state === 'active' && joined.role === 'worker', JSON.stringify(joined));
  assert.equal((await run('drain', server, '--yes')).removed, server);
  assert.equal(await statusOf(server), undefined);

  await checkAll(t, target, await stopUnharmed(target, load));

  const [worker] = target.cluster.workers;
  await worker!.kill();
  assert.equal((await statusOf(`127.0.0.1:${worker!.port}`))?.state, 'away');
  await worker!.start();

  assertOneLine(await runCli(t, ['cluster', 'drain', server, '--yes'], env), /has no server/);
  assertOneLine(await runCli(t, ['cluster', 'add-node', '127.0.0.1:1'], env), /ECONNREFUSED/);
});
