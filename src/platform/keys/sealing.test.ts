// Tests of sealing: sealed data opens only with its context and key.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyError, openSealer } from './sealing.ts';

const [oldKey, newKey, otherKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];

test('opens every value that it sealed', () => {
  const sealer = openSealer([newKey]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.string(), (bytes, context) => {
      assert.deepEqual(sealer.open(sealer.seal(Buffer.from(bytes), context), context), Buffer.from(bytes));
    }),
  );
  assert.equal(sealer.open(sealer.seal('Zoë', 'a'), 'a').toString(), 'Zoë');
});

test('never seals a text to the same bytes twice, nor shows it', () => {
  const sealer = openSealer([newKey]);
  const sealed = sealer.seal('987-65-4321', 'customer:1');
  assert.notDeepEqual(sealed, sealer.seal('987-65-4321', 'customer:1'));
  assert.ok(!sealed.includes('987-65-4321'));
});

test('opens nothing in another context', () => {
  const sealer = openSealer([newKey]);
  assert.throws(() => sealer.open(sealer.seal('x', 'customer:1'), 'customer:2'), /belongs to another record/);
});

test('refuses data of which a byte was changed, removed or added', () => {
  const sealer = openSealer([newKey]);
  const sealed = sealer.seal('secret', 'c');
  for (let place = 0; place < sealed.length; place++) {
    const changed = Buffer.from(sealed);
    changed[place]! ^= 1;
    assert.throws(() => sealer.open(changed, 'c'), `byte ${place}`);
    assert.throws(() => sealer.open(sealed.subarray(0, place), 'c'), `cut at ${place}`);
  }
  assert.throws(() => sealer.open(Buffer.concat([sealed, Buffer.of(0)]), 'c'));
});

test('after a key rotation the newest seals, an older one still opens, a missing one is named', () => {
  const before = openSealer([oldKey]).seal('kept', 'c');
  const rotated = openSealer([newKey, oldKey]);
  assert.equal(rotated.open(before, 'c').toString(), 'kept');
  const after = rotated.seal('kept', 'c');
  assert.equal(openSealer([newKey]).open(after, 'c').toString(), 'kept');
  const { keyId } = openSealer([oldKey]).mac('p', 'd');
  assert.throws(
    () => openSealer([newKey]).open(before, 'c'),
    (error) => error instanceof KeyError && error.message.includes(keyId),
  );
});

test('opens content of any size only with its wrapped key and context', async () => {
  const sealer = openSealer([newKey]);
  const slice = 512 * 1024;
  for (const size of [0, 1, slice - 1, slice, slice + 1, 3 * slice + 7]) {
    const plain = randomBytes(size);
    const sealed = await sealer.sealContent(plain, 'document:1');
    assert.ok(sealer.openContent(sealed, 'document:1').equals(plain), String(size));
    assert.throws(() => sealer.openContent(sealed, 'document:2'), /belongs to another record/);
    const other = await sealer.sealContent(plain, 'document:1');
    assert.throws(() => sealer.openContent({ ...sealed, wrappedKey: other.wrappedKey }, 'document:1'), /was changed/);
    for (const cut of [0, 11, 27, sealed.content.length - 1]) {
      assert.throws(() => sealer.openContent({ ...sealed, content: sealed.content.subarray(0, cut) }, 'document:1'));
    }
    assert.throws(() => sealer.openContent({ ...sealed, wrappedKey: sealed.wrappedKey.subarray(1) }, 'document:1'));
  }
});

test('rewrapping replaces the key and keeps the content, of values and of content with a wrapped key', async () => {
  const [before, both, after] = [openSealer([oldKey]), openSealer([newKey, oldKey]), openSealer([newKey])];
  assert.deepEqual(both.keyIds, [after.keyIds[0], before.keyIds[0]]);
  const whole = before.seal('kept', 'c');
  const rewrapped = both.rewrap(whole, 'c');
  assert.equal(after.open(rewrapped, 'c').toString(), 'kept');
  assert.throws(() => before.open(rewrapped, 'c'), KeyError);
  assert.deepEqual(rewrapped.subarray(-32), whole.subarray(-32));
  const apart = await before.sealContent(Buffer.from('kept'), 'c');
  const wrappedKey = both.rewrap(apart.wrappedKey, 'c');
  assert.equal(after.openContent({ ...apart, wrappedKey }, 'c').toString(), 'kept');
  assert.throws(() => both.rewrap(whole, 'd'), /belongs to another record/);
  assert.throws(() => after.rewrap(whole, 'c'), KeyError);
  assert.throws(() => both.rewrap(whole.subarray(0, 20), 'c'), /not written by Earmark/);
});

test('keyed hashes differ by key, purpose and data, and match under every known key', () => {
  const sealer = openSealer([newKey, oldKey]);
  assert.deepEqual(sealer.macs('p', 'd'), [openSealer([newKey]).mac('p', 'd'), openSealer([oldKey]).mac('p', 'd')]);
  assert.deepEqual(sealer.mac('p', 'd'), sealer.macs('p', 'd')[0]);
  const hashes = [sealer.mac('p', 'd'), sealer.mac('q', 'd'), sealer.mac('p', 'e'), openSealer([otherKey]).mac('p', 'd')];
  assert.equal(new Set(hashes.map(({ hash }) => hash.toString('hex'))).size, hashes.length);
});
