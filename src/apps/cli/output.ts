// Output of commands: text and tables, or one line of JSON with --json. Colours only on a terminal and without NO_COLOR.
import { styleText } from 'node:util';

type Cell = string | number;

let output: NodeJS.WriteStream = process.stdout;

/** From now on prints to standard error, because standard output is the file of the command. */
export function printToStandardError(): void {
  output = process.stderr;
}

/** Prints a text as it is. */
export function printText(text: string): void {
  output.write(text);
}

/** Prints a result as JSON, or as lines of `name  value`. */
export function print(result: Record<string, unknown>, json: boolean): void {
  if (json) return void output.write(`${JSON.stringify(result)}\n`);
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) output.write(`${quiet(name.padEnd(width))}  ${value}\n`);
}

/** Prints rows with the same members as a table with a header; numbers are right-aligned. Prints `nothing` when there are no rows. */
export function printTable(rows: Record<string, Cell>[], nothing: string): void {
  const [first] = rows;
  if (!first) return void output.write(`${nothing}\n`);
  const names = Object.keys(first);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => String(row[name]).length)));
  const line = (cells: Cell[]) =>
    cells
      .map((cell, column) => {
        const isNumber = typeof first[names[column]!] === 'number';
        return isNumber ? String(cell).padStart(widths[column]!) : String(cell).padEnd(widths[column]!);
      })
      .join('  ')
      .trimEnd();
  output.write(`${quiet(line(names))}\n`);
  for (const row of rows) output.write(`${line(names.map((name) => row[name]!))}\n`);
}

/** Secondary text. */
export function quiet(text: string): string {
  return styleText('dim', text);
}

export function heading(text: string): string {
  return styleText('bold', text);
}

export function good(text: string): string {
  return styleText('green', text);
}

export function bad(text: string): string {
  return styleText(['red', 'bold'], text);
}
