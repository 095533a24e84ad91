// Statements as PDF: letterhead, summary, and a table of entries per account, written page by page.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Entry } from '../ledger/entries.ts';
import { formatAmount } from '../money/money.ts';
import { wallClock } from './month.ts';
import { COLORS, openSheet, PAGE, type Sheet } from './sheet.ts';
import type { Statement, StatementAccount } from './statement.ts';
import { addUp, type Sums } from './sums.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAY_MS = 86_400_000;
/** The columns: the left edges of date and description, the right edges of amount and balance. */
const COLUMN = { date: PAGE.left, text: PAGE.left + 90, amount: PAGE.right - 112, balance: PAGE.right };
const TEXT_WIDTH = 172;
/** Between the edges of amount and balance, less a gap. */
const NUMBER_WIDTH = 104;
const ROW = { height: 17, line: 10.5, text: 4.2 };
const REFERENCE = { size: 7.5, color: COLORS.soft };
const CAPTION = { size: 7, color: COLORS.soft };
/** Rows that are drawn before other requests get the processor. */
const ROWS_AT_ONCE = 20;

type Clock = (ms: number) => number;

export async function* pdfOf(statement: Statement): AsyncGenerator<Uint8Array> {
  const { accountName, month, accounts } = statement;
  const title = `Statement ${nameOf(month.text)}`;
  const owner = ownerOf(statement);
  const footer = [accountName, nameOf(month.text), owner].filter((part) => part !== undefined).join('  ·  ');
  const sheet = openSheet({ title, author: accountName, created: month.before, footer });
  const clock = wallClock(month.zone);
  sheet.newPage();
  drawLetterhead(sheet, statement);
  drawSummary(sheet, accounts);
  for (const account of accounts) {
    for await (const _part of drawAccount(sheet, statement, account, clock)) yield* written(sheet);
  }
  sheet.end();
  yield* written(sheet);
}

/** The bytes that are complete. */
function* written({ doc }: Sheet): Generator<Uint8Array> {
  const bytes = doc.read() as Uint8Array | null;
  if (bytes) yield bytes;
}

/** The customer's name, which cannot change once it has money, and so an account. */
function ownerOf({ accounts, customer }: Statement): string | undefined {
  if (accounts.length === 0) return undefined;
  return customer.profile.businessName ?? `${customer.firstName} ${customer.lastName}`;
}

function drawLetterhead(sheet: Sheet, statement: Statement): void {
  const { accountName, customer, month, closed } = statement;
  const owner = ownerOf(statement);
  const period = nameOf(month.text);
  const heading = { size: 18, bold: true };
  const periodLook = { size: 13, bold: true, color: COLORS.accent };
  sheet.textBefore('Account statement', { x: PAGE.right, y: 42 }, CAPTION);
  sheet.textBefore(period, { x: PAGE.right, y: 52 }, periodLook);
  const nameWidth = PAGE.right - PAGE.left - sheet.widthOf(period, periodLook) - 24;
  sheet.text(sheet.fit(accountName, nameWidth, heading), { x: PAGE.left, y: 46 }, heading);
  sheet.rule(80);
  const column = PAGE.left + 268;
  const look = { size: 9.5, bold: true };
  sheet.text('Customer', { x: PAGE.left, y: 94 }, CAPTION);
  let y = 105;
  for (const line of owner === undefined ? [] : sheet.wrap(owner, 240, look)) {
    sheet.text(line, { x: PAGE.left, y }, look);
    y += 13;
  }
  const person = `${customer.firstName} ${customer.lastName}`;
  if (owner !== undefined && owner !== person) {
    sheet.text(sheet.fit(person, 240), { x: PAGE.left, y });
    y += 12;
  }
  sheet.text(customer.id, { x: PAGE.left, y: y + 1 }, CAPTION);
  sheet.text('Period', { x: column, y: 94 }, CAPTION);
  const clock = wallClock(month.zone);
  const days = `${dayOf(clock(month.from.getTime()))} – ${dayOf(clock(month.before.getTime() - 1))}`;
  sheet.text(days, { x: column, y: 105 }, look);
  sheet.text(`Time zone ${month.zone}`, { x: column, y: 119 }, CAPTION);
  sheet.y = Math.max(y + 12, 130) + 14;
  if (!closed) drawNotice(sheet, 'This month is not closed yet. Entries may still be added.');
}

