// Lines of CSV (RFC 4180), safe to open in spreadsheets.

const QUOTED = /[",;|\t\r\n\v\f\u0085\u2028\u2029]/;
/**
 * The beginning of a cell, and a sign with which spreadsheets begin a formula, also in its wide and small forms. Depending on its settings, a
 * spreadsheet begins another cell after a semicolon, a tab or a line break in the text too, because it does not honour quotes in the middle of a cell.
 */
const FORMULA = /(^|[;|\t\r\n\v\f\u0085\u2028\u2029])([ \u00a0\u3000"]*[=+\-@＝＋－＠﹦﹢﹣﹫])/gu;
/** A separator at the beginning, which moves what follows into another cell. */
const SEPARATOR = /^[\t\r]/;

export function csvLine(cells: string[]): string {
  return `${cells.map((cell) => (QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** A cell with text that people chose. */
export function textCell(text: string | null): string {
  const neutral = (text ?? '').replace(FORMULA, "$1'$2");
  return SEPARATOR.test(neutral) ? `'${neutral}` : neutral;
}
