// Generates a Python client from the served document, makes a reallocation with it and pages through a list.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readCredentials } from '../../src/sandbox/credentials.ts';
import { reallocation } from '../support/data.ts';
import { startService } from '../support/service.ts';

const REALLOCATIONS = 4;
const PROGRAM = join(import.meta.dirname, 'program.py');
/** A schema or operation that the generator cannot read is an error. No formatter is needed. */
const CONFIG = 'post_hooks: []\n';

const python = process.env.PYTHON!;
const run = promisify(execFile);

test('a generated Python client makes a reallocation and pages through a list', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-generated-'));
  t.after(async () => rmSync(folder, { recursive: true, force: true }));
  const { send, url, dataDir, tokenOf } = await startService(t);
  const sandbox = readCredentials(join(dataDir, 'sandbox.json'))!;
  const [from, to] = sandbox.labels;
  const token = await tokenOf(sandbox);
  for (let made = 0; made < REALLOCATIONS; made++)
    await send('POST', '/label-reallocations', { token, body: reallocation(from, to, '0.01') });

  const [document, config] = [join(folder, 'openapi.json'), join(folder, 'config.yaml')];
  writeFileSync(document, JSON.stringify((await send('GET', '/openapi.json')).body));
  writeFileSync(config, CONFIG);
  const generate = ['--path', document, '--output-path', join(folder, 'generated'), '--meta', 'none', '--config', config];
  const generated = await run(python, ['-m', 'openapi_python_client', 'generate', ...generate, '--fail-on-warning']);
  assert.doesNotMatch(generated.stdout + generated.stderr, /warning|error/i);

  const env = { PYTHONPATH: folder, BASE_URL: url, CLIENT_ID: sandbox.client_id, CLIENT_SECRET: sandbox.client_secret };
  const labels = { CUSTOMER: sandbox.customer, FROM: from, TO: to };
  const { stdout } = await run(python, [PROGRAM], { env: { ...process.env, ...env, ...labels } });
  const { location, total, pages } = JSON.parse(stdout) as { location: string; total: number; pages: string[][] };

  assert.ok(total > REALLOCATIONS);
  assert.deepEqual(
    pages.map((page) => page.length),
    Array.from({ length: Math.ceil(total / 2) }, (_, page) => Math.min(2, total - page * 2)),
  );
  assert.equal(new Set(pages.flat()).size, total, 'each once');
  assert.equal(pages[0]![0], location.slice(location.lastIndexOf('/') + 1), 'the newest first');
});
