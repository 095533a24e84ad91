// Lines of CSV (RFC 4180), safe to open in spreadsheets.

const QUOTED = /[",\r\n]/;
/** Spreadsheets run a cell that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvLine(cells: string[]): string {
  return `${cells.map((cell) => (QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** A cell with text that people chose. */
export function textCell(text: string | null): string {
  return text !== null && FORMULA.test(text) ? `'${text}` : (text ?? '');
}
