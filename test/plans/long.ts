// Long rounds of test/plans.test.ts: more transfers, two accounts, many customers, and tables that were analysed when they were small.
import { test } from 'node:test';
import { assertFewRows, assertFlat, measureRounds } from './rounds.ts';

const SIZES = [0, 1_000, 3_000, 7_320];

test('one customer with 11,320 transfers', async (t) => {
  const rounds = await measureRounds(t, { sizes: SIZES });
  assertFlat(rounds);
  assertFewRows(rounds);
});

test('two accounts', async (t) => {
  const rounds = await measureRounds(t, { sizes: SIZES, accounts: 2 });
  assertFlat(rounds);
  assertFewRows(rounds, 2);
});

test('5,000 customers', async (t) => {
  const rounds = await measureRounds(t, { sizes: [0, 1_000, 3_000], customers: 5_000 });
  assertFlat(rounds);
  assertFewRows(rounds);
});

test('tables that were analysed when they were small', async (t) => {
  const rounds = await measureRounds(t, { sizes: SIZES, analyzed: true });
  assertFlat(rounds);
  assertFewRows(rounds);
});
