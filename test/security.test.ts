// SECURITY.md and RELIABILITY.md name files that exist, and each claim in their tables is held by a test.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/paths.ts';

const FILE = /`((?:src|test|bench|migrations)\/[^`]+)`/g;
const CLAIMS_MIN = 10;

for (const document of ['SECURITY.md', 'RELIABILITY.md']) {
  test(`${document} names what holds each of its claims`, () => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const named = [...text.matchAll(FILE)].map(([, file]) => file!);
    assert.deepEqual(
      named.filter((file) => !existsSync(join(ROOT, file))),
      [],
      'named, but not there',
    );
    const claims = text
      .split('\n')
      .filter((line) => /^\| (?!Threat|Promise|Run|---)/.test(line) && line.split(' | ').length === 3);
    const unheld = claims.filter((line) => !/`(src|test)\/[^`]+\.test\.ts`/.test(line.split(' | ').at(-1)!));
    assert.ok(claims.length >= CLAIMS_MIN, `${claims.length} claims are read`);
    assert.deepEqual(unheld, []);
  });
}
