// Plain language: comments, strings and documents use the field's terms instead of the project's former private words.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/paths.ts';

const FILES = [
  '{src,test,bench}/**/*.{ts,js,sql}',
  'migrations/*.sql',
  '*.md',
  'bench/*.md',
  'operations/*.md',
  'docs/guides/*.md',
];
/** Generated files, fixtures, history, and this file with its patterns. */
const EXCLUDED = /^(test\/(fixtures\/|language\.test\.ts)|src\/client\/openapi\.ts|CHANGELOG\.md)/;

/** Unambiguous former words, each with its plain replacement. */
const WORDS: [former: RegExp, plain: string][] = [
  [/\b(mend(s|ed|ing|able)?|MENDABLE)\b/, 'fix, user error'],
  [/\ba whole number\b/, 'an integer'],
  [/\bthat of another record\b/, 'is already in use'],
  [/\bthe books\b|\b(proof|proves?|proving) (of )?the books\b|\b(check|prove|assert)Books\b/i, 'the ledger, ledger check'],
  [/\b(tells?|told) of\b|\b(is|are|was|were) told\b/, 'reports, is delivered'],
  [/\b(look|looks|looked|looking) away\b/, 'ignores'],
  [/\bbeg[aiu]n(s|ning)? anew\b|\banew\b/, 'reset, again'],
  [/\bfor ever\b/, 'permanently'],
  [/\b(hangs?|hung|hanging) up\b/, 'disconnects, aborted request'],
  [/\bin (our|its|their) own words\b|\bin words of\b|\bownWords\b/, 'as the standard error body'],
  [/\bholdNeedy\b/, 'lockSubjectNeedingDocument'],
  [/\bneither (is|are)\b/, 'is not … either'],
  [/\bcom(e|es|ing) to nothing\b|\bcame to nothing\b/, 'has no effect'],
  [/\bas it travels\b/, 'in transit'],
  [/\bwhat is sealed\b/i, 'sealed data'],
  [/\b(meets?|met|meeting) a fault\b/, 'receives an error'],
  [
    /\b(a|every|each|other|another|the|these|all|two) rooms?\b(?! (for|to|in|on|left))|\brooms (that|know|make|of)\b/i,
    'module, folder, resource',
  ],
  [/\bof (its|their|your|our) own\b/, 'separate, another'],
  [/\b(a|every|each|other|another|all) doors?\b|\bdoors (are|of|that)\b/i, 'routes'],
];

test('the tree uses the plain words of the glossary', () => {
  const files = globSync(FILES, { cwd: ROOT }).filter((file) => !EXCLUDED.test(file) && !file.includes('node_modules'));
  assert.ok(files.length > 300, `${files.length} files are read`);
  const findings = files.sort().flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        WORDS.flatMap(([former, plain]) => {
          const found = former.exec(line);
          return found ? [`${file}:${index + 1}: "${found[0]}" (write: ${plain})`] : [];
        }),
      ),
  );
  assert.deepEqual(findings, []);
});
