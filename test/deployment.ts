// The systemd unit: checked by the programs of systemd, and the service under its restrictions.
// Not part of the suite, because it needs root, and systemd, strace and python3 of Debian: `npm run long -- deploy`.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Earmark } from '../packages/client/src/client.ts';
import { installProduction } from './support/image.ts';
import { ROOT } from './support/paths.ts';
import { sandboxOf, scratch, serve, start } from './support/process.ts';
import { passportSpecimen } from './support/specimen-pictures.ts';
import { waitUntil } from './support/wait.ts';

const PROGRAMS = ['systemd-analyze', 'systemd-notify', 'strace', 'python3', 'setpriv', 'unshare'];
const UNIT = join(ROOT, 'deploy/earmark.service');
const BACKUP = join(ROOT, 'deploy/backup');
/** Ten times the exposure that `systemd-analyze security` may report. */
const EXPOSURE_MAX = 13;
/** nobody: PostgreSQL needs a user with a name. */
const USER = 65534;
const PARTS = ['bin', 'src', 'packages', 'migrations', 'assets', 'reference', 'docs', 'package.json'];

/** As the unit runs it: without privileges and capabilities, in a mount namespace with a minimal /proc. Records system calls. */
const RESTRICTED = `
mount -t proc -o subset=pid,hidepid=invisible proc /proc
umask 0077
exec setpriv --reuid=${USER} --regid=${USER} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \\
  strace --follow-forks --quiet=all --string-limit=0 --signal=none --output="$0" "$@"`;

/** Receives datagrams, prints them, and closes descriptors that come with them, as systemd does. */
const RECEIVER = `
import os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print("listens", flush=True)
while True:
    data, descriptors, _, _ = socket.recv_fds(receiver, 4096, 4)
    for descriptor in descriptors: os.close(descriptor)
    print(data.decode().replace("\\n", " "), flush=True)
`;

const missing = PROGRAMS.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
if (missing.length > 0 || process.getuid?.() !== 0) {
  const names = missing.length > 0 ? `no ${missing.join(', ')}` : 'root only';
  process.stderr.write(`NOT RUN: ${names}. As root: apt-get install systemd strace python3 util-linux\n`);
  process.exit(3);
}

