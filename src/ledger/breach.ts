// What the rules of the ledger read and find.

/** A row that breaks a rule of the ledger. `id` is the id of the record that the rule concerns. */
export type Breach = { bucket: number; id: string; detail: string };

/** A range of buckets, both ends included. */
export type Range = { first: number; last: number };

/** The most breaches that one query returns, so that a widespread fault does not exhaust memory. */
export const BREACHES_MAX = 100;
