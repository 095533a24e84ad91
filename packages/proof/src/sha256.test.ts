// SHA-256 in JavaScript, which browsers use, against that of Node.js.
import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { digestOf } from './sha256.ts';

const LENGTHS = [...Array(200).keys(), 1_000, 65_536];

test('the digest in JavaScript is that of Node.js at every length around its blocks', () => {
  for (const length of LENGTHS) {
    const bytes = randomBytes(length);
    assert.equal(digestOf(bytes), hash('sha256', bytes, 'binary'), `${length} bytes`);
  }
});
