// PostgreSQL of Debian with pgBackRest and an S3 server, with the files of deploy/backup and nothing else than other addresses.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createAuthority } from '../support/certificates.ts';
import { query } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { CLI, ROOT } from '../support/paths.ts';
import { type Ended, start } from '../support/process.ts';
import type { TestScope } from '../support/test-scope.ts';

export type BackedUp = Awaited<ReturnType<typeof startBackedUp>>;

type S3Server = { run(): Promise<unknown>; close(): Promise<void>; httpServer: Server };
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3Server;

const BIN = '/usr/lib/postgresql/15/bin';
const PASSWORD = 'CHANGE-password';
/** The only credentials that s3rver knows. */
const S3_KEY = 'S3RVER';
const BUCKET = 'backups';
const DEPLOYED = join(ROOT, 'deploy/backup');

/** Why it cannot run here, or undefined. */
export function missing(): string | undefined {
  if (process.getuid?.() !== 0) return 'it must run as root, which runs PostgreSQL as postgres';
  const found = spawnSync('pgbackrest', ['version'], { stdio: 'ignore' }).error === undefined && existsSync(`${BIN}/postgres`);
  return found ? undefined : 'pgBackRest or PostgreSQL 15 is missing: apt-get install pgbackrest postgresql-15';
}

/** Starts both servers, with an empty database and repository. They end with `t`. */
export async function startBackedUp(t: TestScope, folder: string) {
  const owner = { uid: idOf('-u'), gid: idOf('-g') };
  const own = (path: string) => {
    mkdirSync(path, { recursive: true });
    chownSync(path, owner.uid, owner.gid);
    return path;
  };
  chmodSync(folder, 0o755);
  const [port, s3Port] = [await freePort(), await freePort()];
  const [home, dataDir] = [own(join(folder, 'postgres')), own(join(folder, 'postgres/data'))];
  const bucket = join(folder, 's3', BUCKET);
  const ca = await startS3(t, { folder, port: s3Port });
  const config = join(home, 'pgbackrest.conf');
  writeFileSync(config, configOf({ home, dataDir, port, s3Port, ca }), { mode: 0o640 });
  chownSync(config, owner.uid, owner.gid);
  writeFileSync(join(home, 'earmark'), `#!/bin/sh\nexec ${process.execPath} ${CLI} "$@"\n`, { mode: 0o755 });
  const databaseUrl = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/earmark`;
  const env = {
    PATH: `${home}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    PGBACKREST_CONFIG: config,
    DATABASE_URL: databaseUrl,
    DATA_DIR: own(join(home, 'earmark-data')),
    NODE_COMPILE_CACHE: join(home, 'cache'),
  };
  /** Runs a command as postgres, with the settings of the units. */
  const run = (command: string[], more: Record<string, string> = {}): Promise<Ended> =>
    start(
      t,
      ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command],
      { ...env, ...more },
      { cwd: home },
    ).ended;
  const must = async (command: string[], more?: Record<string, string>): Promise<string> => {
    const { code, stdout, stderr } = await run(command, more);
    assert.equal(code, 0, `${command.join(' ')}\n${stdout}${stderr}`);
    return stdout;
  };
  writeFileSync(join(home, 'password'), PASSWORD);
  chmodSync(join(home, 'password'), 0o644);
  await must([
    `${BIN}/initdb`,
    '--pgdata',
    dataDir,
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--auth-local=peer',
    '--auth-host=scram-sha-256',
    `--pwfile=${home}/password`,
  ]);
  const settings = {
    port: String(port),
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: `'${home}'`,
    shared_buffers: '64MB',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(dataDir, 'postgresql.conf'), [...lines, readFileSync(join(DEPLOYED, 'postgresql.conf'), 'utf8')].join(''), {
    flag: 'a',
  });
  const startServer = () => must([`${BIN}/pg_ctl`, '--pgdata', dataDir, '--wait', `--log=${home}/postgres.log`, 'start']);
  const killServer = () => run([`${BIN}/pg_ctl`, '--pgdata', dataDir, '--mode=immediate', 'stop']);
  t.after(async () => {
    await killServer();
  });
  await startServer();
  await query(databaseUrl.replace(/earmark$/, 'postgres'), 'create database earmark');
  return {
    databaseUrl,
    dataDir,
    home,
    bucket,
    run,
    must,
    startServer,
    killServer,
    drill: join(DEPLOYED, 'drill.sh'),
    units: readUnit,
  };
}

/** Starts an S3 server with TLS, which pgBackRest insists on. Returns the certificate of its authority. */
async function startS3(t: TestScope, { folder, port }: { folder: string; port: number }): Promise<string> {
  const authority = await createAuthority(folder, 's3');
  const { key, certificate } = await authority.certify('localhost');
  // Its signatures of paths with a final slash differ from those of S3 and pgBackRest.
  const server = new S3rver({
    ...{
      address: '127.0.0.1',
      port,
      directory: join(folder, 's3'),
      silent: true,
      vhostBuckets: false,
      allowMismatchedSignatures: true,
    },
    ...{ configureBuckets: [{ name: BUCKET }], key: readFileSync(key), cert: readFileSync(certificate) },
  });
  await server.run();
  t.after(async () => {
    server.httpServer.closeAllConnections();
    await server.close();
  });
  const ca = join(folder, 'ca.pem');
  cpSync(authority.ca, ca);
  chmodSync(ca, 0o644);
  return ca;
}

type Addresses = { home: string; dataDir: string; port: number; s3Port: number; ca: string };

/** The deployed settings with the addresses of this machine. */
function configOf({ home, dataDir, port, s3Port, ca }: Addresses): string {
  const changed: Record<string, string> = {
    'repo1-s3-endpoint': 'localhost',
    'repo1-s3-key': S3_KEY,
    'repo1-s3-key-secret': S3_KEY,
    'spool-path': join(home, 'spool'),
    'pg1-path': dataDir,
    'pg1-port': String(port),
    'pg1-socket-path': home,
  };
  const local = [`repo1-storage-port=${s3Port}`, `repo1-storage-ca-file=${ca}`, 'repo1-s3-uri-style=path'];
  const paths = [`log-path=${home}`, `lock-path=${home}/lock`];
  return readFileSync(join(DEPLOYED, 'pgbackrest.conf'), 'utf8')
    .replace(/^([\w-]+)=(.*)$/gm, (_, name: string, value: string) => `${name}=${changed[name] ?? value}`)
    .replace('[global]', ['[global]', ...local, ...paths].join('\n'));
}

/** The commands of a unit, whose instance is `type`. */
function readUnit(name: string, type = ''): string[][] {
  const text = readFileSync(join(DEPLOYED, name), 'utf8');
  return [...text.matchAll(/^ExecStart=(.*)$/gm)].map(([, line]) => line!.replaceAll('%i', type).split(' '));
}

function idOf(flag: string): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
