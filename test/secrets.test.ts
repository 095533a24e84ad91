// Secrets do not leak: not to process lists, child processes, logs, diagnostic reports or final error messages.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDatabase, query } from './support/database.ts';
import { call, tokenOf } from './support/http.ts';
import { CLI } from './support/paths.ts';
import { runCli, sandboxOf, scratch, serve, serverPid } from './support/process.ts';
import { waitUntil } from './support/wait.ts';

/** Checkpointer, writers, autovacuum and connections. */
const CHILDREN_MIN = 5;

type Process = { pid: number; parent: number; words: string; environment: string };

const secret = () => randomBytes(32).toString('base64');

/** Every process of this machine that can be read. */
function processes(): Process[] {
  const read = (pid: string, file: string) => readFileSync(join('/proc', pid, file), 'utf8');
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const parent = Number(/\) \S (\d+)/.exec(read(pid, 'stat'))![1]);
      return [{ pid: Number(pid), parent, words: read(pid, 'cmdline'), environment: read(pid, 'environ') }];
    } catch {
      return [];
    }
  });
}

function descendants(all: Process[], pid: number): Process[] {
  const children = all.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendants(all, child.pid)]);
}

test('the secrets of a running service', { skip: process.platform !== 'linux' }, async (t) => {
  const folder = scratch(t);
  const dataDir = join(folder, 'data');
  const inEnvironment = { AWS_SECRET_ACCESS_KEY: secret(), OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret()}` };
  const inFile = secret();
  writeFileSync(join(folder, 'key'), inFile, { mode: 0o600 });
  const env = {
    ...inEnvironment,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY_FILE: join(folder, 'key'),
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    LOG_LEVEL: 'trace',
  };
  const command = [process.execPath, '--report-on-signal', `--report-directory=${folder}`, CLI, 'serve'];
  const service = await serve(t, env, { command });
  const sandbox = sandboxOf(dataDir);
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim();
  const token = (await tokenOf(service.url, sandbox))!;
  assert.equal((await call(sandbox.customer, token)).status, 200);
  const given = [...Object.values(inEnvironment).map((text) => text.replace(/^authorization=/, '')), inFile];
  const assertNone = (text: string, where: string, known = [...given, password, sandbox.client_secret, token]) => {
    for (const [index, one] of known.entries()) assert.ok(!text.includes(one), `secret ${index} in ${where}`);
  };

  await t.test('are not in the process list, nor in any child process', () => {
    const all = processes();
    const serviceProcess = all.find(({ pid }) => pid === service.pid)!;
    assertNone(serviceProcess.words, 'its words');
    // Its own environment has the values that were set there, which is why settings can be files.
    assertNone(serviceProcess.environment, 'its environment', [inFile, password, sandbox.client_secret, token]);
    // With WORKERS, some are the service as well, with the same words and settings.
    const children = descendants(all, service.pid).filter(({ words }) => words !== serviceProcess.words);
    assert.ok(children.length >= CHILDREN_MIN && children.some(({ pid }) => pid === serverPid(dataDir)));
    for (const { pid, words, environment } of children) {
      assertNone(words, `the words of ${pid}: ${words}`);
      assertNone(environment, `the environment of ${pid}`);
      assert.doesNotMatch(environment, /ENCRYPTION|AWS_|OTEL_|DATABASE_URL|PGPASSWORD/);
    }
  });

  await t.test('are not in a diagnostic report of Node.js', async () => {
    const report = () => readdirSync(folder).find((name) => /^report\..*\.json$/.test(name));
    service.child.kill('SIGUSR2');
    const text = await waitUntil('the report is complete', () => {
      const name = report();
      const found = name === undefined ? '' : readFileSync(join(folder, name), 'utf8');
      return found.trimEnd().endsWith('}') ? found : undefined;
    });
    assert.equal(JSON.parse(text).header.event, 'SIGUSR2');
    assertNone(text, 'the report', given);
  });

  await t.test('are not in its log at any level', async () => {
    service.child.kill('SIGTERM');
    const { code, stdout, stderr } = await service.ended;
    assert.equal(code, 0);
    assert.match(stdout, /"msg":"request"/);
    assertNone(stdout + stderr, 'the log', [...given, password, token]);
  });
});

test('the final message of a failed command quotes no row', async (t) => {
  const databaseUrl = await makeDatabase(t);
  await query(databaseUrl, "alter table account add constraint quiet check (name <> 'hush')");
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(scratch(t), 'data') };
  const { code, stderr } = await runCli(t, ['account', 'create', 'hush'], env);
  assert.equal(code, 1);
  assert.match(stderr, /violates check constraint "quiet"\n +at /);
  assert.doesNotMatch(stderr, /hush|Failing row/);
});
