// The embedded PostgreSQL: creates, starts, finds and stops the server of a data directory. It listens on a Unix socket only.
import { spawn } from 'node:child_process';
import { open, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf, EmbeddedError, lastComplaint, lineOf } from './embedded/errors.ts';
import { isPostmaster, type Lock, readLock, removeStaleLock, signalled } from './embedded/lock.ts';
import { serverSettings } from './embedded/settings.ts';
import {
  checkVersion,
  clusterVersion,
  type Home,
  handTo,
  homeOf,
  NAME,
  PORT,
  prepare,
  readIfThere,
  type Site,
  socketPath,
} from './embedded/site.ts';
import { ensureServiceRole, SERVICE_ROLE, servicePassword } from './service-role.ts';

export type EmbeddedServer = {
  /** Connection URL of the owner of the database, with the password: do not log it. */
  url: string;
  /** That of the role of services. */
  serviceUrl: string;
  /** The server was already running: started by another process, or left by a killed one. */
  adopted: boolean;
  /** Fast shutdown: rolls back open transactions. Does nothing when the server is already stopped. */
  stop(): Promise<void>;
};

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const QUIT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const POLL_MS = 10;
const RETRY_MS = 100;

/** Worth a retry: another process is starting the server, or the children of a killed server are still exiting. */
const TRANSIENT = /lock file "[^"]*" (already exists|is empty)|pre-existing shared memory block/;

/** No server listens. */
const UNREACHABLE = ['ECONNREFUSED', 'ENOENT'];

/** The server ended before it answered. */
const BROKEN = ['ECONNRESET', 'EPIPE'];

/** The server is starting, stopping or gone; a broken connection has no code. */
const UNREADY = [...UNREACHABLE, ...BROKEN, '57P01', '57P02', '57P03', undefined];

/** Another process created the role or the database first. */
const EXISTS = ['42P04', '42710', '23505'];

/** Disables durability, for data that need not survive a crash. */
const THROW_AWAY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Starts the PostgreSQL of a data directory, or finds it running. Throws an EmbeddedError with a one-line message. `throwAway`
 * disables durability: for tests only.
 */
export async function startEmbedded(options: {
  dataDir: string;
  settings?: Record<string, string>;
  throwAway?: boolean;
}): Promise<EmbeddedServer> {
  const { throwAway = false } = options;
  try {
    const site = await prepare(options.dataDir, { sync: !throwAway });
    return await adoptOrLaunch(site, { ...(throwAway && THROW_AWAY), ...options.settings });
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    throw new EmbeddedError(`The PostgreSQL of ${options.dataDir} cannot start: ${lineOf(error)}.`, { cause: error });
  }
}

/** Whether a data directory contains a database cluster, running or not. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await clusterVersion(homeOf(dataDir))) !== undefined;
}

/** Returns the URL of the server running on a data directory, or undefined. */
export async function findEmbedded(dataDir: string): Promise<string | undefined> {
  const home = homeOf(await realpath(dataDir).catch(() => resolve(dataDir)));
  const lock = await readLock(home);
  if (lock?.status !== 'ready' || !(await isPostmaster(lock.pid, home))) return undefined;
  const password = await readIfThere(home.passwordFile);
  if (password === undefined) return undefined;
  const url = urlOf({ ...lock, password: password.trim(), database: NAME });
  return (await failureOf(url)) === undefined ? url : undefined;
}

async function adoptOrLaunch(site: Site, settings: Record<string, string>): Promise<EmbeddedServer> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    let lock = await awaitRunning(site.home, deadline);
    const adopted = lock !== undefined;
    if (!lock && !(await isListening(site))) {
      await removeStaleLock(join(site.home.cluster, 'postmaster.pid'), site.home);
      await removeStaleLock(`${socketPath(site.socketDir)}.lock`, site.home);
      lock = await launch(site, settings, deadline);
    }
    let failure: Error | undefined;
    if (lock) {
      const { pid } = lock;
      const stop = () => stopPostmaster(pid, site.home);
      failure = await ensureDatabase(lock, site.password).catch(async (error) => {
        if (!adopted) await stop();
        throw error;
      });
      if (!failure) return { ...urlsOf(lock, site.password), adopted, stop };
    }
    if (performance.now() > deadline) throw tooLate(site.home, failure ? lineOf(failure) : `see ${site.home.logFile}`);
    await sleep(RETRY_MS);
  }
}

/** Waits until the server running on the cluster is ready; undefined when there is none or it stops. */
async function awaitRunning(home: Home, deadline: number): Promise<Lock | undefined> {
  for (;;) {
    const lock = await readLock(home);
    if (!lock || !(await isPostmaster(lock.pid, home))) return undefined;
    if (lock.status === 'ready') return lock;
    if (performance.now() > deadline) throw tooLate(home, `the process ${lock.pid} is ${lock.status || 'starting'}`);
    await sleep(POLL_MS);
  }
}

/**
 * Whether a server has just started, or is just ending. Refuses one in another container with the same volume, which is not visible among
 * our processes: a second server would corrupt the data.
 */
