// Short-lived entries: a list of what is in flight, such as the open responses of a process.
import assert from 'node:assert/strict';

/**
 * Not a Map or Set. V8 collects the objects of a request cheaply unless an old object points at them. A Map or Set whose entries come and
 * go becomes such an old object, because each outgrown table points at its successor. An array does not, and is searched quickly while it
 * has few entries.
 */
type UnorderedList<T> = {
  readonly entries: readonly T[];
  add(entry: T): void;
  /** Changes the order of the others. */
  remove(entry: T): void;
};

export function createUnorderedList<T>(): UnorderedList<T> {
  const entries: T[] = [];
  return {
    entries,
    add(entry) {
      entries.push(entry);
    },
    remove(entry) {
      const index = entries.indexOf(entry);
      assert.ok(index >= 0, 'the entry is in flight');
      const last = entries.pop()!;
      if (index < entries.length) entries[index] = last;
    },
  };
}
