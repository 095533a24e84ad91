// The section of an account in a PDF: its entries as a table that continues on the next pages.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Entry } from '../../ledger/transfers/entries.ts';
import { CAPTION, COLORS, PAGE, ROW, type Sheet, SOFT } from './sheet.ts';
import { dayOf, descriptionOf, moneyOf, referencesOf, timeOf, titleOf } from './shown.ts';
import type { Statement, StatementAccount } from './statement.ts';
import { addUp, type Sums } from './sums.ts';

/** The left edges of date, description and reference, and the right edges of amount and balance. */
const COLUMN = {
  date: PAGE.left,
  text: PAGE.left + 86,
  reference: PAGE.left + 208,
  amount: PAGE.right - 88,
  balance: PAGE.right,
};
const TEXT_WIDTH = 116;
const REFERENCE_WIDTH = 118;
const NUMBER_WIDTH = 82;
const TITLE = { size: 12, bold: true };
/** The rows on the page of a title beside the first entry: the header, the opening balance, and three more. */
const ROWS_WITH_FIRST = 5;
/** Rows that are drawn before other requests get the processor. */
const ROWS_AT_ONCE = 20;

type Clock = (ms: number) => number;

/** Yields after some rows, when the bytes of complete pages can be read. Adds the entries to `sums`. */
export async function* drawSection(
  sheet: Sheet,
  account: StatementAccount,
  { readEntries, clock, sums }: { readEntries: Statement['readEntries']; clock: Clock; sums: Sums },
): AsyncGenerator<void> {
  const closing = moneyOf(account.closing.balance, account);
  if (account.opening.sequence === account.closing.sequence) {
    drawTitle(sheet, account, ROW.height);
    sheet.rule(sheet.y, COLORS.ink, 0.8);
    drawSum(sheet, 'No entries in this month', { balance: closing });
    sheet.y += 22;
    return;
  }
  const begin = (firstHeight: number) => {
    drawTitle(sheet, account, ROWS_WITH_FIRST * ROW.height + firstHeight);
    drawHeader(sheet);
    drawSum(sheet, 'Opening balance', { balance: moneyOf(account.opening.balance, account) });
  };
  const makeRoom = (height: number) => {
    if (!sheet.makeRoom(height)) return;
    drawContinued(sheet, account);
    drawHeader(sheet);
  };
  let isBegun = false;
  for await (const entries of readEntries(account)) {
    addUp(sums, entries);
    await sheet.load(entries.flatMap((entry) => [descriptionOf(entry), ...referencesOf(entry)]));
    for (const [index, entry] of entries.entries()) {
      const lines = referencesOf(entry).flatMap((text) => sheet.wrap(text, REFERENCE_WIDTH, SOFT));
      if (isBegun) makeRoom(heightOf(lines));
      else begin(heightOf(lines));
      isBegun = true;
      drawEntry(sheet, account, entry, { lines, clock });
      if (index % ROWS_AT_ONCE === 0) await yieldToOthers();
    }
    yield;
  }
  makeRoom(3 * ROW.height);
  drawSum(sheet, 'Total in', { amount: moneyOf(sums.totalIn, account) });
  drawSum(sheet, 'Total out', { amount: moneyOf(sums.totalOut, account) });
  drawSum(sheet, 'Closing balance', { balance: closing, bold: true });
  sheet.rule(sheet.y, COLORS.ink, 0.8);
  sheet.y += 28;
}

function heightOf(lines: string[]): number {
  return ROW.height + Math.max(0, lines.length - 1) * ROW.line;
}

/** `height`: of what must be on the same page. */
function drawTitle(sheet: Sheet, account: StatementAccount, height: number): void {
  const lines = sheet.wrap(titleOf(account), PAGE.right - PAGE.left - 60, TITLE);
  sheet.makeRoom(lines.length * 15 + 16 + height);
  for (const [index, line] of lines.entries()) {
    sheet.text(line, { x: PAGE.left, y: sheet.y }, TITLE);
    if (index === 0) sheet.textBefore(account.currency, { x: PAGE.right, y: sheet.y }, { ...TITLE, color: COLORS.soft });
    sheet.y += 15;
  }
  if (account.kind === 'label') {
    sheet.text(`Label ${account.id}`, { x: PAGE.left, y: sheet.y + 1 }, CAPTION);
    sheet.y += 10;
  }
  sheet.y += 6;
}

function drawContinued(sheet: Sheet, account: StatementAccount): void {
  const look = { size: 9, bold: true };
  const name = sheet.fit(titleOf(account), 380, look);
  sheet.text(name, { x: PAGE.left, y: sheet.y - 22 }, look);
  sheet.text('continued', { x: PAGE.left + sheet.widthOf(name, look) + 6, y: sheet.y - 20.5 }, SOFT);
  sheet.textBefore(account.currency, { x: PAGE.right, y: sheet.y - 22 }, { ...look, color: COLORS.soft });
}

function drawHeader(sheet: Sheet): void {
  const { date, text, reference, amount, balance } = COLUMN;
  sheet.header({ left: { Date: date, Description: text, Reference: reference }, right: { Amount: amount, Balance: balance } });
}

function drawEntry(
  sheet: Sheet,
  account: StatementAccount,
  entry: Entry,
  { lines, clock }: { lines: string[]; clock: Clock },
): void {
  const y = sheet.y + ROW.text;
  const shown = clock(entry.created.getTime());
  const day = dayOf(shown);
  sheet.text(day, { x: COLUMN.date, y });
  sheet.text(timeOf(shown), { x: COLUMN.date + sheet.widthOf(day) + 4, y: y + 0.7 }, SOFT);
  sheet.text(sheet.fit(descriptionOf(entry), TEXT_WIDTH), { x: COLUMN.text, y });
  for (const [index, line] of lines.entries()) sheet.text(line, { x: COLUMN.reference, y: y + 0.7 + index * ROW.line }, SOFT);
  sheet.numberBefore(moneyOf(entry.amount, account), { x: COLUMN.amount, y, width: NUMBER_WIDTH });
  sheet.numberBefore(moneyOf(entry.balance, account), { x: COLUMN.balance, y, width: NUMBER_WIDTH }, { color: COLORS.soft });
  sheet.endRow(heightOf(lines));
}

function drawSum(sheet: Sheet, name: string, sum: { amount?: string; balance?: string; bold?: boolean }): void {
  const y = sheet.y + ROW.text;
  const look = { bold: sum.bold ?? false };
  sheet.text(name, { x: COLUMN.text, y }, look);
  if (sum.amount !== undefined) sheet.numberBefore(sum.amount, { x: COLUMN.amount, y, width: NUMBER_WIDTH }, look);
  if (sum.balance !== undefined) sheet.numberBefore(sum.balance, { x: COLUMN.balance, y, width: NUMBER_WIDTH }, look);
  sheet.endRow(ROW.height);
}
