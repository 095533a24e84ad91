// Signatures of P-256 as JOSE has them: verified like those that node:crypto encodes itself, also with leading zeros, and nothing else is.
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { isSignedByP256 } from './ecdsa.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const NUMBER = 32;

test('signatures whose numbers begin with zeros or with a set bit are verified, and changed ones are not', () => {
  const seen = { zero: 0, bit: 0 };
  for (let round = 0; round < 1500; round++) {
    const data = Buffer.from(`text ${round}`);
    const signature = sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const firsts = [signature[0]!, signature[NUMBER]!];
    if (firsts.includes(0)) seen.zero++;
    if (firsts.some((first) => first >= 0x80)) seen.bit++;
    assert.ok(isSignedByP256(publicKey, data, signature), signature.toString('hex'));
    signature[round % signature.length]! ^= 1;
    assert.equal(isSignedByP256(publicKey, data, signature), false, signature.toString('hex'));
  }
  assert.ok(seen.zero > 0 && seen.bit > 0, JSON.stringify(seen));
});

test('numbers of zero, other lengths and other encodings are not signatures', () => {
  const data = Buffer.from('text');
  const rightly = sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const [r, s, zero] = [rightly.subarray(0, NUMBER), rightly.subarray(NUMBER), Buffer.alloc(NUMBER)];
  const der = sign('sha256', data, privateKey);
  assert.ok(verify('sha256', data, publicKey, der));
  const one = Buffer.from([...zero.subarray(1), 1]);
  const wrong = [
    [zero, zero],
    [r, zero],
    [zero, s],
    [one, one],
    [Buffer.alloc(NUMBER, 0xff), s],
    [s, r],
    [r, s, Buffer.of(0)],
    [r, s.subarray(1)],
    [r],
    [],
    [der],
  ];
  for (const parts of wrong) assert.equal(isSignedByP256(publicKey, data, Buffer.concat(parts)), false);
});
