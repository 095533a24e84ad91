// Reads CSV of banks (RFC 4180, with comma, semicolon, tab or bar), by a map of its columns.
import type { Column, CsvMap, DateFormat } from './csv-map.ts';
import { BankFileError, faultAt, type Period, quote, type ReadLine, type ReadStatement } from './statement.ts';
import { readDay, readDecimal, requireCurrency } from './values.ts';

type CsvRecord = { at: number; cells: string[] };
/** The cells of a column in a record, joined. */
type Cells = (record: CsvRecord, column: Column) => string;
/** `currency`, `account`: of all lines, if no column has them. `period`: has all lines. */
type Options = { map: CsvMap; period: Period | undefined; currency: string | undefined; account: string | undefined };
type Row = { line: ReadLine; account: string; currency: string; balance: bigint | undefined };

const DELIMITERS = [',', ';', '\t', '|'];
/** Banks write some lines about the account before the header. */
const PREAMBLE_MAX = 50;
const CELLS_MAX = 1_000;
const ACCOUNT = 'csv';

/**
 * Reads the lines, as a statement for each account and currency; without any it is one statement. With a column of balances they must agree
 * with the amounts.
 */
export function readCsv(text: string, options: Options): ReadStatement[] {
  const { records, header } = findHeader(text, options.map);
  const cells = cellsBy(records[header]!, options.map);
  const rows = records
    .slice(header + 1)
    .filter((record) => record.cells.some((cell) => cell.trim() !== '') && !hasOnlyBalance(record, cells))
    .map((record) => readRow(record, cells, options));
  const groups = Map.groupBy(rows, ({ account, currency }) => `${currency} ${account}`);
  const { period } = options;
  const other = period && rows.find(({ line }) => line.booked < period.from || line.booked > period.to);
  if (other) throw faultAt(other.line.at, `the day ${other.line.booked} is not within ${period.from} to ${period.to}.`);
  if (rows.length === 0) return [emptyStatement(records[header]!, options)];
  return [...groups.values()].map((own) => ({ ...toStatement(own), ...period }));
}

/** Some banks write the balance of a day, or the first and the last one, on a separate line. */
function hasOnlyBalance(record: CsvRecord, cells: Cells): boolean {
  const isEmpty = (column: Column) => cells(record, column) === '';
  return !isEmpty('balance') && isEmpty('amount') && isEmpty('credit') && isEmpty('debit');
}

function emptyStatement({ at }: CsvRecord, { period, currency, account = ACCOUNT }: Options): ReadStatement {
  if (!period) throw new BankFileError('The file has no lines: name the days that it covers, from and to.');
  return {
    ...{ at, account, currency: requireCurrency(currency, at), id: undefined, ...period },
    ...{ opening: undefined, closing: undefined, lines: [], ignored: 0 },
  };
}

/** Tries each delimiter: the header has all columns of the map. */
function findHeader(text: string, map: CsvMap): { records: CsvRecord[]; header: number } {
  const names = [...map.columns.values()].flat();
  let nearest: { missing: string[]; at: number } = { missing: names, at: 1 };
  for (const delimiter of DELIMITERS) {
    const read = recordsOf(text, delimiter, PREAMBLE_MAX);
    for (const [header, { at, cells }] of read.entries()) {
      const titles = new Set(cells.map((cell) => cell.trim()));
      const missing = names.filter((name) => !titles.has(name));
      if (missing.length === 0) return { records: recordsOf(text, delimiter, Number.POSITIVE_INFINITY), header };
      if (missing.length < nearest.missing.length) nearest = { missing, at };
    }
  }
  throw faultAt(nearest.at, `no header with the columns of the map: ${nearest.missing.map(quote).join(', ')} is missing.`);
}

function cellsBy({ at, cells }: CsvRecord, { columns }: CsvMap): Cells {
  const titles = cells.map((cell) => cell.trim());
  const places = new Map<Column, number[]>();
  for (const [column, names] of columns) {
    for (const name of names)
      if (titles.indexOf(name) !== titles.lastIndexOf(name)) throw faultAt(at, `two columns are named ${quote(name)}.`);
    places.set(
      column,
      names.map((name) => titles.indexOf(name)),
    );
  }
  return ({ cells }, column) =>
    (places.get(column) ?? [])
      .map((place) => (cells[place] ?? '').trim())
      .filter((cell) => cell !== '')
      .join(' ');
}

function readRow(record: CsvRecord, cells: Cells, { map, currency: given, account }: Options): Row {
  const { at } = record;
  const cell = (column: Column) => cells(record, column);
  const currency = requireCurrency(cell('currency') || given, at);
  const amountIn = (column: Column) => readCell(cell(column), { at, currency, decimal: map.decimal });
  const splitAmount = () => {
    const [credit, debit] = (['credit', 'debit'] as const).map((column) => (cell(column) === '' ? undefined : amountIn(column)));
    // Some banks leave the other one empty, some write zero.
    if ((credit && debit) || (credit ?? debit) === undefined) throw faultAt(at, 'the line has not one of credit and debit.');
    const paid = debit ?? 0n;
    return credit || (paid > 0n ? -paid : paid);
  };
  const amount = map.columns.has('credit') ? splitAmount() : amountIn('amount');
  const value = cell('value');
  const line: ReadLine = {
    at,
    amount,
    booked: readDate(cell('date'), at, map.dates),
    valued: value === '' ? undefined : readDate(value, at, map.dates),
    bankId: cell('id') || undefined,
    references: [cell('reference')].filter((one) => one !== ''),
    text: cell('text'),
    counterparty: cell('name') || undefined,
  };
  const balance = cell('balance') === '' ? undefined : amountIn('balance');
  return { line, currency, balance, account: cell('account') || account || ACCOUNT };
}

