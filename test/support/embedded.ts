// Embedded servers of tests: scratch folders, starts in another process, and queries.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { waitUntil } from './wait.ts';

export const MODULE = new URL('../../src/platform/db/embedded.ts', import.meta.url).href;
/** Prints what it has started and runs until it is killed or its input ends. */
const STARTER = `
  const { startEmbedded } = await import(${JSON.stringify(MODULE)});
  try {
    const server = await startEmbedded({ dataDir: process.argv[1] });
    console.log(JSON.stringify({ url: server.url, adopted: server.adopted }));
    process.stdin.resume().once('end', async () => {
      await server.stop();
      console.log('"stopped"');
      process.exit();
    });
  } catch (error) {
    console.log(JSON.stringify({ name: error.constructor.name, message: error.message }));
  }`;

type Line = { url: string; adopted: boolean; name: string; message: string };

/** A folder for a test; its server is stopped afterwards, also when the test fails. */
export async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'earmark-embedded-'));
  // For root without user namespaces, whose server runs as nobody.
  await chmod(folder, 0o755);
  // Not after each test: ext4 creates files three times slower for half a minute after many were removed.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  t.after(async () => {
    const files = await readdir(folder, { recursive: true });
    for (const file of files.filter((file) => file.endsWith('postmaster.pid'))) {
      const pid = await serverPid(dirname(dirname(join(folder, file))));
      if (pid) process.kill(pid, 'SIGQUIT');
      await waitUntil('the server has ended', async () => !pid || !(await isServer(pid)));
    }
  });
  return folder;
}

/** The running server that postmaster.pid names. */
export async function serverPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 && (await isServer(pid)) ? pid : undefined;
}

async function isServer(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('earmark-embedded-');
}

export function startIn(
  t: TestContext,
  dataDir: string,
  how: { prefix?: string[]; uid?: number; gid?: number; detached?: boolean } = {},
): ChildProcess {
  const { prefix = [], ...options } = how;
  const [command = '', ...args] = [...prefix, process.execPath, '--input-type=module', '--eval', STARTER, dataDir];
  const child = spawn(command, args, { ...options, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** The next line that a child of startIn prints. */
export async function nextLine(child: ChildProcess): Promise<Line> {
  const [line] = await once(child.stdout ?? assert.fail(), 'data');
  return JSON.parse(String(line)) as Line;
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  try {
    return (await pool.query(text)).rows;
  } finally {
    await pool.end();
  }
}
