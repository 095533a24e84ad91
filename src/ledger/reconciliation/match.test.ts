// Tests of the matching: a known truth in any order is found, a changed amount too, and nothing is in two parts of the result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BankLine } from '../bank-files/statement.ts';
import { daysLater } from '../bank-files/values.ts';
import { type Matching, type Movement, match } from './match.ts';

const DAYS = 5;
const FIRST = '2026-01-10';
let count = 0;

function line(amount: bigint, more: Partial<BankLine> = {}): BankLine {
  count += 1;
  const rest = { at: count, account: 'a', currency: 'EUR', booked: FIRST, valued: undefined, counterparty: undefined };
  return { ...rest, id: `bank-${count}`, references: [], text: '', amount, ...more };
}

function movement(amount: bigint, more: Partial<Movement> = {}): Movement {
  count += 1;
  const day = more.day ?? FIRST;
  const rest = { kind: 'deposit', customerId: 'c', currency: 'EUR', externalId: null, reference: null, original: null };
  return { ...rest, id: `m${count}`, amount, day, created: `${day}T12:00:00.000Z`, ...more };
}

/** The ids of each pairing, sorted, so that they can be compared. */
function namesOf({ matched, different, onlyAtBank, onlyInLedger }: Matching) {
  const ids = (all: { id: string }[]) => all.map(({ id }) => id).sort();
  const pairs = (all: Matching['matched']) => all.map(({ lines, movements }) => [ids(lines), ids(movements)].join(' = ')).sort();
  return { matched: pairs(matched), different: pairs(different), onlyAtBank: ids(onlyAtBank), onlyInLedger: ids(onlyInLedger) };
}

/** A part of the truth: how it is known, and what belongs together. */
const part = fc.record({
  kind: fc.constantFrom('externalId', 'reference', 'text', 'many movements', 'many lines', 'different', 'bank', 'ledger'),
  amount: fc.bigInt({ min: 1n, max: 50n }),
  isOut: fc.boolean(),
  apart: fc.integer({ min: -DAYS, max: DAYS }),
});

test('a known truth is found in any order of the lines and the movements', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.infiniteStream(fc.nat()), (parts, random) => {
      const lines: BankLine[] = [];
      const movements: Movement[] = [];
      const truth = {
        matched: [] as string[],
        different: [] as string[],
        onlyAtBank: [] as string[],
        onlyInLedger: [] as string[],
      };
      for (const [index, { kind, amount: size, isOut, apart }] of parts.entries()) {
        const amount = isOut ? -size : size;
        const name = `Ref ${index}-truth`;
        const day = daysLater(FIRST, apart);
        const bank =
          kind === 'text'
            ? [line(amount, { text: `thanks, REF ${index} Truth!` })]
            : kind === 'many lines'
              ? [line(amount, { references: [name] }), line(amount * 2n, { references: [name] })]
              : kind === 'ledger'
                ? []
                : [
                    line(kind === 'different' ? amount * 4n : kind === 'many movements' ? amount * 3n : amount, {
                      references: [name],
                    }),
                  ];
        const same = kind === 'externalId' ? { externalId: name } : { reference: name };
        const ledger =
          kind === 'bank'
            ? []
            : kind === 'many movements'
              ? [movement(amount, { ...same, day }), movement(amount * 2n, { ...same, day })]
              : [movement(kind === 'many lines' ? amount * 3n : amount, { ...same, day })];
        lines.push(...bank);
        movements.push(...ledger);
        const pair = [bank, ledger].map((all) => all.map(({ id }) => id).sort()).join(' = ');
        if (kind === 'bank') truth.onlyAtBank.push(bank[0]!.id);
        else if (kind === 'ledger') truth.onlyInLedger.push(ledger[0]!.id);
        else truth[kind === 'different' ? 'different' : 'matched'].push(pair);
      }
      for (const all of Object.values(truth)) all.sort();
      const shuffle = <T>(all: T[]) =>
        all
          .map((one) => [random.next().value!, one] as const)
          .sort((a, b) => a[0] - b[0])
          .map(([, one]) => one);
      assert.deepEqual(namesOf(match(shuffle(lines), shuffle(movements), { days: DAYS })), truth);
    }),
    { numRuns: 300 },
  );
});

