// SIGHUP in every process and at any moment, and the notifications to systemd.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { CLI } from './support/paths.ts';
import { isAlive, onTerminal, scratch, serve, serverPid, start, startCli } from './support/process.ts';
import { anySeed, openRandom } from './support/random.ts';
import { beginRequest } from './support/raw-http.ts';
import { waitUntil } from './support/wait.ts';

const HANGUP = 1n;
const PAUSE_MAX_MS = 60;
const WATCHDOG_MS = 400;

/** Records each call with the whole environment, as systemd would receive it. */
const FAKE_NOTIFY = `#!/bin/sh
echo "$* $(env | sort | grep -v '^\\(PWD\\|_\\|SHLVL\\|OLDPWD\\)=' | tr '\\n' ' ')" >> "$NOTIFY_SOCKET"
`;

test('without WORKERS, SIGHUP is logged and ignored, also while the service stops', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const service = await serve(t, { DATA_DIR: dataDir, WORKERS: '1' });
  service.child.kill('SIGHUP');
  await service.printed(/"msg":"SIGHUP has no effect without WORKERS/);
  const request = await beginRequest(service.port);
  service.child.kill('SIGTERM');
  await service.printed(/"msg":"stopping"/);
  service.child.kill('SIGHUP');
  await service.printed(/"msg":"SIGHUP has no effect while the service stops/);
  assert.match(await request.finish(), /HTTP\/1.1 401 Unauthorized/);
  const { code, stderr } = await service.ended;
  assert.deepEqual([code, stderr, serverPid(dataDir)], [0, '', undefined]);
});

for (const workers of ['1', '2']) {
  test(`SIGHUP at random moments of a start with WORKERS=${workers}`, async (t) => {
    const seed = anySeed();
    t.diagnostic(`seed ${seed}`);
    const random = openRandom(seed);
    const dataDir = join(scratch(t), 'data');
    const port = await freePort();
    const running = startCli(t, ['serve'], { DATA_DIR: dataDir, WORKERS: workers, PORT: String(port) });
    const pid = running.child.pid!;
    await waitUntil('the service catches SIGHUP', () => catches(pid));
    let sent = 0;
    for (; !running.stdout().includes('"msg":"started"'); sent++) {
      assert.equal(running.child.signalCode ?? running.child.exitCode, null, running.stdout() + running.stderr());
      for (const one of [pid, ...workersOf(pid)].filter(catches)) process.kill(one, 'SIGHUP');
      await sleep(random.int(0, PAUSE_MAX_MS));
    }
    assert.ok(sent > 5, `${sent} sent during the start`);
    await running.printed(workers === '1' ? /SIGHUP has no effect without WORKERS/ : /every worker was replaced/);
    assert.equal((await fetch(`http://localhost:${port}/health/live`)).status, 200);
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.ended;
    assert.deepEqual([code, stderr, serverPid(dataDir)], [0, '', undefined]);
  });
}

test('a service whose terminal is closed stops, with its database', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const shown = start(t, onTerminal(`exec ${process.execPath} ${CLI} serve`), { DATA_DIR: dataDir, PORT: '0' });
  await shown.printed(/Earmark has started\./);
  const server = serverPid(dataDir)!;
  assert.ok(isAlive(server));
  shown.child.kill('SIGKILL');
  await waitUntil('the database server is gone', () => !isAlive(server));
});

test('systemd is notified of start, reload and stop, and its watchdog of a running service', async (t) => {
  const { env, calls } = fakeSystemd(t);
  const settings = { ...env, DATABASE_URL: await makeDatabase(t), MODE: 'sandbox', DATA_DIR: scratch(t), WORKERS: '2' };
  const service = await serve(t, { ...settings, WATCHDOG_USEC: String(WATCHDOG_MS * 1000) });
  await waitUntil('the watchdog is notified', () => calls().filter((call) => call === 'WATCHDOG=1').length > 1);
  await waitUntil('systemd is notified', () => calls().includes('READY=1'));
  const beforeUs = process.hrtime.bigint() / 1000n;
  service.child.kill('SIGHUP');
  await service.printed(/every worker was replaced/);
  await waitUntil('it is ready again', () => calls().filter((call) => call === 'READY=1').length === 2);
  const [reloading = '', ready] = calls()
    .filter((call) => call !== 'WATCHDOG=1')
    .slice(1);
  const [, monotonicUs = ''] = /^RELOADING=1 MONOTONIC_USEC=(\d+)$/.exec(reloading) ?? [];
  assert.ok(BigInt(monotonicUs) > beforeUs && BigInt(monotonicUs) < process.hrtime.bigint() / 1000n, reloading);
  assert.equal(ready, 'READY=1');
  service.child.kill('SIGTERM');
  assert.equal((await service.ended).code, 0);
  assert.ok(calls().includes('STOPPING=1'));
});

test('`earmark deliver` ignores SIGHUP, and notifies systemd if its program is there', async (t) => {
  const { env, calls } = fakeSystemd(t);
  const settings = {
    DATABASE_URL: await makeDatabase(t),
    MODE: 'sandbox',
    DATA_DIR: scratch(t),
    PUBLIC_URL: 'http://localhost:1',
  };
  const delivering = startCli(t, ['deliver', '--json'], { ...settings, ...env });
  await delivering.printed(/"delivering":true/);
  delivering.child.kill('SIGHUP');
  await delivering.printed(/SIGHUP has no effect/);
  delivering.child.kill('SIGTERM');
  assert.equal((await delivering.ended).code, 0);
  assert.deepEqual(calls(), ['READY=1', 'STOPPING=1']);

  const without = startCli(t, ['deliver', '--json'], { ...settings, ...env, PATH: dirname(process.execPath) });
  await without.printed(/ENOENT.*systemd could not be notified/);
  without.child.kill('SIGTERM');
  assert.equal((await without.ended).code, 0);
});

/** The environment that systemd gives to a service, with a program in place of systemd-notify, and the notifications so far. */
function fakeSystemd(t: TestContext) {
  const folder = scratch(t);
  const socket = join(folder, 'notified');
  writeFileSync(join(folder, 'systemd-notify'), FAKE_NOTIFY, { mode: 0o755 });
  const PATH = `${folder}:${dirname(process.execPath)}:${process.env.PATH}`;
  const suffix = ` NOTIFY_SOCKET=${socket} PATH=${PATH}`;
  const calls = () => {
    const lines = existsSync(socket) ? readFileSync(socket, 'utf8').split(' \n').slice(0, -1) : [];
    return lines.map((line) => {
      assert.ok(line.endsWith(suffix), `it gets nothing else of the environment: ${line}`);
      return line.slice(0, -suffix.length);
    });
  };
  return { env: { NOTIFY_SOCKET: socket, PATH }, calls };
}

/** Whether a process catches SIGHUP. Linux only, like the container image. */
function catches(pid: number): boolean {
  const [, mask = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readProc(`${pid}/status`)) ?? [];
  return (BigInt(`0x${mask}`) & HANGUP) !== 0n;
}

function workersOf(pid: number): number[] {
  const children = readProc(`${pid}/task/${pid}/children`).trim().split(' ').map(Number);
  return children.filter((child) => readProc(`${child}/environ`).includes('NODE_UNIQUE_ID='));
}

/** A file of /proc, empty for a process that has ended. */
function readProc(path: string): string {
  try {
    return readFileSync(join('/proc', path), 'utf8');
  } catch {
    return '';
  }
}
