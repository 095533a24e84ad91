// A Citus cluster on loopback, for tests: a coordinator and workers, from the binaries in CITUS_HOME, as an unprivileged user.
import { execFile, spawn } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { makeFolder } from '../../src/apps/testing/folder.ts';
import { createAuthority } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { HANGS_MS, waitUntil } from '../support/wait.ts';

export type Node = {
  name: string;
  port: number;
  dataDir: string;
  /** Starts the server again after `kill`. */
  start(): Promise<void>;
  /** Ends the server at once, like a power failure of its machine. */
  kill(): Promise<void>;
  pid(): number;
};

export type Cluster = {
  coordinator: Node;
  workers: Node[];
  /** Starts another server, which is not part of the cluster yet. `plain`: without Citus. */
  addServer(name: string, options?: { plain?: boolean }): Promise<Node>;
  /** Starts a standby of a server, with a replication slot, as docs/operations/cluster.md says. */
  addStandby(of: Node): Promise<Node>;
  /** Promotes a standby, which then answers at the port of the server that it replaces. */
  takeOver(standby: Node, lost: Node): Promise<Node>;
  stop(): Promise<void>;
};

/** PostgreSQL does not run as root. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };
const SETTINGS = {
  listen_addresses: "'127.0.0.1'",
  // Each service of a test has a dozen connections to each worker, and each of its statements on several groups needs more. Some files start
  // ten services.
  max_connections: '1000',
  shared_buffers: '128MB',
  max_wal_size: '256MB',
  wal_level: 'logical',
  max_prepared_transactions: '300',
  max_worker_processes: '64',
  max_replication_slots: '30',
  max_wal_senders: '30',
};
const CITUS_SETTINGS = {
  shared_preload_libraries: "'citus'",
  'citus.max_cached_conns_per_worker': '2',
  'citus.enable_statistics_collection': 'off',
};
/** Of the role `earmark` on every server. */
const PASSWORD = 'CHANGE-password';
const MISSING = 3;
const run = promisify(execFile);

/** The folder of the binaries, or undefined if it has no Citus. */
function citusHome(): string | undefined {
  const home = process.env.CITUS_HOME;
  return home && existsSync(join(home, 'bin/initdb')) && existsSync(join(home, 'lib')) ? home : undefined;
}

/** Ends a script without Citus, with one line and exit code 3. */
export function requireCitus(command: string): void {
  if (citusHome()) return;
  console.error(
    `${command} needs PostgreSQL with Citus: set CITUS_HOME to its folder (docs/operations/cluster.md, "Getting Citus", says how to get one).`,
  );
  process.exit(MISSING);
}

type Options = {
  workers: number;
  /** Writes survive a crash of a server, as in production. Without it, servers start and write faster. */
  durable?: boolean;
  /** More settings of each server. */
  settings?: Record<string, string>;
  /** Servers call each other with TLS only. By default without, for tests that read what they send. */
  tls?: boolean;
};