test('every line and every movement is in one part of the result, whatever they have in common', () => {
  const days = fc.integer({ min: 0, max: 9 }).map((after) => daysLater(FIRST, after));
  const texts = fc.constantFrom('rent', 'rent 2026', 'invoice 4711', '');
  const amounts = fc.bigInt({ min: -3n, max: 3n }).filter((amount) => amount !== 0n);
  const some = fc.array(fc.record({ amount: amounts, day: days, text: texts, id: texts }), { maxLength: 25 });
  fc.assert(
    fc.property(some, some, (bank, ledger) => {
      const lines = bank.map(({ amount, day, text, id }) =>
        line(amount, { booked: day, text, references: id === '' ? [] : [id] }),
      );
      const movements = ledger.map(({ amount, day, text, id }) =>
        movement(amount, { day, reference: text || null, externalId: id || null }),
      );
      const found = match(lines, movements, { days: 2 });
      const pairs = [...found.matched, ...found.different];
      const idsOf = (all: { id: string }[]) => all.map(({ id }) => id).sort();
      assert.deepEqual(idsOf([...pairs.flatMap((pair) => pair.lines), ...found.onlyAtBank]), idsOf(lines));
      assert.deepEqual(idsOf([...pairs.flatMap((pair) => pair.movements), ...found.onlyInLedger]), idsOf(movements));
      const total = (all: { amount: bigint }[]) => all.reduce((sum, { amount }) => sum + amount, 0n);
      for (const pair of found.matched) assert.equal(total(pair.lines), total(pair.movements));
      for (const pair of found.different) assert.notEqual(total(pair.lines), total(pair.movements));
      assert.deepEqual(namesOf(match(lines.toReversed(), movements.toReversed(), { days: 2 })), namesOf(found));
    }),
    { numRuns: 300 },
  );
});

test('a return has the reference of its original only for lines with its sign', () => {
  const back = (more: Partial<Movement> = {}) =>
    movement(-100n, { externalId: 'own', original: { externalId: 'order-1', reference: 'order 4712' }, ...more });
  const returned = (bank: BankLine, ledger = back()) => {
    const { matched, different } = match([bank], [ledger], { days: 2 });
    return [...matched, ...different].map(({ by }) => by);
  };
  assert.deepEqual(returned(line(-100n, { text: 'Return order 4712 R01' })), ['reference']);
  assert.deepEqual(returned(line(-100n, { references: ['order-1'] })), ['externalId']);
  assert.deepEqual(returned(line(-90n, { text: 'order 4712' })), ['reference'], 'another amount');
  assert.deepEqual(returned(line(100n, { text: 'order 4712', references: ['order-1'] })), [], 'the line of the original');
  assert.deepEqual(returned(line(-100n, { text: 'order 4712' }), back({ reference: 'back 1' })), [], 'it has its own reference');
});

test('amount and days alone match only where one of the two says nothing else, and never beyond the days', () => {
  const found = (bank: Partial<BankLine>, ledger: Partial<Movement>) =>
    match([line(5n, bank)], [movement(5n, ledger)], { days: 2 }).matched.map(({ by }) => by);
  assert.deepEqual(found({}, {}), ['amount']);
  assert.deepEqual(found({}, { reference: 'gift' }), ['amount']);
  assert.deepEqual(found({ text: 'gift' }, {}), ['amount']);
  assert.deepEqual(found({ text: 'gift' }, { reference: 'loan' }), [], 'they contradict each other');
  assert.deepEqual(found({}, { day: '2026-01-13' }), []);
  assert.deepEqual(found({ valued: '2026-01-12' }, { day: '2026-01-13' }), ['amount'], 'by the day of value');
  assert.deepEqual(found({ text: 'x 12 y' }, { reference: '12' }), [], 'a short reference is in many texts');
  assert.deepEqual(
    found({ id: 'bank-x' }, { externalId: 'bank-x', day: '2026-09-01' }),
    ['externalId'],
    'recorded for it, much later',
  );
  assert.deepEqual(found({ currency: 'USD' }, {}), []);
});
