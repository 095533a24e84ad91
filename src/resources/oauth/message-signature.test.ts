// Tests of message signatures against the test vectors of RFC 9421 and RFC 9530.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InnerList } from 'structured-headers';
import { type ClientKey, readKey } from './client-key.ts';
import { checkDigest, isSignedBy, readSignatures, SignatureError, signatureBase } from './message-signature.ts';

/** RFC 9421, appendix B.1. */
const KEYS = {
  rsa: {
    kty: 'RSA',
    e: 'AQAB',
    n: 'r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w',
  },
  ec: {
    kty: 'EC',
    crv: 'P-256',
    x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
    y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
  },
  ed: { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
};
const SHA_512 = 'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:';

/** The request of appendix B.2. */
const request = (more: Record<string, string>) => ({
  method: 'POST',
  url: 'https://example.com/foo?param=Value&Pet=dog',
  fields: {
    host: ['example.com'],
    date: ['Tue, 20 Apr 2021 02:07:55 GMT'],
    'content-type': ['application/json'],
    'content-digest': [SHA_512],
    'content-length': ['18'],
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, [value]])),
  },
});
const keyOf = (name: keyof typeof KEYS) => readKey(KEYS[name]) as ClientKey;

test('RFC 9421 B.2.3: a signature with rsa-pss-sha512 over everything', () => {
  const message = request({
    'signature-input':
      'sig-b23=("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"',
    signature:
      'sig-b23=:bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==:',
  });
  const [{ input, bytes, label }] = readSignatures(message) as [ReturnType<typeof readSignatures>[number]];
  const base = signatureBase(message, input);
  assert.equal(label, 'sig-b23');
  assert.equal(
    base,
    `"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@query": ?param=Value&Pet=dog
"@authority": example.com
"content-type": application/json
"content-digest": ${SHA_512}
"content-length": 18
"@signature-params": ("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"`,
  );
  assert.equal(isSignedBy(keyOf('rsa'), base, bytes), true);
  assert.equal(isSignedBy(keyOf('rsa'), base.replace('POST', 'GET'), bytes), false);
  assert.equal(isSignedBy(keyOf('ec'), base, bytes), false);
});

test('RFC 9421 B.2.4: a signature with ecdsa-p256-sha256', () => {
  const base = `"@status": 200
"content-type": application/json
"content-digest": sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:
"content-length": 23
"@signature-params": ("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"`;
  const bytes = Buffer.from('wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==', 'base64');
  assert.equal(isSignedBy(keyOf('ec'), base, bytes), true);
  assert.equal(isSignedBy(keyOf('ec'), `${base} `, bytes), false);
  assert.equal(isSignedBy(keyOf('ed'), base, bytes), false);
});

test('RFC 9421 B.2.6: a signature with ed25519', () => {
  const message = request({
    'signature-input':
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    signature: 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
  });
  const [{ input, bytes }] = readSignatures(message) as [ReturnType<typeof readSignatures>[number]];
  const base = signatureBase(message, input);
  assert.equal(isSignedBy(keyOf('ed'), base, bytes), true);
  assert.equal(isSignedBy(keyOf('ed'), signatureBase({ ...message, url: 'https://example.com/bar' }, input), bytes), false);
});

test('the derived components of RFC 9421 section 2.2', () => {
  const message = { method: 'POST', url: 'https://www.example.com:8443/path?param=value', fields: {} };
  const value = (name: string) => signatureBase(message, [[[name, new Map()]], new Map()] as InnerList).split('\n')[0];
  assert.equal(value('@method'), '"@method": POST');
  assert.equal(value('@target-uri'), '"@target-uri": https://www.example.com:8443/path?param=value');
  assert.equal(value('@authority'), '"@authority": www.example.com:8443');
  assert.equal(value('@scheme'), '"@scheme": https');
  assert.equal(value('@request-target'), '"@request-target": /path?param=value');
  assert.equal(value('@path'), '"@path": /path');
  assert.equal(value('@query'), '"@query": ?param=value');
  for (const name of ['@status', '@query-param', '@signature-params', 'X-Upper', 'absent', 'authorization']) {
    assert.throws(() => value(name), SignatureError, name);
  }
});

test('a field that is there several times is joined, without spaces around (RFC 9421 section 2.1)', () => {
  const message = { method: 'GET', url: 'https://example.com/', fields: { 'x-a': [' one ', 'two'], 'x-empty': [''] } };
  const input = [
    [
      ['x-a', new Map()],
      ['x-empty', new Map()],
    ],
    new Map(),
  ] as InnerList;
  assert.equal(signatureBase(message, input), '"x-a": one, two\n"x-empty": \n"@signature-params": ("x-a" "x-empty")');
});

test('digests of content by the example of RFC 9421 B.2', () => {
  const content = Buffer.from('{"hello": "world"}');
  const check = (digest: string) => checkDigest({ fields: { 'content-digest': [digest] } }, content);
  const sha256 = 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:';
  for (const good of [SHA_512, sha256, `${sha256}, ${SHA_512}`, `md5=:AAAA:, ${sha256}`]) check(good);
  for (const bad of [
    sha256.replace('X48E', 'X48F'),
    `${sha256}, ${SHA_512.replace('WZDP', 'WZDQ')}`,
    `${sha256}, ${sha256}`,
    'sha-256=:AAAA:',
    'sha-256="X48E"',
    'md5=:AAAA:',
    'sha-256',
    '',
    '%%',
  ]) {
    assert.throws(() => check(bad), SignatureError, bad);
  }
});
