// The embedded PostgreSQL: makes, starts, finds and stops the server of a data directory, reached by a unix socket only.
import { spawn } from 'node:child_process';
import { open, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { codeOf, EmbeddedError, lastComplaint, lineOf } from './embedded/errors.ts';
import { isPostmaster, type Lock, readLock, removeStaleLock, signalled } from './embedded/lock.ts';
import { sizeSettings, thisMachine } from './embedded/settings.ts';
import {
  checkVersion,
  clusterVersion,
  ENVIRONMENT,
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

export type EmbeddedServer = {
  /** For `new pg.Pool({ connectionString: url })`. Holds the password: not for logs. */
  url: string;
  /** The server ran already, left behind by a service that was killed or started by another one. */
  adopted: boolean;
  /** A fast shutdown: open transactions are rolled back. Does nothing when the server is gone. */
  stop(): Promise<void>;
};

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const QUIT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const POLL_MS = 10;
const RETRY_MS = 100;

/** Another start got there first, or the children of a killed server are still leaving: a matter of trying again. */
const PASSING = /lock file "[^"]*" (already exists|is empty)|pre-existing shared memory block/;

/** Nobody listens. */
const UNREACHABLE = ['ECONNREFUSED', 'ENOENT'];

/** The server is coming, going or gone; a connection that breaks has no code at all. */
const UNREADY = [...UNREACHABLE, 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', undefined];

/** Another first start makes the database at this moment: as good. */
const EXISTS = ['42P04', '23505'];

/** What a server does without whose data nobody wants back after a crash. */
const THROW_AWAY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Starts (or finds running) the PostgreSQL of a data directory. Throws EmbeddedError with a one-line message. A server to
 * `throwAway` waits for no disk: for tests only.
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

/** Whether a data directory holds a database cluster, running or not. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await clusterVersion(homeOf(dataDir))) !== undefined;
}

/** The url of the server that already runs on this data directory, or undefined. */
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
    if (!lock) {
      await refuseUnseenServer(site);
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
      if (!failure) return { url: urlOf({ ...lock, password: site.password, database: NAME }), adopted, stop };
    }
    if (performance.now() > deadline) throw tooLate(site.home, failure ? lineOf(failure) : `see ${site.home.logFile}`);
    await sleep(RETRY_MS);
  }
}

/** The server that runs on the cluster once it is ready; undefined when there is none, or when it has stopped. */
async function awaitRunning(home: Home, deadline: number): Promise<Lock | undefined> {
  for (;;) {
    const lock = await readLock(home);
    if (!lock || !(await isPostmaster(lock.pid, home))) return undefined;
    if (lock.status === 'ready') return lock;
    if (performance.now() > deadline) throw tooLate(home, `the process ${lock.pid} is ${lock.status || 'starting'}`);
    await sleep(POLL_MS);
  }
}

/** A second server would ruin the data, and one in another container with the same volume is not among our processes. */
async function refuseUnseenServer({ home, socketDir, password }: Site): Promise<void> {
  const failure = await failureOf(urlOf({ port: `${PORT}`, socketDir, password, database: NAME }));
  if (failure && UNREACHABLE.includes(codeOf(failure) ?? '')) return;
  const lock = await readLock(home);
  // Another start of this machine was faster just now.
  if (lock && (await isPostmaster(lock.pid, home))) return;
  throw new EmbeddedError(`A PostgreSQL outside of this container or machine is running on ${home.dataDir}: stop it first.`);
}

/** Starts a server; its postmaster.pid once it is ready, undefined when another one was faster. */
async function launch(site: Site, settings: Record<string, string>, deadline: number): Promise<Lock | undefined> {
  const { home, binaries } = site;
  await checkVersion(home, binaries);
  const { pid, ended, logStart } = await spawnServer(site, settings);
  let end: string | undefined;
  while (end === undefined) {
    const lock = await readLock(home);
    if (lock?.status === 'ready' && lock.pid === pid) return lock;
    // Not stopped: a long recovery goes on, and the next start finds it further on.
    if (performance.now() > deadline) throw tooLate(home, `see ${home.logFile}`);
    end = await Promise.race([ended, sleep(POLL_MS, undefined)]);
  }
  const said = (await readFile(home.logFile)).subarray(logStart).toString();
  if (PASSING.test(said)) return undefined;
  throw new EmbeddedError(`The PostgreSQL of ${home.dataDir} did not start (${end}): ${lastComplaint(said)}`);
}

async function spawnServer({ home, binaries, runner, socketDir }: Site, settings: Record<string, string>) {
  const log = await open(home.logFile, 'a', 0o600);
  const { size: logStart } = await log.stat();
  await handTo(runner, home.logFile);
  const assignments = Object.entries({ ...serverSettings(socketDir), ...settings });
  const options = assignments.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command = '', ...rest] = [...runner.prefix, binaries.postgres, '-D', home.cluster, ...options];
  // A session of its own: a Ctrl-C in the terminal goes to the service, and the service decides when the server stops.
  const how = { detached: true, cwd: '/', env: ENVIRONMENT, ...runner.ids };
  const child = spawn(command, rest, { ...how, stdio: ['ignore', log.fd, log.fd] });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(lineOf(error)));
    child.once('exit', (code, signal) => resolve(`exit ${code ?? signal}`));
  });
  child.unref();
  await log.close();
  return { pid: child.pid, ended, logStart };
}

function serverSettings(socketDir: string): Record<string, string> {
  return {
    ...sizeSettings(thisMachine()),
    listen_addresses: '',
    port: `${PORT}`,
    // A list, hence the quotes.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    max_connections: '100',
    // A server that loses a process ends, and who uses it starts it anew: one that begins again by itself is stuck for ever when a
    // process of that recovery is killed too.
    restart_after_crash: 'off',
    logging_collector: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
}

/** Makes the database where it is missing; returns the error of a server that is not ready (any more). */
async function ensureDatabase(lock: Lock, password: string): Promise<Error | undefined> {
  const failure = await failureOf(urlOf({ ...lock, password, database: 'postgres' }), async (client) => {
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
  throw new EmbeddedError(`The PostgreSQL of ${home.dataDir}, process ${pid}, does not stop.`);
}

/** Whether the server is gone. The process is looked at each time, lest the signal hit another one that got its number. */
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

function urlOf(place: { socketDir: string; port: string; password: string; database: string }): string {
  // sslmode: a PGSSLMODE meant for another server must not reach this one.
  const query = `host=${encodeURIComponent(place.socketDir)}&port=${place.port}&sslmode=disable`;
  return `postgres://${NAME}:${place.password}@/${place.database}?${query}`;
}

/** Connects, works and leaves; returns what went wrong. */
async function failureOf(url: string, work?: (client: pg.Client) => Promise<void>): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A break also rejects what waits for it below; without a listener it would end the process.
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
