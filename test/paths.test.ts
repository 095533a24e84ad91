// Paths that the documents for contributors and operators name exist, and so do the problems in the life of a request.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { problems } from '../src/core/problems.ts';
import { ROOT } from './support/paths.ts';

const DOCUMENTS = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'RELIABILITY.md',
  ...globSync('docs/operations/*.md', { cwd: ROOT }),
];
/** A path from the root of the repository: in backticks, or in a drawing. */
const PATH = /(?<![\w./:-])(?:src|packages|test|bench|migrations|assets|reference|examples|deploy|operations)\/[\w./-]*/g;
/** A file in backticks, also one that is named without its folder. */
const FILE = /`([\w-]+(?:\/[\w.-]+)*\.(?:ts|sql|yml))`/g;
const PATHS_MIN = 150;

test('every path that a document names exists, from the root of the repository', () => {
  const named = DOCUMENTS.flatMap((document) => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const files = [...text.matchAll(FILE)].map(([, file]) => file!).filter((file) => file.includes('/'));
    return [...text.matchAll(PATH)]
      .map(([path]) => path)
      .concat(files)
      .map((path) => ({ document, path: path.replace(/\.$/, '') }));
  });
  assert.ok(named.length > PATHS_MIN, `${named.length} paths are read`);
  assert.deepEqual(
    named.filter(({ path }) => !existsSync(join(ROOT, path))),
    [],
  );
});

test('every file that is named without its folder exists in one', () => {
  const names = new Set(
    globSync('{src,packages/*/src,test,examples}/**/*.ts', { cwd: ROOT }).map((file) => file.split('/').at(-1)!),
  );
  for (const document of DOCUMENTS)
    for (const [, file] of readFileSync(join(ROOT, document), 'utf8').matchAll(FILE))
      if (!file!.includes('/'))
        assert.ok(names.has(file!) || existsSync(join(ROOT, 'operations', file!)), `${document}: ${file}`);
});

test('every exit in the life of a request is a problem with its status', () => {
  const [, drawing = ''] = /^## The life of a request$.*?^```\n(.*?)^```$/ms.exec(
    readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8'),
  )!;
  const exits = [...drawing.matchAll(/\b([a-z]\w+) ([45]\d\d)\b/g)].map(([, name, status]) => [name!, Number(status)]);
  assert.ok(exits.length > 20, `${exits.length} exits are read`);
  const statuses = new Map<string, number>(Object.entries(problems).map(([name, { status }]) => [name, status]));
  assert.deepEqual(
    exits.filter(([name, status]) => statuses.get(String(name)) !== status),
    [],
  );
});
