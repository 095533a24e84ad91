// The client of openapi-python-client. A schema or operation that the generator cannot read is an error.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertRound, PROGRAMS, PYTHON, runTool } from './round.ts';

/** No formatter is needed. */
const CONFIG = 'post_hooks: []\n';

test('a Python client of openapi-python-client', async (t) => {
  await assertRound(t, async (document, folder) => {
    const config = join(folder, 'config.yaml');
    writeFileSync(config, CONFIG);
    const output = ['--output-path', join(folder, 'generated'), '--meta', 'none', '--config', config];
    const args = ['-m', 'openapi_python_client', 'generate', '--path', document, ...output, '--fail-on-warning'];
    const { stdout, stderr } = await runTool(PYTHON, args);
    assert.doesNotMatch(stdout + stderr, /warning|error/i);
    await runTool(PYTHON, ['-m', 'compileall', '-q', 'generated'], { cwd: folder });
    return { command: PYTHON, args: [join(PROGRAMS, 'openapi_python_client.py')], env: { PYTHONPATH: folder } };
  });
});
