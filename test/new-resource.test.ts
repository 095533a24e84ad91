// A new resource: runs the commands of CONTRIBUTING.md in a clean clone, and the tests that are about resources.
// `npm run long -- new-resource` runs all of `npm run check` there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneHere, documentedCommands, isAdded, linkDependencies, run } from './support/new-resource.ts';
import { start } from './support/process.ts';

const TESTS = [
  'test/resources.test.ts',
  'test/buckets.test.ts',
  'test/boundaries.test.ts',
  'packages/client/src/coverage.test.ts',
  'src/resources/notes/notes.test.ts',
];
const ALL_MAX_MS = 480_000;

test('the example of a new resource works, and a missing line is found', { timeout: ALL_MAX_MS }, async (t) => {
  const folder = await cloneHere(t);
  linkDependencies(folder);
  const env = { EARMARK_TEST_SERVER: process.env.EARMARK_TEST_SERVER! };
  const [copy, ...others] = documentedCommands().slice(0, -1);
  if (!isAdded) {
    await run(t, copy!, folder);
    const lists = [process.execPath, '--test', '--test-name-pattern=lists', 'test/resources.test.ts'];
    const without = await start(t, lists, env, { cwd: folder }).ended;
    assert.equal(without.code, 1);
    for (const missing of ['src/resources/notes/manifest.ts', 'customer_note_created', 'src/resources/notes/routes.ts'])
      assert.match(without.stdout, new RegExp(`\\+ +'${missing}'`), `${missing} is named`);
    await run(t, others.join('\n'), folder);
  }
  // The commands lint what they add, and what they generate is not linted.
  await run(t, isAdded ? 'npm run lint\nnpm run types' : 'npm run types', folder);
  const { stdout } = await run(t, `node --test ${TESTS.join(' ')}`, folder, env);
  assert.match(stdout, /✔ creates, retrieves and lists notes/);
});