export async function startCluster(options: Options): Promise<Cluster> {
  const home = citusHome();
  if (!home) throw new Error('CITUS_HOME names no PostgreSQL with Citus.');
  const folder = await makeFolder('earmark-cluster-');
  const asUser: { uid?: number; gid?: number } = process.getuid?.() === 0 ? UNPRIVILEGED : {};
  if (process.getuid?.() === 0) chownSync(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  const nodes: Node[] = [];
  const passwordFile = own(join(folder, 'password'), PASSWORD);
  const tls = options.tls ? await certify() : undefined;
  const nodeSettings = tls ?? { 'citus.node_conninfo': "'sslmode=disable'" };

  /** Writes a file that only the servers read. */
  function own(file: string, text: string): string {
    writeFileSync(file, text, { mode: 0o600 });
    if (asUser.uid !== undefined && asUser.gid !== undefined) chownSync(file, asUser.uid, asUser.gid);
    return file;
  }

  async function certify(): Promise<Record<string, string>> {
    const authority = await createAuthority(folder, 'cluster');
    const { key, certificate } = await authority.certify('localhost');
    const copy = (file: string, name: string) => own(join(folder, name), readFileSync(file, 'utf8'));
    const ca = copy(authority.ca, 'ca.crt');
    return {
      ssl: 'on',
      ssl_cert_file: `'${copy(certificate, 'server.crt')}'`,
      ssl_key_file: `'${copy(key, 'server.key')}'`,
      'citus.node_conninfo': `'sslmode=verify-ca sslrootcert=${ca}'`,
    };
  }

  async function openNode(server: Pick<Server, 'name' | 'port' | 'dataDir'>): Promise<Node> {
    const { dataDir, port } = server;
    appendFileSync(join(dataDir, 'postgresql.conf'), `port = ${port}\n`);
    const node = openServer(join(home!, 'bin/postgres'), { ...server, asUser });
    nodes.push(node);
    await node.start();
    return node;
  }

  async function addServer(name: string, { plain = false } = {}): Promise<Node> {
    const [dataDir, port] = [join(folder, name), await freePort()];
    const args = ['-D', dataDir, '-U', 'earmark', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
    args.push('--auth=scram-sha-256', `--pwfile=${passwordFile}`);
    await run(join(home!, 'bin/initdb'), args, asUser);
    const settings = {
      ...SETTINGS,
      ...(!plain && { ...CITUS_SETTINGS, ...nodeSettings }),
      ...options.settings,
      unix_socket_directories: `'${folder}'`,
      ...(!options.durable && { fsync: 'off', full_page_writes: 'off' }),
    };
    appendFileSync(
      join(dataDir, 'postgresql.conf'),
      Object.entries(settings)
        .map(([setting, value]) => `${setting} = ${value}\n`)
        .join(''),
    );
    return openNode({ name, port, dataDir });
  }

  const coordinator = await addServer('coordinator');
  const workers: Node[] = [];
  for (let number = 1; number <= options.workers; number++) workers.push(await addServer(`worker-${number}`));
  return {
    coordinator,
    workers,
    addServer,
    async addStandby(of) {
      const [name, port] = [`standby-of-${of.name}`, await freePort()];
      const dataDir = join(folder, name);
      const from = ['--host=127.0.0.1', `--port=${of.port}`, '--username=earmark', `--pgdata=${dataDir}`];
      const how = ['--wal-method=stream', '--checkpoint=fast', '--write-recovery-conf', '--create-slot', '--slot=standby'];
      await run(join(home!, 'bin/pg_basebackup'), [...from, ...how], { ...asUser, env: { PGPASSWORD: PASSWORD } });
      return openNode({ name, port, dataDir });
    },
    async takeOver(standby, lost) {
      await runOn(urlOf(standby.port, 'postgres'), 'select pg_promote(wait_seconds => 3600)');
      await standby.kill();
      return openNode({ name: standby.name, port: lost.port, dataDir: standby.dataDir });
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Server = { name: string; port: number; dataDir: string; asUser: { uid?: number; gid?: number } };

function openServer(program: string, { name, port, dataDir, asUser }: Server): Node {
  let child: ReturnType<typeof spawn> | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  return {
    name,
    port,
    dataDir,
    pid: () => child!.pid!,
    async start() {
      // libpq looks for certificates of the user in HOME.
      child = spawn(program, ['-D', dataDir], { ...asUser, stdio: 'ignore', env: { ...process.env, HOME: dataDir } });
      ended = new Promise((resolve) => child!.once('exit', resolve));
      const isReady = () => {
        if (child!.exitCode !== null) throw new Error(`${name} ended with code ${child!.exitCode} when it was started.`);
        return canConnect(port);
      };
      await waitUntil(`${name} starts`, isReady, HANGS_MS);
    },
    async kill() {
      // Immediate shutdown: no checkpoint, and the next start recovers from the log.
      child?.kill('SIGQUIT');
      await ended;
    },
  };
}

async function canConnect(port: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf(port, 'postgres') });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

export function urlOf(port: number, database: string): string {
  return `postgres://earmark:${PASSWORD}@127.0.0.1:${port}/${database}`;
}

/** Runs statements on one connection. */
export async function runOn(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Creates a database on a server, as an operator does before it joins a cluster: deploy/cluster/prepare.sh. */
export async function createDatabaseOn(port: number, name: string): Promise<void> {
  await runOn(urlOf(port, 'postgres'), `create database ${name}`);
  await runOn(
    urlOf(port, name),
    'create extension citus',
    `insert into pg_dist_authinfo (nodeid, rolename, authinfo) values (0, 'earmark', 'password=${PASSWORD}')`,
  );
}

/** Creates a database on every server, with the workers in its cluster. */
export async function createClusterDatabase(ports: number[], name: string): Promise<void> {
  const [coordinator, ...workers] = ports;
  for (const port of ports) await createDatabaseOn(port, name);
  await runOn(
    urlOf(coordinator!, name),
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator})`,
    ...workers.map((port) => `select citus_add_node('127.0.0.1', ${port})`),
  );
}
