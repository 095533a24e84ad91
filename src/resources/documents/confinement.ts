// Takes rights away from a child process that works on untrusted files: another user, limits of the kernel, and Node's permissions.
import { execFile, type ForkOptions } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROCESS_OPTIONS } from '../../../packages/document-reader/src/process-options.ts';

/**
 * Limits of a process, set by `prlimit` of util-linux. `data`: what it may allocate, of which a picture takes up to 1.4 GB because V8
 * reserves 1.1. It writes no file and leaves no core dump, which would hold the picture.
 */
const LIMITS = [`--data=${2 * 1024 ** 3}`, '--core=0', '--fsize=0'];
/** Where `prlimit` is. The environment of the service does not decide what runs. */
const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path));
/** A user without an account and without files: the embedded server may run as nobody (65534). */
const STRANGER = { uid: 65_533, gid: 65_533 };
const MODULES = join('/', 'node_modules');

const run = promisify(execFile);

/** A way to start a process: as another user or not, under limits or not. */
type Way = { ids: { uid: number; gid: number } | undefined; prlimit: string | undefined };

/**
 * The strongest confinement of a program that works here: only root can choose another user, and macOS has no `prlimit`. Node's
 * permissions always apply. They bind JavaScript only: native code that an attacker controls is bound by the user and the limits.
 */
export async function confine(program: URL): Promise<Pick<ForkOptions, 'execPath' | 'execArgv' | 'uid' | 'gid'>> {
  const path = fileURLToPath(program);
  const sharp = fileURLToPath(import.meta.resolve('sharp'));
  const { ids, prlimit } = await chooseWay([process.execPath, path, sharp]);
  const node = [...PROCESS_OPTIONS.execArgv, '--permission', '--allow-addons', '--allow-worker'];
  const flags = [...node, ...readable(path, sharp).map((folder) => `--allow-fs-read=${folder}`)];
  if (!prlimit) return { execArgv: flags, ...ids };
  return { execPath: prlimit, execArgv: [...LIMITS, process.execPath, ...flags], ...ids };
}

async function chooseWay(needed: string[]): Promise<Way> {
  const users = process.getuid?.() === 0 ? [STRANGER, undefined] : [undefined];
  const ways = users.flatMap((ids) => (PRLIMIT ? [PRLIMIT, undefined] : [undefined]).map((prlimit) => ({ ids, prlimit })));
  for (const way of ways) if (await canRead(way, needed)) return way;
  return { ids: undefined, prlimit: undefined };
}

/** Whether a process that is started this way can read all files. A container or a unit of systemd may forbid the way. */
async function canRead({ ids, prlimit }: Way, paths: string[]): Promise<boolean> {
  const test = ['test', ...paths.flatMap((path) => ['-a', '-r', path]).slice(1)];
  const [program, ...args] = prlimit ? [prlimit, ...LIMITS, ...test] : test;
  const tried = run(program!, args, { cwd: '/', env: {}, ...ids });
  return tried.then(
    () => true,
    () => false,
  );
}

/**
 * What the program is made of: its folder, the sources or compiled files of the service, and packages. Data is elsewhere. Node's permissions
 * are by name, so a folder that is a link has two, and a package that is a link is in another `node_modules`.
 */
function readable(path: string, dependency: string): string[] {
  const sources = join(import.meta.dirname, '../..');
  const packages = join(sources, '../packages');
  const folders = ancestors(sources).flatMap((folder) => [join(folder, 'node_modules'), join(folder, 'package.json')]);
  const installed = dependency.slice(0, dependency.indexOf(MODULES) + MODULES.length);
  const existing = [dirname(path), sources, packages, installed, ...folders.filter((folder) => existsSync(folder))];
  return [...new Set(existing.flatMap((folder) => [folder, realpathSync(folder)]))];
}

function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