/** An amount with the decimal sign of the map, and with separators of thousands only where they belong. */
function readCell(text: string, { at, currency, decimal }: { at: number; currency: string; decimal: '.' | ',' }): bigint {
  const [whole = '', ...fraction] = text.replace(/^\u2212/, '-').split(decimal);
  const separator = decimal === ',' ? '.' : ',';
  const groups = whole.split(separator);
  const areGroups = groups.every((group, index) => (index === 0 ? /^[+-]?\d{1,3}$/ : /^\d{3}$/).test(group));
  if (fraction.length > 1 || (groups.length > 1 && !areGroups))
    throw faultAt(at, `${quote(text)} is not an amount in ${currency}.`);
  return readDecimal([groups.join(''), ...fraction].join('.'), { at, currency, signed: true });
}

function readDate(text: string, at: number, format: DateFormat): string {
  const part = (letters: string) => text.slice(format.indexOf(letters), format.indexOf(letters) + letters.length);
  const isAlike = text.length === format.length && [...format].every((sign, place) => /[YMD]/.test(sign) || text[place] === sign);
  if (!isAlike) throw faultAt(at, `${quote(text)} is not a day in the form ${format}.`);
  return readDay(`${part('YYYY')}-${part('MM')}-${part('DD')}`, at);
}

function toStatement(rows: Row[]): ReadStatement {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const isDescending = first.line.booked > last.line.booked || (first.line.booked === last.line.booked && !follows(rows));
  const ordered = isDescending ? rows.toReversed() : rows;
  const [oldest, newest] = [ordered[0]!, ordered.at(-1)!];
  if (oldest.balance !== undefined && !follows(ordered)) {
    const wrong = ordered.find((row, index) => index > 0 && !follows([ordered[index - 1]!, row]))!;
    throw faultAt(wrong.line.at, 'the balance is not that of the line before and the amount.');
  }
  const booked = ordered.filter(({ line }) => line.amount !== 0n);
  return {
    ...{ at: first.line.at, account: first.account, currency: first.currency, id: undefined, from: undefined, to: undefined },
    opening: oldest.balance === undefined ? undefined : { amount: oldest.balance - oldest.line.amount, day: oldest.line.booked },
    closing: newest.balance === undefined ? undefined : { amount: newest.balance, day: newest.line.booked },
    lines: booked.map(({ line }) => line),
    ignored: ordered.length - booked.length,
  };
}

/** Whether each balance is the one before and the amount. */
function follows(rows: Row[]): boolean {
  return rows.every(({ balance, line }, index) => {
    const before = rows[index - 1]?.balance;
    return index === 0 || balance === undefined || before === undefined || balance === before + line.amount;
  });
}

/** The records of a text up to a number of them. Line breaks in quotes belong to the cell. */
function recordsOf(text: string, delimiter: string, most: number): CsvRecord[] {
  const records: CsvRecord[] = [];
  let [line, index] = [1, 0];
  while (index < text.length && records.length < most) {
    const record: CsvRecord = { at: line, cells: [] };
    for (let isOpen = true; isOpen; ) {
      if (record.cells.length === CELLS_MAX) throw faultAt(record.at, `the line has more than ${CELLS_MAX} cells.`);
      const cell = text[index] === '"' ? quotedCell(text, index, record.at) : plainCell(text, index, delimiter);
      record.cells.push(cell.text);
      line += countBreaks(cell.text);
      index = cell.end;
      isOpen = text[index] === delimiter;
      if (isOpen) index += 1;
      else if (index < text.length && text[index] !== '\n' && text[index] !== '\r') {
        if (most !== Number.POSITIVE_INFINITY) return records;
        throw faultAt(line, 'a quotation mark ends before the cell does.');
      }
    }
    if (text[index] === '\r' && text[index + 1] === '\n') index += 1;
    index += 1;
    line += 1;
    records.push(record);
  }
  return records;
}

function plainCell(text: string, start: number, delimiter: string): { text: string; end: number } {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { text: text.slice(start, end), end };
}

function quotedCell(text: string, start: number, at: number): { text: string; end: number } {
  for (let from = start + 1; ; ) {
    const mark = text.indexOf('"', from);
    if (mark < 0) throw faultAt(at, 'a quotation mark does not end: the file is not complete.');
    if (text[mark + 1] !== '"') return { text: text.slice(start + 1, mark).replaceAll('""', '"'), end: mark + 1 };
    from = mark + 2;
  }
}

function countBreaks(text: string): number {
  return text.includes('\n') ? text.split('\n').length - 1 : 0;
}
