// Matches the lines of a bank with the movements of the ledger. Pure: the same for any order of either.
import type { BankLine } from '../bank-files/statement.ts';
import { fold, keysOf, type Wanted, wantedTexts } from './texts.ts';

/**
 * Money that entered or left the ledger: a transfer with the outside world, of whatever kind. `amount`: minor units, positive if money
 * entered. `day`: `yyyy-mm-dd` in the zone of the bank.
 */
export type Movement = {
  id: string;
  kind: string;
  customerId: string;
  amount: bigint;
  currency: string;
  created: string;
  day: string;
  externalId: string | null;
  reference: string | null;
  /** What a return returns. */
  original: Pick<Movement, 'externalId' | 'reference'> | null;
};

/** `by`: what they have in common beside amount and days, or `person` for what a person linked. Several lines or several movements have one reference. */
export type Pairing = { by: 'externalId' | 'reference' | 'amount' | 'person'; lines: BankLine[]; movements: Movement[] };

/** Each line and each movement is in one of these, once. `different`: they belong together, but their amounts differ. */
export type Matching = { matched: Pairing[]; different: Pairing[]; onlyAtBank: BankLine[]; onlyInLedger: Movement[] };

/** `days`: how far apart a booking of the bank and a movement may be, unless the movement has the id of the line. */
type Options = { days: number };
/** The keys of a line: the first has no limit of days. */
type Side = { line: BankLine; keys: string[] };
type State = { matching: Matching; lines: Set<Side>; movements: Set<Movement>; byKey: Map<string, Movement[]>; options: Options };

const DAY_MS = 86_400_000;
const EXTERNAL_ID = 'x';
const REFERENCE = 'r';

/**
 * In this order: one line and one movement with the same amount, by external id, then by reference, the closest days first; one line and
 * all movements of a reference, or one movement and all its lines, whose sums agree; the same, whose sums differ; and amount and days
 * alone, where one of the two has nothing to compare.
 */
export function match(lines: readonly BankLine[], movements: readonly Movement[], options: Options): Matching {
  const wanted = wantedTexts(movements.flatMap(({ reference, original }) => reference ?? original?.reference ?? []));
  const sides = lines.toSorted(byLine).map((line) => ({ line, keys: keysOfLine(line, wanted) }));
  const sorted = movements.toSorted(byMovement);
  const state: State = {
    matching: { matched: [], different: [], onlyAtBank: [], onlyInLedger: [] },
    lines: new Set(sides),
    movements: new Set(sorted),
    byKey: new Map(),
    options,
  };
  for (const movement of sorted) {
    for (const key of keysOfMovement(movement)) {
      const known = state.byKey.get(key);
      if (known) known.push(movement);
      else state.byKey.set(key, [movement]);
    }
  }
  pairById(state);
  pairByDays(state, ({ keys }) => keys.filter((key) => key.startsWith(EXTERNAL_ID)));
  pairByDays(state, ({ keys }) => keys.filter((key) => key.startsWith(REFERENCE)));
  pairGroups(state, 'matched');
  pairGroups(state, 'different');
  pairByDays(
    state,
    (side) => (isSilent(side) ? [''] : []),
    () => [''],
  );
  pairByDays(
    state,
    () => [''],
    (movement) => (movement.reference === null && movement.externalId === null ? [''] : []),
  );
  state.matching.onlyAtBank = [...state.lines].map(({ line }) => line);
  state.matching.onlyInLedger = [...state.movements];
  return state.matching;
}

function byLine(one: BankLine, other: BankLine): number {
  return compare(one.booked, other.booked) || compare(one.id, other.id) || compare(one.account, other.account);
}

