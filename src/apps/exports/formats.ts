// Formats of an export: each writes rows to a file while they are read.
import { open } from 'node:fs/promises';
import { fileWriter, parquetWriteRows } from 'hyparquet-writer';
import { csvLine, textCell } from '../../core/csv.ts';
import type { Format } from './choices.ts';
import type { Cell, Columns, ColumnType, Row } from './rows.ts';

type Write = (path: string, columns: Columns, pages: AsyncIterable<Row[]>) => Promise<void>;

/** The rows of Parquet that are in memory at once. */
const ROW_GROUP = 20_000;
const PARQUET_TYPES = { text: 'STRING', chosen: 'STRING', integer: 'INT64', minorUnits: 'INT64', time: 'TIMESTAMP' } as const;

export const writeAs: Record<Format, Write> = {
  csv: (path, columns, pages) => {
    const line = (row: Row) => csvLine(row.map((cell, index) => csvCell(cell, columns[index]![1] === 'chosen')));
    return writeText(path, csvLine(columns.map(([name]) => name)), pages, line);
  },
  ndjson: (path, columns, pages) => {
    const line = (row: Row) =>
      `${JSON.stringify(Object.fromEntries(row.map((cell, index) => [columns[index]![0], jsonValue(cell, columns[index]![1])])))}\n`;
    return writeText(path, '', pages, line);
  },
  async parquet(path, columns, pages) {
    const rows = async function* () {
      for await (const page of pages)
        for (const row of page) yield Object.fromEntries(columns.map(([name], index) => [name, row[index]]));
    };
    await parquetWriteRows({
      writer: fileWriter(path),
      rows: rows(),
      columns: columns.map(([name, type]) => ({ name, type: PARQUET_TYPES[type], nullable: type === 'chosen' })),
      rowGroupSize: ROW_GROUP,
    });
  },
};

async function writeText(path: string, head: string, pages: AsyncIterable<Row[]>, line: (row: Row) => string): Promise<void> {
  await using file = await open(path, 'w');
  await file.write(head);
  for await (const page of pages) await file.write(page.map(line).join(''));
  await file.sync();
}

function csvCell(cell: Cell, isChosen: boolean): string {
  if (cell instanceof Date) return cell.toISOString();
  const text = cell === null ? '' : `${cell}`;
  return isChosen ? textCell(text) : text;
}

/**
 * As in the JSON of the API: amounts are strings, in minor units too, because readers of JSON round numbers above 2⁵³; counts and
 * sequences are numbers.
 */
function jsonValue(cell: Cell, type: ColumnType): string | number | null {
  if (cell instanceof Date) return cell.toISOString();
  if (cell === null) return null;
  return type === 'integer' ? Number(cell) : `${cell}`;
}
