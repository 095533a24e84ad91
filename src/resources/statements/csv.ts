// Statements as CSV.
import { csvLine, textCell } from '../../core/csv.ts';
import { formatAmount } from '../../core/money/money.ts';
import type { Statement, StatementAccount } from './statement.ts';
import { addUp, type Sums } from './sums.ts';

const COLUMNS = [
  ...['type', 'currency', 'label', 'name', 'created', 'sequence'],
  ...['entry', 'transfer', 'kind', 'reference', 'amount', 'balance', 'correlationId', 'externalId'],
];
/** A row without the members that are empty. */
type Row = { type: string } & Partial<
  Record<
    'created' | 'sequence' | 'entry' | 'transfer' | 'kind' | 'reference' | 'amount' | 'balance' | 'correlationId' | 'externalId',
    string
  >
>;

export async function* csvOf(statement: Statement): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for (const account of statement.accounts) {
    const { opening, closing, currency } = account;
    const money = (minorUnits: bigint) => formatAmount(minorUnits, currency).value;
    const sums: Sums = { totalIn: 0n, totalOut: 0n };
    yield lineOf(account, { type: 'opening', sequence: `${opening.sequence}`, balance: money(opening.balance) });
    for await (const entries of statement.readEntries(account)) {
      addUp(sums, entries);
      const lines = entries.map((entry) => {
        const { id, transferId, kind, reference, correlationId, externalId, created, sequence, amount, balance } = entry;
        return lineOf(account, {
          ...{ type: 'entry', created: created.toISOString(), sequence: `${sequence}`, entry: id, transfer: transferId, kind },
          ...{ reference: textCell(reference), amount: money(amount), balance: money(balance) },
          ...{ correlationId: textCell(correlationId), externalId: textCell(externalId) },
        });
      });
      yield lines.join('');
    }
    yield lineOf(account, { type: 'total in', amount: money(sums.totalIn) }) +
      lineOf(account, { type: 'total out', amount: money(sums.totalOut) }) +
      lineOf(account, { type: 'closing', sequence: `${closing.sequence}`, balance: money(closing.balance) });
  }
}

/** Neither what is available nor what is owed has a label: the latter has a name, so that a spreadsheet keeps them apart. */
function lineOf(account: StatementAccount, row: Row): string {
  const { id, kind, currency, name } = account;
  const shown = kind === 'owed' ? 'Owed' : textCell(name);
  const cells: Record<string, string> = { currency, label: kind === 'label' ? id : '', name: shown, ...row };
  return csvLine(COLUMNS.map((column) => cells[column] ?? ''));
}