function byMovement(one: Movement, other: Movement): number {
  return compare(one.created, other.created) || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function keysOfLine({ id, references, text, amount }: BankLine, wanted: Wanted): string[] {
  const texts = keysOf({ references, text }, wanted);
  const sign = signOf(amount);
  return [
    ...[...new Set([id, ...references])].map((one) => `${EXTERNAL_ID} ${one}`),
    ...texts.map((one) => `${REFERENCE} ${one}`),
    ...references.map((one) => `${EXTERNAL_ID}${sign} ${one}`),
    ...texts.map((one) => `${REFERENCE}${sign} ${one}`),
  ];
}

/** A return without a reference also has reference and external id of its original, for lines with its sign: never for that of the original. */
function keysOfMovement({ externalId, reference, amount, original }: Movement): string[] {
  const keys = (of: Pick<Movement, 'externalId' | 'reference'>, sign: string) => {
    const folded = fold(of.reference ?? '');
    return [
      ...(of.externalId === null ? [] : [`${EXTERNAL_ID}${sign} ${of.externalId}`]),
      ...(folded === '' ? [] : [`${REFERENCE}${sign} ${folded}`]),
    ];
  };
  const own = keys({ externalId, reference }, '');
  return reference === null && original ? [...own, ...keys(original, signOf(amount))] : own;
}

function signOf(amount: bigint): '+' | '-' {
  return amount > 0n ? '+' : '-';
}

function isSilent({ line }: Side): boolean {
  return line.references.length === 0 && line.text === '';
}

/** A movement that has the id of the line was recorded for it, on whichever day. */
function pairById(state: State): void {
  for (const side of state.lines) {
    const found = (state.byKey.get(side.keys[0]!) ?? []).filter(
      (movement) => state.movements.has(movement) && areAlike(side, movement),
    );
    const nearest = found.sort((one, other) => distance(side.line, one) - distance(side.line, other))[0];
    if (nearest) settle(state, 'matched', { by: 'externalId', lines: [side], movements: [nearest] });
  }
}

function areAlike({ line }: Side, { amount, currency }: Movement): boolean {
  return line.amount === amount && line.currency === currency;
}

/** Pairs lines with movements of the same amount and key: those of one day first, then a day apart, and so on. */
function pairByDays(state: State, keysOfSide: (side: Side) => string[], keysOf = keysOfMovement): void {
  const queues = new Map<string, Movement[]>();
  const place = (key: string, { amount, currency }: { amount: bigint; currency: string }, day: number) =>
    `${currency} ${amount} ${day} ${key}`;
  for (const movement of state.movements) {
    for (const key of keysOf(movement)) {
      const at = place(key, movement, dayNumber(movement.day));
      const queue = queues.get(at);
      if (queue) queue.push(movement);
      else queues.set(at, [movement]);
    }
  }
  if (queues.size === 0) return;
  const sides = [...state.lines].map((side) => ({ side, keys: keysOfSide(side), days: daysOf(side.line) }));
  const find = (key: string, line: BankLine, day: number) => {
    const queue = queues.get(place(key, line, day));
    while (queue && queue.length > 0 && !state.movements.has(queue[0]!)) queue.shift();
    return queue?.[0];
  };
  for (let apart = 0; apart <= state.options.days; apart++) {
    for (const { side, keys, days } of sides) {
      if (!state.lines.has(side)) continue;
      for (const key of keys) {
        const offsets = days.flatMap((day) => [day - apart, day + apart]);
        const movement = offsets.map((day) => find(key, side.line, day)).find((one) => one !== undefined);
        if (!movement) continue;
        settle(state, 'matched', { by: byOf(key), lines: [side], movements: [movement] });
        break;
      }
    }
  }
}

function byOf(key: string): Pairing['by'] {
  return key === '' ? 'amount' : key.startsWith(EXTERNAL_ID) ? 'externalId' : 'reference';
}

/** The groups of a key that has one line and several movements, or the reverse: the sums agree (`matched`), or not (`different`). */
function pairGroups(state: State, as: 'matched' | 'different'): void {
  const sidesByKey = new Map<string, Side[]>();
  for (const side of state.lines) {
    for (const key of side.keys) {
      if (!state.byKey.has(key)) continue;
      const known = sidesByKey.get(key);
      if (known) known.push(side);
      else sidesByKey.set(key, [side]);
    }
  }
  // Those that say more come first.
  const keys = [...sidesByKey.keys()].sort(
    (one, other) => compare(other.slice(0, 1), one.slice(0, 1)) || other.length - one.length || compare(one, other),
  );
  for (const key of keys) {
    const lines = sidesByKey.get(key)!.filter((side) => state.lines.has(side));
    const [first] = lines;
    if (!first) continue;
    const isNear = (movement: Movement) =>
      lines.some((side) => side.keys[0] === key || distance(side.line, movement) <= state.options.days);
    const movements = state.byKey
      .get(key)!
      .filter((movement) => state.movements.has(movement) && movement.currency === first.line.currency && isNear(movement));
    if (movements.length === 0 || (lines.length > 1 && movements.length > 1)) continue;
    if (lines.some(({ line }) => line.currency !== first.line.currency)) continue;
    const agree = sum(lines.map(({ line }) => line)) === sum(movements);
    if (agree === (as === 'matched')) settle(state, as, { by: byOf(key), lines, movements });
  }
}

type Settled = { by: Pairing['by']; lines: Side[]; movements: Movement[] };

function settle({ matching, lines, movements }: State, as: 'matched' | 'different', pairing: Settled): void {
  matching[as].push({ by: pairing.by, lines: pairing.lines.map(({ line }) => line), movements: pairing.movements });
  for (const side of pairing.lines) lines.delete(side);
  for (const movement of pairing.movements) movements.delete(movement);
}

export function sum(parts: readonly { amount: bigint }[]): bigint {
  return parts.reduce((total, { amount }) => total + amount, 0n);
}

function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

/** The days of booking and value. */
function daysOf({ booked, valued }: BankLine): number[] {
  return [...new Set([booked, valued ?? booked])].map(dayNumber);
}

function distance(line: BankLine, movement: Movement): number {
  return Math.min(...daysOf(line).map((day) => Math.abs(day - dayNumber(movement.day))));
}
