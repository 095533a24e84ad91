// The part of a test context that registers cleanup functions.

/** A test context, or `{ after }` of node:test for a file. */
export type TestScope = { after(end: () => Promise<void>): void };
