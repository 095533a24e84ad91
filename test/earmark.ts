// The `earmark` command as a process of its own, watched from outside as a person or a supervisor would.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Credentials } from '../src/sandbox/credentials.ts';
import type { Ending } from './harness.ts';
import { assertNothingSealed, watchBody } from './sealed-values.ts';

export type Env = Record<string, string>;
export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };
export type Running = {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<Ended>;
  /** The first match in what it has printed. Fails when it ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
};
export type Serving = Running & { url: string; port: number; pid: number };

export const ROOT = join(import.meta.dirname, '..');

const CLI = join(ROOT, 'src/cli.ts');
/** Nothing of the network, and no word about how this machine is set up. */
const NPM = { npm_config_update_notifier: 'false', npm_config_loglevel: 'error' };
/** Compiled once for all of them: each is a second of waiting shorter. */
const NODE = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/earmark') };
const POLL_MS = 20;
const WAIT_MS = 30_000;

/** What was started in a test, by the test. */
const started = new WeakMap<Ending, Running[]>();

/** A folder that is gone after the test, with every server that still runs on a data directory in it. */
export function scratch(t: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-process-'));
  t.after(async () => {
    // Hooks run in the order they were set, and a service that loses its server starts it again.
    for (const { child, ended } of started.get(t) ?? []) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const name of readdirSync(folder)) await endServer(join(folder, name));
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Ending the embedded server that still runs on a data directory. */
export async function endServer(dataDir: string): Promise<void> {
  await poll('the database server is gone', () => {
    const pid = serverPid(dataDir);
    if (pid !== undefined) process.kill(pid, 'SIGQUIT');
    return pid === undefined;
  });
}

/**
 * Starts a program that is killed after the test. It gets the settings named here and none of those around the test; `stdout` is a
 * file descriptor to write to instead of a pipe that is read.
 */
export function start(
  t: Ending,
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
    return poll(`${pattern} is printed`, () => {
      const found = pattern.exec(texts.stdout);
      assert.ok(found || !isOver, `ended without ${pattern}: ${texts.stdout}${texts.stderr}`);
      return found ?? undefined;
    });
  }
  const running = { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended, printed };
  started.set(t, [...(started.get(t) ?? []), running]);
  return running;
}

/** The command that runs a line of shell on a terminal of its own; both of its streams come as stdout. */
export function onTerminal(line: string): string[] {
  return process.platform === 'linux'
    ? ['script', '-qec', line, '/dev/null']
    : ['script', '-q', '/dev/null', '/bin/sh', '-c', line];
}

/** Runs `earmark` to its end. */
export function earmark(t: Ending, args: string[], env: Env, how?: { cwd?: string }): Promise<Ended> {
  return start(t, [process.execPath, CLI, ...args], env, how).ended;
}

/** What a command prints with `--json`. */
export async function earmarkJson<T>(t: TestContext, args: string[], env: Env): Promise<T> {
  const { code, stdout, stderr } = await earmark(t, [...args, '--json'], env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}

/** Starts `earmark serve`, or what calls it, on any free port and waits until it has started. */
export async function serve(
  t: Ending,
  env: Env,
  how: { command?: string[]; cwd?: string; detached?: boolean } = {},
): Promise<Serving> {
  const command = how.command ?? [process.execPath, CLI, 'serve'];
  const running = start(t, command, { PORT: '0', ...env }, how);
  const [line] = await running.printed(/^\{.*"msg":"started"\}$/m);
  const { url, port, pid } = JSON.parse(line) as { url: string; port: number; pid: number };
  return { ...running, url, port, pid };
}

/** Asserts an end with one line on stderr that matches, without a stack, and exit code 1, or 2 for a call that is not understood. */
export function assertOneLine(ended: Ended, pattern: RegExp, code: 1 | 2 = 1): void {
  assert.match(ended.stderr, pattern);
  assert.equal(ended.stderr.trimEnd().split('\n').length, 1, ended.stderr);
  assert.equal(ended.code, code);
}

/** Waits for something to become true, or defined; fails when it does not. */
export async function poll<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(performance.now() < deadline, `in vain: ${what}`);
    await sleep(POLL_MS);
  }
}

/** The process of the embedded server of a data directory, while it runs. */
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

export type Client = { client_id: string; client_secret: string };

/** Asks for a token; undefined when it is refused. */
export async function tokenOf(url: string, { client_id, client_secret }: Client): Promise<string | undefined> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(`${url}/token`, { method: 'POST', body });
  const answer = (await response.json()) as { access_token?: string };
  assert.equal(response.status, answer.access_token ? 200 : 401);
  return answer.access_token;
}

/** Calls with a token; a body makes it a POST. */
export async function call<T>(
  url: string,
  token: string,
  body?: unknown,
): Promise<{ status: number; body: T; location: string }> {
  watchBody(body);
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assertNothingSealed(text);
  const location = response.headers.get('location') ?? '';
  return { status: response.status, body: (text ? JSON.parse(text) : undefined) as T, location };
}

/** A request that the service has begun to read and that waits for the rest of its body. */
export async function beginRequest(port: number) {
  const body = 'grant_type=client_credentials';
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  socket.write(
    'POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await poll('the service reads the request', () => text.includes('100 Continue'));
  return {
    /** Sends the rest; what the service answered once the connection is closed. */
    finish(): Promise<string> {
      socket.write(body);
      return closed;
    },
    closed,
  };
}

/** Queries a database in a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
