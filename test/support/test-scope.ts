// The part of a test context that registers cleanup.

/** What ends with a test, or with a file: `{ after }` of node:test. */
export type TestScope = { after(end: () => Promise<void>): void };
