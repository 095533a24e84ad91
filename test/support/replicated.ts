// A PostgreSQL server on loopback and standbys of it, from the embedded binaries, which can be killed, stopped and promoted.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { prepare } from '../../src/platform/db/embedded/site.ts';
import { childrenOf } from '../crash/target.ts';
import { query } from './database.ts';
import { freePort } from './free-port.ts';
import { isAlive } from './process.ts';
import type { TestScope } from './test-scope.ts';
import { waitUntil } from './wait.ts';

export type Replica = {
  name: string;
  port: number;
  dataDir: string;
  /** Of the database `earmark`. */
  url: string;
  pid(): number;
  start(): Promise<void>;
  /** Kills every process of the server with SIGKILL. */
  crash(): Promise<void>;
  /** Stops every process of the server: connections stay open and are not answered. */
  hang(): void;
  resume(): void;
  /** Makes a standby the primary, and waits until it takes writes. */
  promote(): Promise<void>;
};

type Settings = Record<string, string>;

const START_MS = 30_000;
/** Of the files of a server: what belongs to its process, and what is copied last. */
const NOT_COPIED = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'];
/** Nothing here outlives a crash of the machine. */
const SETTINGS: Settings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_connections: '100',
  max_wal_size: '256MB',
  wal_keep_size: '512MB',
  // Standbys follow within milliseconds, also when nothing is written.
  wal_receiver_status_interval: '1',
  listen_addresses: '127.0.0.1',
};

/** Starts a server with an empty database `earmark`; it ends with `t`. */
export async function startPrimary(t: TestScope, folder: string, settings: Settings = {}): Promise<Replica> {
  const primary = await openReplica(t, { name: 'primary', folder, settings });
  await primary.start();
  await query(maintenanceOf(primary.url), 'create database earmark');
  return primary;
}

function maintenanceOf(url: string): string {
  return url.replace(/\/earmark$/, '/postgres');
}

/** Starts a standby from a copy of a running server. `synchronous_standby_names` knows it by its name. */
export async function startStandby(
  t: TestScope,
  primary: Replica,
  { name, folder, port, settings = {} }: { name: string; folder: string; port?: number; settings?: Settings },
): Promise<Replica> {
  const dataDir = await copyServer(primary, join(folder, name));
  await writeFile(join(dataDir, 'postgres', 'standby.signal'), '');
  const from = new URL(primary.url);
  const source = `host=${from.hostname} port=${from.port} user=${from.username} password=${from.password} application_name=${name}`;
  const standby = await openReplica(t, { name, folder, port, settings: { primary_conninfo: source, ...settings } });
  await standby.start();
  return standby;
}

/** Copies the files of a running server into a new data directory (PostgreSQL manual 25.3.4). */
export async function copyServer(from: Replica, to: string): Promise<string> {
  const client = new pg.Client({ connectionString: from.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('copy', true)`);
    await cp(join(from.dataDir, 'postgres-password'), join(to, 'postgres-password'));
    const [source, target] = [join(from.dataDir, 'postgres'), join(to, 'postgres')];
    const isCopied = (path: string) => !NOT_COPIED.includes(path.slice(source.length + 1).split('/')[0]!);
    await cp(source, target, { recursive: true, filter: isCopied });
    await mkdir(join(target, 'pg_replslot'), { mode: 0o700 });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await writeFile(join(target, 'backup_label'), rows[0]!.labelfile);
    // The archiver renames the files of archive_status meanwhile; a start makes the folder anew.
    const isWal = (path: string) => !path.endsWith('archive_status');
    await cp(join(source, 'pg_wal'), join(target, 'pg_wal'), { recursive: true, filter: isWal });
    await chmod(target, 0o700);
  } finally {
    await client.end();
  }
  return to;
}

/** Opens a server on a data directory, which is made if it does not exist. `port`: a free one by default. */
export async function openReplica(
  t: TestScope,
  { name, folder, port: wanted, settings }: { name: string; folder: string; port?: number | undefined; settings: Settings },
): Promise<Replica> {
  const [dataDir, port] = [join(folder, name), wanted ?? (await freePort())];
  const { home, binaries, runner, password, socketDir } = await prepare(dataDir, { sync: false });
  const url = `postgres://earmark:${password}@127.0.0.1:${port}/earmark`;
  const all: Settings = { ...SETTINGS, ...settings, port: `${port}`, unix_socket_directories: socketDir };
  const options = Object.entries(all).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]);
  let pid: number | undefined;
  let ended: Promise<unknown> = Promise.resolve();

  const signalAll = (signal: NodeJS.Signals) => {
    if (pid === undefined || !isAlive(pid)) return;
    // A stopped postmaster starts no more processes.
    if (signal !== 'SIGCONT') process.kill(pid, 'SIGSTOP');
    for (const one of [...childrenOf(pid), pid]) if (isAlive(one)) process.kill(one, signal);
  };
  const isReady = () =>
    query(maintenanceOf(url), 'select 1').then(
      () => true,
      () => false,
    );
  const replica: Replica = {
    name,
    port,
    dataDir,
    url,
    pid: () => pid ?? assert.fail(`${name} does not run`),
    async start() {
      await rm(join(home.cluster, 'postmaster.pid'), { force: true });
      const [program = '', ...args] = [...runner.prefix, binaries.postgres, '-D', home.cluster, ...options];
      const child = spawn(program, args, { cwd: '/', env: binaries.environment, ...runner.ids, stdio: 'ignore' });
      pid = child.pid;
      ended = new Promise((resolve) => child.once('exit', resolve));
      await waitUntil(`${name} starts`, isReady, START_MS);
    },
    async crash() {
      signalAll('SIGKILL');
      await ended;
    },
    hang: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async promote() {
      await query(url, 'select pg_promote()');
    },
  };
  t.after(replica.crash);
  return replica;
}