test('systemd accepts the unit, and its exposure is low', () => {
  const verified = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' });
  assert.deepEqual([verified.status, verified.stdout, verified.stderr], [0, '', '']);
  const checked = ['security', '--offline=true', '--no-pager', `--threshold=${EXPOSURE_MAX}`, UNIT];
  const { status, stdout } = spawnSync('systemd-analyze', checked, { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

test('systemd accepts the units and timers of backups and restore drills, and each timer starts a unit', (t) => {
  const folder = scratch(t);
  // Names an installed pgBackRest and drill, which an operator puts there.
  const installed = (text: string) =>
    text.replace('/usr/bin/pgbackrest', '/bin/true').replace('/usr/local/lib/earmark/drill.sh', join(BACKUP, 'drill.sh'));
  const units = globSync('*.{service,timer}', { cwd: BACKUP });
  assert.equal(units.length, 5);
  for (const unit of units) writeFileSync(join(folder, unit), installed(readFileSync(join(BACKUP, unit), 'utf8')));
  for (const unit of units) {
    const verified = spawnSync('systemd-analyze', ['verify', join(folder, unit)], { encoding: 'utf8' });
    assert.deepEqual([verified.status, verified.stdout, verified.stderr], [0, '', ''], unit);
    if (!unit.endsWith('.timer')) continue;
    const [, started = unit.replace('timer', 'service')] = /^Unit=(.*)$/m.exec(readFileSync(join(folder, unit), 'utf8')) ?? [];
    assert.ok(units.includes(started.replace(/@.*\./, '@.')), `${unit} starts ${started}`);
  }
});

test('the service starts, moves money, reads a picture, reloads and stops under the restrictions', async (t) => {
  const { folder, dataDir } = install(t);
  const trace = join(folder, 'trace');
  const restricted = ['unshare', '--mount', '--propagation=private', 'sh', '-c', RESTRICTED, trace];
  const earmark = [...restricted, process.execPath, join(folder, 'bin/earmark.js')];
  const notified = await receive(t, join(folder, 'notify'));
  const env = { DATA_DIR: dataDir, WORKERS: '2', NOTIFY_SOCKET: join(folder, 'notify'), WATCHDOG_USEC: '2000000' };
  const service = await serve(t, env, { command: [...earmark, 'serve'], cwd: folder });
  const { client_id: clientId, client_secret: clientSecret, labels } = sandboxOf(dataDir);
  const client = new Earmark({ url: service.url, clientId, clientSecret });
  const [from, to] = labels;
  await client.labelReallocations.create({ from, to, amount: { value: '1.00', currency: 'USD' } });
  process.kill(service.pid, 'SIGHUP');
  await service.printed(/every worker was replaced/);
  await waitUntil('systemd knows', () => /READY=1.*RELOADING=1 MONOTONIC_USEC=\d+.*READY=1.*WATCHDOG=1/s.test(notified()));
  await client.labelReallocations.create({ from, to, amount: { value: '1.00', currency: 'USD' } });
  process.kill(service.pid, 'SIGTERM');
  assert.equal((await service.ended).code, 0);
  assert.match(notified(), /STOPPING=1/);
  assertAllowed(trace);

  const picture = join(folder, 'passport.jpg');
  writeFileSync(picture, (await passportSpecimen(7)).picture);
  const read = await start(t, [...earmark, 'documents', 'read', picture], {}, { cwd: folder }).ended;
  assert.match(read.stdout, /^A passport/, read.stderr);
  assertAllowed(trace);
});

/** An installation that every user can read, and a data directory of USER. */
function install(t: TestContext): { folder: string; dataDir: string } {
  const folder = scratch(t);
  chmodSync(folder, 0o777);
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  installProduction(folder);
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  chownSync(dataDir, USER, USER);
  return { folder, dataDir };
}

/** Receives the notifications that systemd-notify sends to a socket. Returns what has arrived. */
async function receive(t: TestContext, socket: string): Promise<() => string> {
  const receiver = start(t, ['python3', '-c', RECEIVER, socket], {});
  await receiver.printed(/listens/);
  chmodSync(socket, 0o777);
  return receiver.stdout;
}

/** Asserts that the unit allows every recorded system call and socket. */
function assertAllowed(trace: string): void {
  const calls = new Set<string>();
  const families = new Set<string>();
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    const [, name, family] = /^\d+ +(\w+)\((?:(AF_\w+))?/.exec(line) ?? [];
    // Nothing catches what a child that is not ours may try: strace reports it, and EPERM answers it.
    if (name) calls.add(name);
    if (name === 'socket') families.add(family!);
  }
  assert.ok(calls.size > 50, `${calls.size} system calls`);
  const allowed = allowedCalls();
  assert.deepEqual([...calls].filter((name) => !allowed.has(name)).sort(), []);
  assert.deepEqual(
    [...families].filter((family) => !settingOf('RestrictAddressFamilies').includes(family)),
    [],
  );
}

/** The system calls of the filters of the unit. */
function allowedCalls(): Set<string> {
  const allowed = new Set<string>(expand('@default'));
  for (const filter of valuesOf('SystemCallFilter')) {
    for (const name of filter.replace('~', '').split(' ').flatMap(expand))
      filter.startsWith('~') ? allowed.delete(name) : allowed.add(name);
  }
  return allowed;
}

/** The system calls of a set, or the call itself. */
function expand(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  const text = execFileSync('systemd-analyze', ['syscall-filter', '--no-pager', name], { encoding: 'utf8' });
  return [...text.matchAll(/^ +([@\w-]+)$/gm)].flatMap(([, member]) => expand(member!));
}

const valuesOf = (name: string) =>
  [...readFileSync(UNIT, 'utf8').matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);
const settingOf = (name: string) => valuesOf(name).join(' ');
