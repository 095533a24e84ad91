// A new resource takes one folder, a migration and five lines: adds the example of CONTRIBUTING.md to a copy of the repository and runs it.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ROOT } from './support/paths.ts';
import { type Ended, scratch, start } from './support/process.ts';

const EXAMPLE = join(ROOT, 'examples/resource');
const COPIED = [
  'src',
  'migrations',
  'assets',
  'reference',
  'package.json',
  'test/global-setup.ts',
  'test/support',
  'test/cluster',
];
const STRUCTURE = ['test/boundaries.test.ts', 'test/resources.test.ts'];
const LINES = 5;

/** A copy of the parts of the repository that a service and the tests of its structure need. */
function copyRepository(t: TestContext): string {
  const folder = scratch(t);
  for (const path of [...COPIED, ...STRUCTURE]) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Adds the lines of a diff with one line of context. Ignores its line numbers. Returns the number of lines. */
function addLines(folder: string, diff: string): number {
  let added = 0;
  for (const part of diff.split(/^diff .*\n/m).slice(1)) {
    const file = join(folder, /^\+\+\+ b\/(.+)$/m.exec(part)![1]!);
    let text = readFileSync(file, 'utf8');
    for (const [, before, line] of part.matchAll(/^ (.*)\n\+(.*)$/gm)) {
      assert.ok(text.includes(`\n${before}\n`), `examples/resource/lists.diff: ${file} has no line ${before}`);
      text = text.replace(`\n${before}\n`, `\n${before}\n${line}\n`);
      added++;
    }
    writeFileSync(file, text);
  }
  return added;
}

/** Runs test files of the copy on the database server of this test. */
function runTests(t: TestContext, folder: string, args: string[]): Promise<Ended> {
  const env = { EARMARK_TEST_SERVER: process.env.EARMARK_TEST_SERVER!, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  return start(t, [process.execPath, '--test', ...args], env, { cwd: folder }).ended;
}

test('the example of a new resource works, and a missing line is found', async (t) => {
  const folder = copyRepository(t);
  for (const part of ['src', 'migrations']) cpSync(join(EXAMPLE, part), join(folder, part), { recursive: true });
  const without = await runTests(t, folder, ['--test-name-pattern=lists', ...STRUCTURE]);
  assert.equal(without.code, 1);
  for (const missing of ['src/notes/facts.ts', 'customer_note_created', 'src/notes/routes.ts'])
    assert.match(without.stdout, new RegExp(`\\+ +'${missing}'`), `${missing} is named`);

  assert.equal(addLines(folder, readFileSync(join(EXAMPLE, 'lists.diff'), 'utf8')), LINES);
  const complete = await runTests(t, folder, [
    '--test-skip-pattern=after calls',
    '--test-skip-pattern=every export',
    ...STRUCTURE,
    'src/notes/notes.test.ts',
  ]);
  assert.equal(complete.code, 0, complete.stdout);
  assert.match(complete.stdout, /✔ creates, retrieves and lists notes/);
});
