// Tests of strict JSON parsing and of the canonical text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, parseStrictJson } from './strict-json.ts';

// Without backslashes: JSON.parse of V8 13.6 misreads a member named by a quotation mark where an earlier object has one named by a
// backslash in its place.
const name = fc
  .oneof(fc.string(), fc.constantFrom('a', 'a"', '":', 'a":1,"a', '0', 'constructor', 'toString'))
  .filter((name) => !name.includes('\\'));
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('{"a":1,"a":2}', '":', '\\":', '" : "'));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  ),
}));
// The service refuses NUL, lone surrogates and `__proto__` in any JSON.
const isPlain = (json: string) => !/\\u0000|\\ud[89a-f]|__proto__/i.test(json);
/** The name spelled with an escape for each of its UTF-16 units. */
const escaped = (name: string) => name.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

test('reads any value as written, with any whitespace', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const json = JSON.stringify(value, null, space);
      fc.pre(isPlain(json));
      assert.deepEqual(parseStrictJson(Buffer.from(json)), JSON.parse(json));
    }),
    { numRuns: 1000 },
  );
});

test('finds a duplicate name at any depth and in any spelling', () => {
  fc.assert(
    fc.property(name, value, value, fc.boolean(), fc.nat(4), (name, one, other, isEscaped, depth) => {
      const again = isEscaped ? `"${escaped(name)}"` : JSON.stringify(name);
      const twice = `{"x":[],${JSON.stringify(name)}:${JSON.stringify(one)},"y":{}, ${again} : ${JSON.stringify(other)}}`;
      const json = '[{"in":'.repeat(depth) + twice + '}]'.repeat(depth);
      assert.doesNotThrow(() => JSON.parse(json), 'JSON.parse keeps the last and says nothing');
      assert.throws(() => parseStrictJson(Buffer.from(json)), SyntaxError);
    }),
    { numRuns: 500 },
  );
});

test('throws a SyntaxError for bytes that are not JSON', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        parseStrictJson(Buffer.from(bytes));
      } catch (error) {
        assert.ok(error instanceof SyntaxError);
      }
    }),
  );
});

test('gives equal values the same canonical text, whatever the order of their members', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, shuffled(member)]),
    );
  };
  const parsed = value.filter((one) => isPlain(JSON.stringify(one)));
  fc.assert(
    fc.property(parsed, parsed, (value, other) => {
      const json = canonicalJson(value);
      assert.equal(canonicalJson(shuffled(value)), json);
      assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)));
      const isSame = JSON.stringify(JSON.parse(json)) === JSON.stringify(JSON.parse(canonicalJson(other)));
      assert.equal(canonicalJson(other) === json, isSame);
    }),
  );
});
