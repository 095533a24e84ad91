// Reads a bank file: finds its format, checks that its balances and lines agree, and gives each line its id.
import { hash } from 'node:crypto';
import type { Encoding, FileFormat } from '../../core/bank-formats.ts';
import { readBai2 } from './bai2.ts';
import { readCamt053 } from './camt053.ts';
import { readCsv } from './csv.ts';
import { readMap } from './csv-map.ts';
import { decode } from './decode.ts';
import { readMt940 } from './mt940.ts';
import { readOfx } from './ofx.ts';
import { BankFileError, type BankLine, faultAt, type Period, quote, type ReadStatement } from './statement.ts';
import { daysLater } from './values.ts';

export type ReadOptions = {
  /** Undefined: as the file begins. */
  format?: FileFormat | undefined;
  encoding?: Encoding | undefined;
  /** Names the day of a time that has an offset from UTC. */
  dayOf(moment: Date): string;
  /** Of a CSV file: its columns, the days that it covers if that is more than its lines do, and the currency and account of all lines. */
  map?: string | undefined;
  period?: Period | undefined;
  currency?: string | undefined;
  account?: string | undefined;
};

/** All statements of an account in the file, one after the other. Balances in minor units; undefined where the file has none. */
export type BankAccount = {
  account: string;
  currency: string;
  /** The first and the last day that they cover. */
  from: string;
  to: string;
  opening: bigint | undefined;
  closing: bigint | undefined;
  lines: BankLine[];
  ignored: number;
};

type BankFile = { format: FileFormat; accounts: BankAccount[] };

const HASH_DIGITS = 32;
const DAYS_MAX = 400;

/** Reads a file. Throws a BankFileError that names the line. */
export function readBankFile(bytes: Uint8Array, options: ReadOptions): BankFile {
  const text = decode(bytes, options.encoding);
  const format = options.format ?? detect(text);
  const statements = READERS[format](text, options);
  const groups = Map.groupBy(statements, ({ account, currency }) => `${currency} ${account}`);
  if (groups.size === 0) throw new BankFileError('The file has no statement.');
  return { format, accounts: alignPeriods([...groups.values()].map(join), format) };
}

const READERS: Record<FileFormat, (text: string, options: ReadOptions) => ReadStatement[]> = {
  'camt.053': (text, { dayOf }) => readCamt053(text, dayOf),
  bai2: readBai2,
  mt940: readMt940,
  ofx: readOfx,
  csv: (text, { map, period, currency, account }) => readCsv(text, { map: readMap(map), period, currency, account }),
};

function detect(text: string): FileFormat {
  const start = text.trimStart().slice(0, 4096);
  if (start.includes('<OFX>') || start.startsWith('OFXHEADER')) return 'ofx';
  if (start.startsWith('<')) return 'camt.053';
  if (start.startsWith('01,')) return 'bai2';
  if (start.startsWith(':20:') || start.startsWith('{1:') || /^:20:/m.test(start)) return 'mt940';
  return 'csv';
}

/** `opened`: the day of the opening balance, where the file does not name the first day. */
type Joined = BankAccount & { opened: string | undefined };

/**
 * Lines on the day of an opening balance tell whether a bank means that day or the one after. So accounts whose balances are of one day
 * begin on one day. A CSV file has one period for all.
 */
function alignPeriods(accounts: Joined[], format: FileFormat): BankAccount[] {
  const earliest = (some: BankAccount[]) => some.map(({ from }) => from).sort()[0]!;
  const latest = accounts
    .map(({ to }) => to)
    .sort()
    .at(-1)!;
  return accounts.map(({ opened, ...account }) => {
    if (format === 'csv') return { ...account, from: earliest(accounts), to: latest };
    if (opened === undefined) return account;
    return { ...account, from: earliest(accounts.filter((one) => one.opened === opened)) };
  });
}

/** Joins the statements of an account. Each must begin with the balance that the one before ended with. */
function join(statements: ReadStatement[]): Joined {
  const ordered = statements.toSorted((one, other) => endOf(one).localeCompare(endOf(other)) || one.at - other.at);
  for (const [index, statement] of ordered.entries()) {
    checkSum(statement);
    const before = ordered[index - 1];
    if (before?.closing && statement.opening && before.closing.amount !== statement.opening.amount)
      throw faultAt(
        statement.at,
        `the statement of ${quote(statement.account)} does not begin with the balance that the one of line ${before.at} ends with: one is missing, or occurs twice.`,
      );
  }
  const [first, last] = [ordered[0]!, ordered.at(-1)!];
  const { account, currency } = first;
  const lines = identify(ordered);
  const to = ordered.map(endOf).sort().at(-1)!;
  const from = ordered.map(beginOf).sort()[0]!;
  if (to === '' || from === '') throw faultAt(first.at, 'the statement names no day.');
  if (from > to || daysLater(from, DAYS_MAX) < to) throw faultAt(first.at, `the statements cover ${from} to ${to}.`);
  const ignored = ordered.reduce((sum, statement) => sum + statement.ignored, 0);
  const opened = first.from === undefined ? first.opening?.day : undefined;
  return { account, currency, from, to, opening: first.opening?.amount, closing: last.closing?.amount, lines, ignored, opened };
}

function checkSum({ at, account, opening, closing, lines }: ReadStatement): void {
  if (!opening || !closing) return;
  const sum = lines.reduce((total, { amount }) => total + amount, opening.amount);
  if (sum !== closing.amount)
    throw faultAt(at, `the opening balance and the lines of ${quote(account)} do not add up to the closing balance.`);
}

/** The last day of a statement: as it is stated, also if a line is later. A day of booking may be after that of the balance. */
function endOf({ to, closing, lines }: ReadStatement): string {
  return to ?? [closing?.day ?? '', ...lines.map(({ booked }) => booked)].sort().at(-1)!;
}

/**
 * The first day: as it is stated, also if a line is earlier. Some banks date the opening balance by the last day of the statement before: then
 * no line is booked on its day, and the closing balance is of a later one.
 */
function beginOf(statement: ReadStatement): string {
  const { from, opening, closing, lines } = statement;
  if (from !== undefined) return from;
  const first = lines.map(({ booked }) => booked).sort()[0];
  if (!opening) return first ?? closing?.day ?? '';
  if (first !== undefined && first <= opening.day) return first;
  return opening.day === endOf(statement) ? opening.day : daysLater(opening.day, 1);
}

/**
 * Gives each line an id: a hash of what its bank calls it, its day as it is written and its amount, or of all that it says. The second of
 * two equal lines gets another. A bank's own id alone is not enough, because another bank may use it too.
 */
function identify(statements: ReadStatement[]): BankLine[] {
  const seen = new Map<string, number>();
  return statements.flatMap(({ account, currency, lines }) =>
    lines.map(({ bankId, written, ...line }) => {
      const { amount, references, text, counterparty } = line;
      const [booked, valued] = written ?? [line.booked, line.valued];
      const said = bankId === undefined ? [valued, references, text, counterparty] : [bankId];
      const digest = hash('sha256', JSON.stringify([account, currency, `${amount}`, booked, ...said]), 'hex');
      const id = `bank-${digest.slice(0, HASH_DIGITS)}`;
      const count = (seen.get(id) ?? 0) + 1;
      seen.set(id, count);
      const known = bankId === undefined || references.includes(bankId) ? references : [bankId, ...references];
      return { ...line, references: known, account, currency, id: count === 1 ? id : `${id}-${count}` };
    }),
  );
}
