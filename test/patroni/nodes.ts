// Three servers of etcd and three of Patroni on loopback ports, with the settings of deploy/patroni.yml.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { childrenOf } from '../crash/target.ts';
import { freePort } from '../support/free-port.ts';
import { ROOT } from '../support/paths.ts';
import { isAlive } from '../support/process.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';

export type Node = {
  name: string;
  port: number;
  start(): void;
  /** Kills Patroni and every process of its PostgreSQL. */
  kill(): Promise<void>;
  /** Kills PostgreSQL only. */
  killServer(): void;
  /** What Patroni says of the server; undefined while it does not run. */
  state(): Promise<NodeState | undefined>;
};
type NodeState = { role: string; state: string; sync_standby?: boolean };

export const PASSWORD = 'CHANGE-superuser';
const NODES = 3;
const STARTS_WITHIN_MS = 300_000;

/** Why it cannot run here, or undefined. */
export function missing(): string | undefined {
  for (const program of ['patroni', 'etcd'])
    if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error)
      return `${program} is missing: apt-get install patroni etcd-server postgresql-15`;
  return undefined;
}

/** Starts all of them. They end with `t`. */
export async function startNodes(t: TestScope, folder: string): Promise<Node[]> {
  const hosts = await startEtcd(t, folder);
  const ids = owner();
  const nodes = await Promise.all(Array.from({ length: NODES }, (_, index) => openNode(t, { folder, index, hosts, ids })));
  for (const node of nodes) node.start();
  await settled(nodes);
  return nodes;
}

/** Waits until one node leads, and the others follow it, one of them synchronously. */
export async function settled(nodes: Node[]): Promise<Node> {
  return waitUntil(
    'a leader with its standbys',
    async () => {
      const states = await Promise.all(nodes.map((node) => node.state()));
      const leader = nodes[states.findIndex((one) => one?.role === 'master' || one?.role === 'primary')];
      const follow = states.filter((one) => one?.role === 'replica' && /running|streaming/.test(one.state));
      return leader && follow.length === NODES - 1 && follow.some((one) => one?.sync_standby) ? leader : undefined;
    },
    STARTS_WITHIN_MS,
  );
}

/** PostgreSQL does not run as root. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid!() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function startEtcd(t: TestScope, folder: string): Promise<string[]> {
  const ports = await Promise.all(Array.from({ length: NODES }, async () => [await freePort(), await freePort()] as const));
  const peers = ports.map(([, peer], index) => `etcd-${index}=http://127.0.0.1:${peer}`).join(',');
  for (const [index, [client, peer]] of ports.entries()) {
    const [own, told] = [`http://127.0.0.1:${peer}`, `http://127.0.0.1:${client}`];
    const args = ['--name', `etcd-${index}`, '--data-dir', join(folder, `etcd-${index}`), '--initial-cluster', peers];
    const urls = ['--listen-peer-urls', own, '--initial-advertise-peer-urls', own, '--listen-client-urls', told];
    // A busy machine delays heartbeats.
    const patience = ['--heartbeat-interval', '500', '--election-timeout', '5000', '--unsafe-no-fsync'];
    const known = spawnSync('etcd', ['--help'], { encoding: 'utf8' }).stdout.includes('unsafe-no-fsync')
      ? patience
      : patience.slice(0, 4);
    const child = spawn('etcd', [...args, ...urls, '--advertise-client-urls', told, ...known], { stdio: 'ignore' });
    t.after(async () => end(child));
  }
  return ports.map(([client]) => `127.0.0.1:${client}`);
}

async function openNode(
  t: TestScope,
  { folder, index, hosts, ids }: { folder: string; index: number; hosts: string[]; ids: { uid?: number; gid?: number } },
): Promise<Node> {
  const [name, port, rest] = [`db-${index + 1}`, await freePort(), await freePort()];
  const home = join(folder, name);
  mkdirSync(home, { mode: 0o755 });
  const config = parse(readFileSync(join(ROOT, 'deploy/patroni.yml'), 'utf8'));
  const [sockets, data] = [join('/tmp', `earmark-${port}`), join(home, 'data')];
  mkdirSync(sockets, { recursive: true });
  Object.assign(config, { name, watchdog: { mode: 'off' }, etcd3: { hosts } });
  config.restapi = { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` };
  Object.assign(config.postgresql, {
    ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}`, data_dir: data, pgpass: join(home, 'pgpass') },
    // Nothing here outlives a crash of the machine.
    parameters: { unix_socket_directories: sockets, fsync: 'off', shared_buffers: '64MB' },
  });
  const file = join(home, 'patroni.yml');
  writeFileSync(file, stringify(config));
  for (const path of [home, sockets, file]) if (ids.uid !== undefined) chownSync(path, ids.uid, ids.gid!);
  let child: ChildProcess | undefined;
  const serverPid = () => {
    const pidFile = join(data, 'postmaster.pid');
    return existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : undefined;
  };
  const killServer = () => {
    const pid = serverPid();
    if (pid === undefined || !isAlive(pid)) return;
    process.kill(pid, 'SIGSTOP');
    for (const one of [...childrenOf(pid), pid]) if (isAlive(one)) process.kill(one, 'SIGKILL');
  };
  const node: Node = {
    name,
    port,
    start() {
      const log = openSync(join(folder, `${name}.log`), 'a');
      child = spawn('patroni', [file], { cwd: '/', stdio: ['ignore', log, log], ...ids, env: { PATH: process.env.PATH } });
    },
    async kill() {
      const ended = child && new Promise((resolve) => child!.once('exit', resolve));
      child?.kill('SIGKILL');
      killServer();
      await ended;
    },
    killServer,
    async state() {
      const response = await fetch(`http://127.0.0.1:${rest}/patroni`).catch(() => undefined);
      return response && ((await response.json()) as NodeState);
    },
  };
  t.after(async () => {
    assert.ok(child);
    if (child.exitCode === null && child.signalCode === null) await node.kill();
  });
  return node;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
}
