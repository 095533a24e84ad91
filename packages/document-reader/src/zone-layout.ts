// Layouts of the machine-readable zones of ICAO Doc 9303: parts 4 (TD3), 5 (TD1) and 6 (TD2).

/** Place of a field: line, first column and the column after the last. */
export type Span = readonly [line: number, from: number, to: number];
type ZoneField = 'issuer' | 'nationality' | 'names' | 'number' | 'birth' | 'sex' | 'expiry' | 'optional';
export type Layout = {
  kind: 'td1' | 'td2' | 'td3';
  /** Per line, the class of each character: a key of CLASSES. */
  lines: readonly string[];
  fields: Record<ZoneField, Span>;
  /** The check digit of each field that has one, in the column after the field. */
  checked: readonly ('number' | 'birth' | 'expiry' | 'optional')[];
  /** What the composite check digit covers, and its own place. */
  composite: { over: readonly Span[]; at: Span };
};

const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Characters that the standard allows in a place. */
export const CLASSES: Readonly<Record<string, string>> = {
  P: 'P',
  I: 'ACI',
  A: `${LETTERS}<`,
  N: `${DIGITS}${LETTERS}<`,
  D: DIGITS,
  /** A date may leave out day and month; a check digit may be missing. */
  F: `${DIGITS}<`,
  S: 'MFX<',
};

export const LAYOUTS: readonly Layout[] = [
  {
    kind: 'td3',
    lines: [`PAAAA${'A'.repeat(39)}`, `${'N'.repeat(9)}DAAAFFFFFFDSFFFFFFF${'N'.repeat(14)}FD`],
    fields: {
      issuer: [0, 2, 5],
      names: [0, 5, 44],
      number: [1, 0, 9],
      nationality: [1, 10, 13],
      birth: [1, 13, 19],
      sex: [1, 20, 21],
      expiry: [1, 21, 27],
      optional: [1, 28, 42],
    },
    checked: ['number', 'birth', 'expiry', 'optional'],
    composite: {
      over: [
        [1, 0, 10],
        [1, 13, 20],
        [1, 21, 43],
      ],
      at: [1, 43, 44],
    },
  },
  {
    kind: 'td2',
    lines: [`IAAAA${'A'.repeat(31)}`, `${'N'.repeat(9)}FAAAFFFFFFDSFFFFFFF${'N'.repeat(7)}D`],
    fields: {
      issuer: [0, 2, 5],
      names: [0, 5, 36],
      number: [1, 0, 9],
      nationality: [1, 10, 13],
      birth: [1, 13, 19],
      sex: [1, 20, 21],
      expiry: [1, 21, 27],
      optional: [1, 28, 35],
    },
    checked: ['number', 'birth', 'expiry'],
    composite: {
      over: [
        [1, 0, 10],
        [1, 13, 20],
        [1, 21, 35],
      ],
      at: [1, 35, 36],
    },
  },
  {
    kind: 'td1',
    lines: [`IAAAA${'N'.repeat(9)}F${'N'.repeat(15)}`, `FFFFFFDSFFFFFFFAAA${'N'.repeat(11)}D`, 'A'.repeat(30)],
    fields: {
      issuer: [0, 2, 5],
      number: [0, 5, 14],
      optional: [0, 15, 30],
      birth: [1, 0, 6],
      sex: [1, 7, 8],
      expiry: [1, 8, 14],
      nationality: [1, 15, 18],
      names: [2, 0, 30],
    },
    checked: ['number', 'birth', 'expiry'],
    composite: {
      over: [
        [0, 5, 30],
        [1, 0, 7],
        [1, 8, 15],
        [1, 18, 29],
      ],
      at: [1, 29, 30],
    },
  },
];

/** Check digit of ICAO Doc 9303 part 3, section 4.9: weights 7, 3, 1; letters count 10 to 35, fillers 0. */
export function checkDigit(text: string): string {
  let sum = 0;
  for (const [at, character] of [...text].entries()) {
    const value = character === '<' ? 0 : DIGITS.includes(character) ? Number(character) : LETTERS.indexOf(character) + 10;
    sum += value * [7, 3, 1][at % 3]!;
  }
  return String(sum % 10);
}
