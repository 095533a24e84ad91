// SECURITY.md and RELIABILITY.md name files that exist, and a test for each claim.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/paths.ts';

const FILE = /`((?:src|test|bench|migrations)\/[^`]+)`/g;
/** An item of a list, up to the next one or the end of its paragraph. */
const CLAIM = /^- \*\*.*?(?=\n(?:- |\n))/gms;
const CLAIMS_MIN = 10;

for (const document of ['SECURITY.md', 'RELIABILITY.md']) {
  test(`${document} names the tests of each of its claims`, () => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const named = [...text.matchAll(FILE)].map(([, file]) => file!);
    assert.deepEqual(
      named.filter((file) => !existsSync(join(ROOT, file))),
      [],
      'named, but not there',
    );
    const claims = text.match(CLAIM) ?? [];
    const untested = claims.filter((claim) => !/\sVerified\s+by\s+`(src|test)\/[^`]+\.ts`/.test(claim));
    assert.ok(claims.length >= CLAIMS_MIN, `${claims.length} claims are read`);
    assert.deepEqual(untested, []);
  });
}
