// Watches a service of a test: no value that it seals may come back in an answer or stand in a log line.
import assert from 'node:assert/strict';

const SEALED = ['dateOfBirth', 'ssn', 'ein', 'passport'];
// Shorter ones (the last four of an ssn) are found in any id by chance.
const LENGTH_MIN = 8;

/** Collects what is sent as sealed; `check` fails when a text holds any of it, with or without its hyphens. */
export function openWatch() {
  const values = new Set<string>();
  return {
    sent(body: unknown): void {
      for (const value of sealedIn(body, false)) {
        if (value.length >= LENGTH_MIN) values.add(value).add(value.replaceAll('-', ''));
      }
    },
    check(texts: string[]): void {
      for (const text of texts) {
        const found = [...values].find((value) => text.includes(value));
        assert.ok(found === undefined, `a sealed value is in: ${text}`);
      }
      assert.ok(values.size > 0, 'something sealed was sent');
    },
  };
}

function sealedIn(value: unknown, isSealed: boolean): string[] {
  if (typeof value === 'string') return isSealed ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) =>
    sealedIn(member, SEALED.includes(name) || (isSealed && name === 'number')),
  );
}