async function isListening({ home, socketDir, password }: Site): Promise<boolean> {
  const failure = await failureOf(urlOf({ port: `${PORT}`, socketDir, password, database: NAME }));
  const code = failure && codeOf(failure);
  if (code !== undefined && UNREACHABLE.includes(code)) return false;
  // A process that was killed has no command line for a moment before its socket closes.
  if (code !== undefined && BROKEN.includes(code)) return true;
  const lock = await readLock(home);
  // A server writes its lock file before it listens.
  if (lock && (await isPostmaster(lock.pid, home))) return true;
  throw new EmbeddedError(`A PostgreSQL outside of this container or machine is running on ${home.dataDir}: stop it first.`);
}

/** Starts a server and waits until it is ready; undefined when another process started one first. */
async function launch(site: Site, settings: Record<string, string>, deadline: number): Promise<Lock | undefined> {
  const { home, binaries } = site;
  await checkVersion(home, binaries);
  const { pid, ended, logStart } = await spawnServer(site, settings);
  let end: string | undefined;
  while (end === undefined) {
    const lock = await readLock(home);
    if (lock?.status === 'ready' && lock.pid === pid) return lock;
    // The server is left running: a long recovery continues, and the next start benefits from its progress.
    if (performance.now() > deadline) throw tooLate(home, `see ${home.logFile}`);
    end = await Promise.race([ended, sleep(POLL_MS, undefined)]);
  }
  const output = (await readFile(home.logFile)).subarray(logStart).toString();
  if (TRANSIENT.test(output)) return undefined;
  throw new EmbeddedError(`The PostgreSQL of ${home.dataDir} did not start (${end}): ${lastComplaint(output)}`);
}

async function spawnServer({ home, binaries, runner, socketDir }: Site, settings: Record<string, string>) {
  const log = await open(home.logFile, 'a', 0o600);
  const { size: logStart } = await log.stat();
  await handTo(runner, home.logFile);
  const assignments = Object.entries({ ...serverSettings({ socketDir, port: PORT }), ...settings });
  const options = assignments.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command = '', ...rest] = [...runner.prefix, binaries.postgres, '-D', home.cluster, ...options];
  // A separate session, so that Ctrl-C in the terminal does not reach the server: the service decides when to stop it.
  const how = { detached: true, cwd: '/', env: binaries.environment, ...runner.ids };
  const child = spawn(command, rest, { ...how, stdio: ['ignore', log.fd, log.fd] });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(lineOf(error)));
    child.once('exit', (code, signal) => resolve(`exit ${code ?? signal}`));
  });
  child.unref();
  await log.close();
  return { pid: child.pid, ended, logStart };
}

/** Creates the role of services and the database if they are missing. Returns the error when the server is not ready, or no longer. */
async function ensureDatabase(lock: Lock, password: string): Promise<Error | undefined> {
  const failure = await failureOf(urlOf({ ...lock, password, database: 'postgres' }), async (client) => {
    await ensureServiceRole(client, password);
    const found = await client.query('select from pg_database where datname = $1', [NAME]);
    if (found.rowCount === 0) await client.query(`create database ${NAME}`);
  });
  if (!failure || EXISTS.includes(codeOf(failure) ?? '')) return undefined;
  if (!UNREADY.includes(codeOf(failure))) throw failure;
  return failure;
}

async function stopPostmaster(pid: number, home: Home): Promise<void> {
  if (await signalAndWait(pid, home, { signal: 'SIGINT', timeoutMs: STOP_TIMEOUT_MS })) return;
  if (await signalAndWait(pid, home, { signal: 'SIGQUIT', timeoutMs: QUIT_TIMEOUT_MS })) return;
  throw new EmbeddedError(`The PostgreSQL of ${home.dataDir}, process ${pid}, did not stop.`);
}

/** Signals the server and returns whether it is gone. Checks the process first, because its pid may have been reused. */
async function signalAndWait(pid: number, home: Home, how: { signal: NodeJS.Signals; timeoutMs: number }): Promise<boolean> {
  if (!(await isPostmaster(pid, home))) return true;
  if (!signalled(pid, how.signal)) return true;
  const deadline = performance.now() + how.timeoutMs;
  while (performance.now() < deadline) {
    if (!(await isPostmaster(pid, home))) return true;
    await sleep(POLL_MS);
  }
  return false;
}

function urlsOf(lock: Lock, password: string): { url: string; serviceUrl: string } {
  const service = { user: SERVICE_ROLE, password: servicePassword(password) };
  return { url: urlOf({ ...lock, password, database: NAME }), serviceUrl: urlOf({ ...lock, ...service, database: NAME }) };
}

function urlOf(server: { socketDir: string; port: string; user?: string; password: string; database: string }): string {
  // sslmode overrides a PGSSLMODE in the environment that is meant for another server.
  const query = `host=${encodeURIComponent(server.socketDir)}&port=${server.port}&sslmode=disable`;
  return `postgres://${server.user ?? NAME}:${server.password}@/${server.database}?${query}`;
}

/** Connects, runs the work and disconnects. Returns the error, or undefined. */
async function failureOf(url: string, work?: (client: pg.Client) => Promise<void>): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A broken connection also rejects the calls below; without a listener the event would crash the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work?.(client);
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function tooLate(home: Home, detail: string): EmbeddedError {
  const seconds = START_TIMEOUT_MS / 1000;
  return new EmbeddedError(
    `The PostgreSQL of ${home.dataDir} is not ready after ${seconds} seconds (${detail}): try again later.`,
  );
}