function drawNotice(sheet: Sheet, text: string): void {
  sheet.doc.roundedRect(PAGE.left, sheet.y, PAGE.right - PAGE.left, 24, 4).fill(COLORS.notice);
  sheet.text(text, { x: PAGE.left + 12, y: sheet.y + 7.5 }, { size: 8.5 });
  sheet.y += 38;
}

/** The first page shows at once what the customer has. */
function drawSummary(sheet: Sheet, accounts: StatementAccount[]): void {
  if (accounts.length === 0) {
    sheet.text('No balances', { x: PAGE.left, y: sheet.y + 6 }, { size: 12, bold: true });
    sheet.text('The customer had no balance in this month.', { x: PAGE.left, y: sheet.y + 26 }, { color: COLORS.soft });
    return;
  }
  sheet.text('Summary', { x: PAGE.left, y: sheet.y }, { size: 12, bold: true });
  sheet.y += 22;
  const header = () => drawHeader(sheet, { first: 'Account', amount: 'Opening balance', balance: 'Closing balance' });
  header();
  for (const account of accounts) {
    if (sheet.makeRoom(ROW.height)) header();
    const y = sheet.y + ROW.text;
    const name = sheet.fit(titleOf(account), TEXT_WIDTH + 34);
    sheet.text(name, { x: COLUMN.date, y });
    sheet.text(account.currency, { x: COLUMN.date + sheet.widthOf(name) + 6, y: y + 1 }, REFERENCE);
    sheet.numberBefore(
      moneyOf(account.opening.balance, account),
      { x: COLUMN.amount, y, width: NUMBER_WIDTH },
      { color: COLORS.soft },
    );
    sheet.numberBefore(moneyOf(account.closing.balance, account), { x: COLUMN.balance, y, width: NUMBER_WIDTH }, { bold: true });
    sheet.y += ROW.height;
    sheet.rule(sheet.y, COLORS.hair, 0.5);
  }
  sheet.y += 26;
}

/** Yields after some rows, when the bytes of complete pages can be read. */
async function* drawAccount(
  sheet: Sheet,
  { readEntries }: Statement,
  account: StatementAccount,
  clock: Clock,
): AsyncGenerator<void> {
  const sums: Sums = { totalIn: 0n, totalOut: 0n };
  const header = () => drawHeader(sheet, { first: 'Date', text: 'Description', amount: 'Amount', balance: 'Balance' });
  drawTitle(sheet, account);
  header();
  drawSum(sheet, 'Opening balance', { balance: moneyOf(account.opening.balance, account) });
  for await (const entries of readEntries(account)) {
    addUp(sums, entries);
    for (const [index, entry] of entries.entries()) {
      const lines = entry.reference === null ? [] : sheet.wrap(entry.reference, TEXT_WIDTH, REFERENCE);
      if (sheet.makeRoom(ROW.height + lines.length * ROW.line)) {
        drawContinued(sheet, account);
        header();
      }
      drawEntry(sheet, account, entry, { lines, clock });
      if (index % ROWS_AT_ONCE === 0) await yieldToOthers();
    }
    yield;
  }
  if (sheet.makeRoom(3 * ROW.height)) {
    drawContinued(sheet, account);
    header();
  }
  drawSum(sheet, 'Total in', { amount: moneyOf(sums.totalIn, account) });
  drawSum(sheet, 'Total out', { amount: moneyOf(-sums.totalOut, account) });
  drawSum(sheet, 'Closing balance', { balance: moneyOf(account.closing.balance, account), bold: true });
  sheet.rule(sheet.y, COLORS.ink, 0.8);
  sheet.y += 30;
}

