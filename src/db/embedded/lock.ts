// postmaster.pid: which process serves a cluster, whether it still does, and what is left of one that died.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { unless } from './errors.ts';
import { type Home, readIfThere } from './site.ts';

/** What postmaster.pid says. */
export type Lock = { pid: number; port: string; socketDir: string; status: string };

/** An empty lock file younger than this is one that a server is just writing. */
const LOCK_WRITE_MS = 5_000;

export async function readLock(home: Home): Promise<Lock | undefined> {
  const text = await readIfThere(join(home.cluster, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const [, , , port = '', socketDir = '', , , status = ''] = text.split('\n');
  return { pid: pidOf(text), port, socketDir, status: status.trim() };
}

/** Whether the process is alive and a server of this cluster, not another program that has got the number of a dead one. */
export async function isPostmaster(pid: number, home: Home): Promise<boolean> {
  if (!(pid > 0)) return false;
  if (!existsSync('/proc/self/cmdline')) return signalled(pid, 0);
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program = '', ...args] = commandLine.split('\0');
  if (basename(program) !== 'postgres') return false;
  // The folder may have been moved under a running server, and its process may be hidden from us: either sign is enough.
  return args.includes(home.cluster) || (await isSameFolder(`/proc/${pid}/cwd`, home.cluster));
}

/** Whether there was a process of ours to signal; signal 0 only asks. */
export function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** PostgreSQL does this too, but takes any live process with that number for a server and gives up. */
export async function removeStaleLock(file: string, home: Home): Promise<void> {
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

/** The first line of a lock file; 0 when it is empty. A single-user server writes its number negative. */
function pidOf(lockText: string): number {
  return Math.abs(Number.parseInt(lockText, 10)) || 0;
}

async function isSameFolder(...paths: [string, string]): Promise<boolean> {
  const [one, other] = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}
