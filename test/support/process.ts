// Starts and runs the `earmark` command as a separate process.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Credentials } from '../../src/apps/sandbox/credentials.ts';
import { CLI, ROOT } from './paths.ts';
import { assertNothingSealed } from './sealed-values.ts';
import { DEFAULT_PROCESSES } from './second-server.ts';
import type { TestScope } from './test-scope.ts';
import { waitUntil } from './wait.ts';

export type Env = Record<string, string>;
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };
export type Running = {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<Ended>;
  /** Waits for the first match in stdout; fails when the process ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
};
export type Serving = Running & { url: string; port: number; pid: number };

/** A busy machine starts an embedded server and migrates it in a minute. */
const PRINTED_WITHIN_MS = 180_000;

/** Silences npm's update notice and warnings. */
const NPM = { npm_config_update_notifier: 'false', npm_config_loglevel: 'error' };
/** With EARMARK_TEST_WORKERS=2 each service runs two workers. */
const WORKERS: Env = { WORKERS: String(DEFAULT_PROCESSES) };
/** A compile cache shared by all processes saves a second per start. */
const NODE = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/earmark') };

/** The processes that each test started. */
const started = new WeakMap<TestScope, Running[]>();

/** Creates a folder that is deleted after the test, with any server that runs on a data directory in it. */
export function scratch(t: TestScope): string {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-process-'));
  t.after(async () => {
    // Hooks run in the order they were registered, and a service restarts its server when it dies.
    for (const { child, ended } of started.get(t) ?? []) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const name of readdirSync(folder)) await endServer(join(folder, name));
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Stops the embedded server of a data directory, if it runs. */
export async function endServer(dataDir: string): Promise<void> {
  await waitUntil('the database server is gone', () => {
    const pid = serverPid(dataDir);
    if (pid !== undefined) process.kill(pid, 'SIGQUIT');
    return pid === undefined;
  });
}

/**
 * Starts a program that is killed after the test. Its environment has only the settings given here; `stdout` is a file descriptor to
 * write to instead of a pipe.
 */
export function start(
  t: TestScope,
  command: string[],
  env: Env,
  how: { cwd?: string; detached?: boolean; stdout?: number } = {},
): Running {
  const [program = '', ...args] = command;
  const { HOME = '/', PATH = '' } = process.env;
  const bin = dirname(process.execPath);
  const child = spawn(program, args, {
    cwd: how.cwd ?? ROOT,
    detached: how.detached ?? false,
    env: { HOME, TMPDIR: tmpdir(), PATH: `${bin}${delimiter}${PATH}`, ...NPM, ...NODE, ...env },
    stdio: ['ignore', how.stdout ?? 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  let isOver = false;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isOver = true;
      resolve({ code, signal, ...texts });
    });
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
    assertNothingSealed(texts.stdout + texts.stderr);
  });
  async function printed(pattern: RegExp): Promise<RegExpExecArray> {
    return waitUntil(
      `${pattern} is printed`,
      () => {
        const found = pattern.exec(texts.stdout);
        assert.ok(found || !isOver, `ended without ${pattern}: ${texts.stdout}${texts.stderr}`);
        return found ?? undefined;
      },
      PRINTED_WITHIN_MS,
    );
  }
  const running = { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended, printed };
  started.set(t, [...(started.get(t) ?? []), running]);
  return running;
}

/** Returns the command that runs a shell line on a new terminal; both streams arrive on stdout. */
export function onTerminal(line: string): string[] {
  return process.platform === 'linux'
    ? ['script', '-qec', line, '/dev/null']
    : ['script', '-q', '/dev/null', '/bin/sh', '-c', line];
}

/** Starts `earmark` with arguments. */
export function startCli(t: TestScope, args: string[], env: Env, how?: { cwd?: string; stdout?: number }): Running {
  return start(t, [process.execPath, CLI, ...args], env, how);
}

/** Runs `earmark` until it ends. */
export function runCli(t: TestScope, args: string[], env: Env, how?: { cwd?: string }): Promise<Ended> {
  return startCli(t, args, env, how).ended;
}

/** The settings of a command that runs on the database and data directory of a service. */
export function settingsOf({ databaseUrl, dataDir }: { databaseUrl: string; dataDir: string }): Env {
  return { DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
}

/** Runs `earmark` with `--json` and returns the parsed output. */
export async function runCliJson<T>(t: TestContext, args: string[], env: Env): Promise<T> {
  const { code, stdout, stderr } = await runCli(t, [...args, '--json'], env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}

/** Starts `earmark serve`, or the given command, on a free port and waits until it serves. */
export async function serve(
  t: TestScope,
  env: Env,
  how: { command?: string[]; cwd?: string; detached?: boolean } = {},
): Promise<Serving> {
  const command = how.command ?? [process.execPath, CLI, 'serve'];
  const running = start(t, command, { PORT: '0', ...WORKERS, ...env }, how);
  const [line] = await running.printed(/^\{.*"msg":"started"\}$/m);
  const { url, port, pid } = JSON.parse(line) as { url: string; port: number; pid: number };
  return { ...running, url, port, pid };
}

/** Asserts exit code 1 (2 for a usage error) with one line on stderr that matches. */
export function assertOneLine(ended: Ended, pattern: RegExp, code: 1 | 2 = 1): void {
  assert.match(ended.stderr, pattern);
  assert.equal(ended.stderr.trimEnd().split('\n').length, 1, ended.stderr);
  assert.equal(ended.code, code);
}

/** The process id of the embedded server of a data directory, while it runs. */
export function serverPid(dataDir: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
    return isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export function sandboxOf(dataDir: string): Credentials {
  return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as Credentials;
}
