// Each example prints the committed output; `npm run examples` updates it.
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/paths.ts';
import { start } from './support/process.ts';

const EXAMPLES = globSync('examples/*.ts', { cwd: ROOT }).sort();
/** Runs all examples in one process, which runs their shared server. It ends when no example runs. */
const RUNNER = `
const { startEarmark } = await import('earmark/testing');
const { stop } = await startEarmark();
for (const example of ${JSON.stringify(EXAMPLES)}) {
  console.log('--- ' + example);
  await import(new URL(example, 'file://${ROOT}/'));
}
await stop();`;

test('the examples print the committed output', async (t) => {
  assert.equal(EXAMPLES.length, 9);
  const command = [process.execPath, '--conditions=earmark-source', '--input-type=module', '--eval', RUNNER];
  const { code, stdout, stderr } = await start(t, command, {}).ended;
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  const printed = new Map(
    stdout
      .split(/^--- /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1)]),
  );
  for (const example of EXAMPLES) {
    const file = join(ROOT, example.replace(/\.ts$/, '.out'));
    if (process.env.EXAMPLES_WRITE) writeFileSync(file, printed.get(example)!);
    assert.equal(printed.get(example), readFileSync(file, 'utf8'), example);
  }
});
