// Statements as CSV (RFC 4180), safe to open in spreadsheets.
import { formatAmount } from '../money/money.ts';
import type { Statement, StatementAccount } from './statement.ts';
import { addUp, type Sums } from './sums.ts';

const COLUMNS = [
  ...['type', 'currency', 'label', 'name', 'created', 'sequence'],
  ...['entry', 'transfer', 'kind', 'reference', 'amount', 'balance'],
];
const QUOTED = /[",\r\n]/;
/** Spreadsheets run a cell that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A row without the members that are empty. */
type Row = { type: string } & Partial<
  Record<'created' | 'sequence' | 'entry' | 'transfer' | 'kind' | 'reference' | 'amount' | 'balance', string>
>;

export async function* csvOf(statement: Statement): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  for (const account of statement.accounts) {
    const { opening, closing, currency } = account;
    const money = (minorUnits: bigint) => formatAmount(minorUnits, currency).value;
    const sums: Sums = { totalIn: 0n, totalOut: 0n };
    yield lineOf(account, { type: 'opening', sequence: `${opening.sequence}`, balance: money(opening.balance) });
    for await (const entries of statement.readEntries(account)) {
      addUp(sums, entries);
      const lines = entries.map(({ id, transferId, kind, reference, created, sequence, amount, balance }) =>
        lineOf(account, {
          ...{ type: 'entry', created: created.toISOString(), sequence: `${sequence}`, entry: id, transfer: transferId, kind },
          ...{ reference: textCell(reference), amount: money(amount), balance: money(balance) },
        }),
      );
      yield lines.join('');
    }
    yield lineOf(account, { type: 'total in', amount: money(sums.totalIn) }) +
      lineOf(account, { type: 'total out', amount: money(sums.totalOut) }) +
      lineOf(account, { type: 'closing', sequence: `${closing.sequence}`, balance: money(closing.balance) });
  }
}

function lineOf({ id, kind, currency, name }: StatementAccount, row: Row): string {
  const cells: Record<string, string> = { currency, label: kind === 'label' ? id : '', name: textCell(name), ...row };
  return `${COLUMNS.map((column) => quote(cells[column] ?? '')).join(',')}\r\n`;
}

/** A cell with text that people chose. */
function textCell(text: string | null): string {
  return text !== null && FORMULA.test(text) ? `'${text}` : (text ?? '');
}

function quote(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
