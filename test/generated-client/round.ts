// A round of a generated client against a real service: token, label, reallocation, list, error and upload.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { readCredentials } from '../../src/apps/sandbox/credentials.ts';
import { reallocation } from '../support/data.ts';
import { idOf } from '../support/http.ts';
import { picture } from '../support/pictures.ts';
import { startService } from '../support/service.ts';

export const PROGRAMS = join(import.meta.dirname, 'programs');
/** The Python that `run.ts` found. */
export const PYTHON = process.env.PYTHON ?? 'python3';

/** What a program prints: URLs of what it made, the pages of a list as ids, and a refusal. */
type Printed = {
  label: string;
  reallocation: string;
  total: number;
  pages: string[][];
  error: { status: number; code: string; message: string };
  document: string;
};
/** The program to run with the generated client in the same folder, and its environment. */
type Program = { command: string; args: string[]; env?: Record<string, string> };

const REALLOCATIONS = 4;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const run = promisify(execFile);

/** Runs a tool. Its output is in the error when it fails. */
export async function runTool(command: string, args: string[], how: { cwd?: string; env?: Record<string, string> } = {}) {
  const { cwd, env } = how;
  return run(command, args, { cwd, env: { ...process.env, ...env }, maxBuffer: OUTPUT_MAX_BYTES }).catch((error) => {
    throw new Error(`${command} ${args.join(' ')}\n${error.stdout}${error.stderr}`);
  });
}

/**
 * Starts a service, has a client generated from its document in a new folder, and runs a program with it. `generate` gets the path of the
 * document and the folder.
 */
export async function assertRound(t: TestContext, generate: (document: string, folder: string) => Promise<Program>) {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-generated-'));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  const { send, url, dataDir, tokenOf } = await startService(t);
  const sandbox = readCredentials(join(dataDir, 'sandbox.json'))!;
  const [from, to] = sandbox.labels;
  const token = await tokenOf(sandbox);
  for (let made = 0; made < REALLOCATIONS; made++)
    await send('POST', '/label-reallocations', { token, body: reallocation(from, to, '0.01') });
  const { body: owners } = await send('GET', `${sandbox.customer}/beneficial-owners`, { token });
  const owner = owners._embedded['beneficial-owners'].find((one: { verificationStatus: string }) => {
    return one.verificationStatus === 'document';
  });
  const [document, file] = [join(folder, 'openapi.json'), join(folder, 'passport.png')];
  writeFileSync(document, JSON.stringify((await send('GET', '/openapi.json')).body));
  writeFileSync(file, await picture('png'));

  const { command, args, env } = await generate(document, folder);
  const credentials = { BASE_URL: url, CLIENT_ID: sandbox.client_id, CLIENT_SECRET: sandbox.client_secret };
  const resources = { CUSTOMER: idOf(sandbox.customer), FROM: from, TO: to, OWNER: owner.id, PICTURE: file };
  const { stdout } = await runTool(command, args, { cwd: folder, env: { ...credentials, ...resources, ...env } });
  const printed = JSON.parse(stdout) as Printed;

  const get = async (path: string) => (await send('GET', path, { token })).body;
  assert.deepEqual((await get(printed.label)).name, 'Generated');
  assert.deepEqual((await get(printed.reallocation)).amount, { value: '0.50', currency: 'USD' });
  assert.ok(printed.total > REALLOCATIONS);
  assert.deepEqual(
    printed.pages.map((page) => page.length),
    Array.from({ length: Math.ceil(printed.total / 2) }, (_, page) => Math.min(2, printed.total - page * 2)),
  );
  assert.equal(new Set(printed.pages.flat()).size, printed.total, 'each once');
  assert.equal(printed.pages[0]![0], idOf(printed.reallocation), 'the newest first');
  assert.deepEqual([printed.error.status, printed.error.code], [400, 'ValidationError']);
  assert.match(printed.error.message, /^Insufficient funds: \d+\.\d\d USD available\.$/);
  assert.equal((await get(printed.document)).type, 'passport');
}
