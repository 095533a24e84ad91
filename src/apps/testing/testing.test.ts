// Tests of the temporary services for users' tests, and of their cleanup.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotFoundError } from '../../../packages/client/src/client.ts';
import { ROOT } from '../../../test/support/paths.ts';
import { isAlive, serverPid, start } from '../../../test/support/process.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startEarmark } from './testing.ts';

const CREDENTIALS = { type: 'unverified', firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' } as const;
const SCRIPT = `
import { openCluster } from ${JSON.stringify(join(ROOT, 'src/apps/testing/cluster.ts'))};
const { dataDir } = await openCluster();
console.log('serves ' + dataDir + ' ');
setInterval(() => {}, 1000);`;

test('services of one process are separate, start empty, and are emptied by a reset', async () => {
  const [one, other] = await Promise.all([startEarmark(), startEarmark({ MEDIA_TYPE_VENDOR: 'acme', TOKEN_TTL_SECONDS: '60' })]);
  try {
    assert.deepEqual(await one.client.events.list().all(), []);
    const customer = await one.client.customers.create(CREDENTIALS);
    await assert.rejects(other.client.customers.get(customer), NotFoundError);
    assert.equal((await one.client.accounts.get(one.accountId)).name, 'Test');

    await one.client.sandbox.advanceClock(604_801);
    await one.reset();
    assert.equal((await one.client.sandbox.clock()).aheadSeconds, 0);
    assert.equal((await one.client.customers.list().page()).total, 0);
    await one.client.customers.create(CREDENTIALS);

    await one.stop();
    await assert.rejects(fetch(one.url));
    assert.equal((await other.client.customers.list().page()).total, 0);
  } finally {
    await Promise.all([one.stop(), other.stop()]);
  }
});

test('validates settings; a failed start leaves nothing behind, and the next one succeeds', async () => {
  await assert.rejects(startEarmark({ PORT: 'none' }), /^Error: PORT must be an integer/);
  const earmark = await startEarmark();
  await earmark.stop();
});

test('an older Node.js is refused in one line', async (t) => {
  const older = 'data:text/javascript,Object.defineProperty(process, "version", { value: "v20.20.2" })';
  const script = `import { startEarmark } from ${JSON.stringify(join(ROOT, 'src/apps/testing/testing.ts'))};
    await startEarmark().then(({ stop }) => stop(), (error) => console.log(error.message));`;
  const { stdout } = await start(t, [process.execPath, '--import', older, '--input-type=module', '--eval', script], {}).ended;
  assert.equal(stdout, 'Earmark needs Node.js 24 or newer, and this is v20.20.2.\n');
});

test('a killed process takes its server with it', async (t) => {
  const running = start(t, [process.execPath, '--input-type=module', '--eval', SCRIPT], {});
  const [, dataDir] = await running.printed(/serves (\S+) /);
  const pid = serverPid(dataDir!);
  assert.ok(pid);
  running.child.kill('SIGKILL');
  await waitUntil('the server and its folder are gone', () => !isAlive(pid) && !existsSync(dataDir!));
});