function drawTitle(sheet: Sheet, account: StatementAccount): void {
  const look = { size: 12, bold: true };
  const lines = sheet.wrap(titleOf(account), PAGE.right - PAGE.left - 60, look);
  // With the header and the first rows of its table.
  sheet.makeRoom(lines.length * 15 + 16 + 6 * ROW.height);
  for (const [index, line] of lines.entries()) {
    sheet.text(line, { x: PAGE.left, y: sheet.y }, look);
    if (index === 0) sheet.textBefore(account.currency, { x: PAGE.right, y: sheet.y }, { ...look, color: COLORS.soft });
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
  sheet.text('continued', { x: PAGE.left + sheet.widthOf(name, look) + 6, y: sheet.y - 20.5 }, REFERENCE);
  sheet.textBefore(account.currency, { x: PAGE.right, y: sheet.y - 22 }, { ...look, color: COLORS.soft });
}

function drawHeader(sheet: Sheet, names: { first: string; text?: string; amount: string; balance: string }): void {
  const y = sheet.y + 2;
  sheet.text(names.first, { x: COLUMN.date, y }, CAPTION);
  if (names.text !== undefined) sheet.text(names.text, { x: COLUMN.text, y }, CAPTION);
  sheet.textBefore(names.amount, { x: COLUMN.amount, y }, CAPTION);
  sheet.textBefore(names.balance, { x: COLUMN.balance, y }, CAPTION);
  sheet.y += 15;
  sheet.rule(sheet.y, COLORS.ink, 0.8);
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
  sheet.text(timeOf(shown), { x: COLUMN.date + sheet.widthOf(day) + 5, y: y + 0.8 }, REFERENCE);
  sheet.text(sheet.fit(descriptionOf(entry), TEXT_WIDTH), { x: COLUMN.text, y });
  sheet.numberBefore(moneyOf(entry.amount, account), { x: COLUMN.amount, y, width: NUMBER_WIDTH });
  sheet.numberBefore(moneyOf(entry.balance, account), { x: COLUMN.balance, y, width: NUMBER_WIDTH }, { color: COLORS.soft });
  for (const [index, line] of lines.entries()) sheet.text(line, { x: COLUMN.text, y: y + 12 + index * ROW.line }, REFERENCE);
  sheet.y += ROW.height + lines.length * ROW.line;
  sheet.rule(sheet.y, COLORS.hair, 0.5);
}

function drawSum(sheet: Sheet, name: string, sum: { amount?: string; balance?: string; bold?: boolean }): void {
  const y = sheet.y + ROW.text;
  const look = { bold: sum.bold ?? false };
  sheet.text(name, { x: COLUMN.text, y }, look);
  if (sum.amount !== undefined) sheet.numberBefore(sum.amount, { x: COLUMN.amount, y, width: NUMBER_WIDTH }, look);
  if (sum.balance !== undefined) sheet.numberBefore(sum.balance, { x: COLUMN.balance, y, width: NUMBER_WIDTH }, look);
  sheet.y += ROW.height;
  sheet.rule(sheet.y, COLORS.hair, 0.5);
}

function titleOf({ kind, name }: Pick<StatementAccount, 'kind' | 'name'>): string {
  return kind === 'available' ? 'Available balance' : (name ?? 'Unnamed label');
}

function descriptionOf({ kind, amount, otherKind, otherName }: Entry): string {
  if (kind === 'deposit') return 'Deposit';
  if (kind === 'withdrawal') return 'Withdrawal';
  if (kind === 'allocation' && amount > 0n) return 'Allocated from a deposit';
  const other = otherKind === 'available' ? 'available balance' : (otherName ?? 'unnamed label');
  if (kind === 'allocation') return `Allocated to ${other}`;
  if (kind === 'reversal') return amount < 0n ? `Reversal to ${other}` : `Reversal from ${other}`;
  return amount < 0n ? `To ${other}` : `From ${other}`;
}

/** `1,234.50`, with a minus sign for a negative amount. */
function moneyOf(minorUnits: bigint, { currency }: StatementAccount): string {
  const [whole = '', decimals] = formatAmount(minorUnits, currency).value.replace('-', '−').split('.');
  const grouped = whole.replace(/\d+/, (digits) => BigInt(digits).toLocaleString('en'));
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** `2026-01` → `January 2026`. Not from `Intl`, whose names change with its data. */
function nameOf(month: string): string {
  const [year, number] = month.split('-');
  return `${MONTHS[Number(number) - 1]} ${year}`;
}

function dayOf(wallMs: number): string {
  const date = new Date(Math.floor(wallMs / DAY_MS) * DAY_MS);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]!.slice(0, 3)} ${date.getUTCFullYear()}`;
}

function timeOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(11, 16);
}
