// Reads postmaster.pid, checks whether its server is alive, and removes stale lock files.
import { existsSync } from 'node:fs';
import { link, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unless } from './errors.ts';
import { type Home, readIfThere } from './site.ts';

/** The contents of postmaster.pid. */
export type Lock = { pid: number; port: string; socketDir: string; status: string };

/** An empty lock file younger than this may still be being written. */
const LOCK_WRITE_MS = 5_000;
/** A claim is held for some milliseconds. */
const CLAIM_MS = 5_000;
const POLL_MS = 10;

export async function readLock(home: Home): Promise<Lock | undefined> {
  const text = await readIfThere(join(home.cluster, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const [, , , port = '', socketDir = '', , , status = ''] = text.split('\n');
  return { pid: pidOf(text), port, socketDir, status: status.trim() };
}

/** Whether the process is alive and a server of this cluster, not another program with a reused pid. */
export async function isPostmaster(pid: number, home: Home): Promise<boolean> {
  if (!(pid > 0)) return false;
  if (!existsSync('/proc/self/cmdline')) return signalled(pid, 0);
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program = '', ...args] = commandLine.split('\0');
  if (basename(program) !== 'postgres') return false;
  // Either sign is enough: the folder may have been moved under a running server, and /proc/<pid>/cwd may be unreadable.
  return args.includes(home.cluster) || (await isSameFolder(`/proc/${pid}/cwd`, home.cluster));
}

/** Sends a signal and returns whether the process exists and may be signalled. Signal 0 only checks. */
export function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * Removes a stale lock file. PostgreSQL does this too, but fails when any live process has the pid, and two servers that do it at once
 * can remove each other's file. Among concurrent starts, only the one that holds a claim removes it, and no server starts before.
 */
export async function removeStaleLock(file: string, home: Home): Promise<void> {
  const claim = `${file}.stale`;
  for (;;) {
    const text = await readIfThere(file);
    if (text === undefined || (await isPostmaster(pidOf(text), home))) return;
    if (text === '' && Date.now() - (await stat(file)).mtimeMs < LOCK_WRITE_MS) return;
    if (await isLinked(file, claim)) {
      // Another start may have removed it before, and its server may have written a new one.
      if ((await readIfThere(file)) === text) await rm(file, { force: true });
      await rm(claim, { force: true });
    } else {
      // Linking sets the time of the change. A start that was killed leaves its claim behind.
      const held = await stat(claim).catch(unless('ENOENT'));
      if (held && Date.now() - held.ctimeMs > CLAIM_MS) await rm(claim, { force: true });
      await sleep(POLL_MS);
    }
  }
}

/** Makes a second name of a file; false if that name exists, or the file does not. */
async function isLinked(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** The pid in the first line of a lock file; 0 when it is empty. A single-user server writes its pid as a negative number. */
function pidOf(lockText: string): number {
  return Math.abs(Number.parseInt(lockText, 10)) || 0;
}

async function isSameFolder(...paths: [string, string]): Promise<boolean> {
  const [one, other] = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}
