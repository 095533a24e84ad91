// Which columns of a CSV file mean what: `date=Booking date;amount=Amount;reference=Reference+Text;decimal=,`.
import { UserError } from '../../core/user-error.ts';

/** Members that name columns of the file; several are joined with `+`. */
const COLUMNS = [
  'date',
  'value',
  'amount',
  'credit',
  'debit',
  'currency',
  'id',
  'reference',
  'text',
  'name',
  'balance',
  'account',
] as const;
export type Column = (typeof COLUMNS)[number];
const DATE_FORMATS = ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD-MM-YYYY', 'YYYYMMDD', 'YYYY/MM/DD'] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

/** `columns`: the names of the columns of each member. */
export type CsvMap = { columns: Map<Column, string[]>; dates: DateFormat; decimal: '.' | ',' };

/** The map is wrong. The message is one line. */
class MapError extends UserError {}

const DEFAULT = 'date=date;amount=amount;reference=reference';

/** Reads a map. Throws a MapError that names what is wrong. */
export function readMap(text: string = DEFAULT): CsvMap {
  const map: CsvMap = { columns: new Map(), dates: 'YYYY-MM-DD', decimal: '.' };
  for (const part of text.split(';').filter((one) => one.trim() !== '')) {
    const border = part.indexOf('=');
    const [name, value] = [part.slice(0, border).trim(), part.slice(border + 1).trim()];
    if (border < 0 || value === '')
      throw new MapError(`The map of columns takes NAME=COLUMN, several separated by semicolons, not ${JSON.stringify(part)}.`);
    if (name === 'dates') map.dates = oneOf(DATE_FORMATS, name, value);
    else if (name === 'decimal') map.decimal = oneOf(['.', ','] as const, name, value);
    else
      map.columns.set(
        oneOf(COLUMNS, 'a name', name, [...COLUMNS, 'dates', 'decimal']),
        value.split('+').map((one) => one.trim()),
      );
  }
  const has = (name: Column) => map.columns.has(name);
  if (!has('date')) throw new MapError('The map of columns names none for date.');
  if (has('amount') === (has('credit') || has('debit')))
    throw new MapError('The map of columns names one for amount, or one each for credit and debit.');
  if (has('credit') !== has('debit'))
    throw new MapError('The map of columns names one for credit without one for debit, or the reverse.');
  return map;
}

function oneOf<T extends string>(known: readonly T[], what: string, value: string, shown: readonly string[] = known): T {
  const found = known.find((one) => one === value);
  if (found === undefined)
    throw new MapError(`${what} in the map of columns is one of ${shown.join(' ')}, not ${JSON.stringify(value)}.`);
  return found;
}
