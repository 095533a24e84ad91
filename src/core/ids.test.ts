// Tests of ids: format, bucket and sort order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BUCKETS, bucketOf, isId, legId, newId, parseLegId, randomBucket } from './ids.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MOST_MS = 2 ** 48 - 2 ** 20;
const TICKS = 2 ** 14;

const bucket = fc.integer({ min: 0, max: BUCKETS - 1 });
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
const isSorted = (ids: string[]) => ids.every((id, index) => index === 0 || ids[index - 1]! < id);

test('an id is a lower-case UUIDv7 with the current time and its bucket', () => {
  fc.assert(
    fc.property(bucket, (bucket) => {
      const [before, id, after] = [Date.now(), newId(bucket), Date.now()];
      assert.match(id, UUID_V7);
      assert.ok(isId(id));
      assert.equal(bucketOf(id), bucket);
      assert.ok(timeOf(id) >= before && timeOf(id) <= after);
      assert.equal(id.at(-1), '0');
    }),
  );
});

test('spreads buckets over the whole range', () => {
  const drawn = Array.from({ length: 20_000 }, () => randomBucket());
  assert.ok(drawn.every((one) => Number.isInteger(one) && one >= 0 && one < BUCKETS));
  // 20,000 draws from 4,096 miss about 31; missing 200 would be an error.
  assert.ok(new Set(drawn).size > BUCKETS - 200);
});

test('ids are unique, also within a millisecond and past the end of its counter', () => {
  const start = Date.now() + 1000;
  const ids = Array.from({ length: 3 * TICKS }, () => newId(7, start));
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(isSorted(ids));
  assert.deepEqual([timeOf(ids[0]!), timeOf(ids.at(-1)!)], [start, start + 2]);
  assert.ok(ids.every((id) => UUID_V7.test(id)));
});

test('ids of one bucket sort in the order they were made, even when the clock goes back', () => {
  fc.assert(
    fc.property(bucket, fc.array(fc.integer({ min: 0, max: MOST_MS }), { minLength: 2, maxLength: 50 }), (bucket, clock) => {
      const ids = clock.map((ms) => newId(bucket, ms));
      assert.ok(isSorted(ids));
      assert.ok(ids.every((id) => UUID_V7.test(id) && bucketOf(id) === bucket));
    }),
  );
});

test('the ids of the two entries of a transfer differ and lead back to it', () => {
  fc.assert(
    fc.property(bucket, fc.constantFrom('from' as const, 'to' as const), (bucket, leg) => {
      const transferId = newId(bucket);
      const entryId = legId(transferId, leg);
      assert.ok(isId(entryId) && entryId !== transferId);
      assert.notEqual(entryId, legId(transferId, leg === 'from' ? 'to' : 'from'));
      assert.equal(bucketOf(entryId), bucket);
      assert.deepEqual(parseLegId(entryId), { transferId, leg });
      assert.equal(parseLegId(transferId), undefined);
    }),
  );
});

test('refuses text that is not an id', () => {
  const id = newId(1);
  for (const text of [
    ...[
      '',
      '1',
      id.toUpperCase(),
      `${id}0`,
      ` ${id}`,
      `${id}\n`,
      id.slice(1),
      id.replaceAll('-', ''),
      `{${id}}`,
      `urn:uuid:${id}`,
    ],
    ...[id.replace(/.$/, 'g'), id.replace('-', '_')],
  ]) {
    assert.equal(isId(text), false, JSON.stringify(text));
  }
});
