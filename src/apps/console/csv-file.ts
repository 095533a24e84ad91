// Lists as CSV files, which are read and sent page by page.
import { Readable } from 'node:stream';
import { csvLine } from '../../core/csv.ts';
import type { PrivateFile } from './screen.ts';

const PAGE_SIZE = 500;
/** Without it Excel on Windows does not read a file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** A list: `find` returns at most `limit` elements after one, or the first ones, in the order of the list. */
export type CsvList<Element> = {
  columns: string[];
  find(after: Element | undefined, limit: number): Promise<Element[]>;
  cells(element: Element): string[];
};

export function csvFile(name: string, lines: AsyncIterable<string>): PrivateFile {
  return { mediaType: 'text/csv; charset=utf-8', content: Readable.from(marked(lines)), name };
}

async function* marked(lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK;
  yield* lines;
}

/** The lines of a list, after that of its columns. */
export async function* csvOf<Element>({ columns, find, cells }: CsvList<Element>): AsyncGenerator<string> {
  yield csvLine(columns);
  for (let after: Element | undefined, isLast = false; !isLast; ) {
    const found = await find(after, PAGE_SIZE);
    yield found.map((element) => csvLine(cells(element))).join('');
    after = found.at(-1);
    isLast = found.length < PAGE_SIZE;
  }
}
