// The entries of a ledger as CSV, oldest first.
import { csvLine, textCell } from '../../../core/csv.ts';
import { legId } from '../../../core/ids.ts';
import { formatAmount } from '../../../core/money/money.ts';
import { type EntryFilter, findEntries } from '../../../ledger/transfers/entry-search.ts';
import type { LedgerAccount } from '../../../ledger/transfers/ledger-account.ts';
import type { Sequences } from '../../../ledger/transfers/past.ts';
import type { Sql } from '../../../platform/db/sql.ts';

const PAGE_ENTRIES = 500;
const COLUMNS = [
  ...[
    'created',
    'sequence',
    'entry',
    'transfer',
    'kind',
    'otherAccount',
    'otherKind',
    'otherName',
    'currency',
    'amount',
    'balance',
  ],
  ...['reference', 'correlationId', 'externalId', 'metadata', 'reverses', 'hold'],
];

export async function* csvOfEntries(
  sql: Sql,
  { id, currency }: LedgerAccount,
  { sequences, filter }: { sequences: Sequences; filter: EntryFilter },
): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  const money = (minorUnits: bigint) => formatAmount(minorUnits, currency).value;
  for (let rest: Sequences | undefined = sequences; rest && rest.first < rest.last; ) {
    const found: Awaited<ReturnType<typeof findEntries>> = await findEntries(sql, id, rest, {
      ...{ filter, limit: PAGE_ENTRIES, order: 'oldest' },
    });
    yield found.entries
      .map((entry) =>
        csvLine([
          ...[entry.created.toISOString(), String(entry.sequence), legId(entry.transferId, entry.amount < 0n ? 'from' : 'to')],
          ...[entry.transferId, entry.kind, entry.otherId, entry.otherKind, textCell(entry.otherName), currency],
          ...[money(entry.amount), money(entry.balance), textCell(entry.reference), textCell(entry.correlationId)],
          ...[textCell(entry.externalId), textCell(entry.metadata && JSON.stringify(entry.metadata))],
          ...[entry.reverses ?? '', entry.holdId ?? ''],
        ]),
      )
      .join('');
    rest = found.rest;
  }
}
