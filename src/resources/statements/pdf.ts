// Statements as PDF: letterhead, summary, a section per account, and totals, written page by page.
import { wallClock } from '../../core/zone.ts';
import { drawSection } from './section.ts';
import { CAPTION, COLORS, openSheet, PAGE, ROW, type Sheet, SOFT } from './sheet.ts';
import { dayOf, moneyOf, monthOf, titleOf } from './shown.ts';
import type { Statement, StatementAccount } from './statement.ts';
import type { Sums } from './sums.ts';
import { isolate } from './typesetter.ts';

const HEADING = { size: 12, bold: true };
/** The right edges of the numbers of summary and totals. */
const COLUMN = { opening: PAGE.right - 309, in: PAGE.right - 206, out: PAGE.right - 103, closing: PAGE.right };
const NUMBER_WIDTH = 96;
const NAME_WIDTH = 250;

/** `isLessOwed`: an account of it is what the customer owes, whose balance is negative. */
type Total = Sums & { currency: string; accounts: number; isLessOwed: boolean; opening: bigint; closing: bigint };

export async function* pdfOf(statement: Statement): AsyncGenerator<Uint8Array> {
  const { accountName, month, accounts, readEntries } = statement;
  const owner = ownerOf(statement);
  const names = [accountName, owner].map((name) => (name === undefined ? undefined : isolate(name)));
  const footer = [names[0], monthOf(month.text), names[1]].filter((part) => part !== undefined).join('  ·  ');
  const sheet = await openSheet({
    ...{ title: `Statement ${monthOf(month.text)}`, author: accountName, created: month.before, footer },
  });
  await sheet.load([accountName, owner, personOf(statement), ...accounts.map(({ name }) => name)]);
  const totals = totalsOf(accounts);
  sheet.newPage();
  drawLetterhead(sheet, statement);
  drawSummary(sheet, accounts, totals);
  for (const account of accounts) {
    const sums: Sums = { totalIn: 0n, totalOut: 0n };
    for await (const _part of drawSection(sheet, account, { readEntries, clock: wallClock(month.zone), sums }))
      yield* written(sheet);
    const total = totals.get(account.currency)!;
    total.totalIn += sums.totalIn;
    total.totalOut += sums.totalOut;
  }
  if (accounts.length > 0) drawTotals(sheet, [...totals.values()]);
  await sheet.end();
  yield* written(sheet);
}

/** The bytes that are complete. */
function* written({ doc }: Sheet): Generator<Uint8Array> {
  const bytes = doc.read() as Uint8Array | null;
  if (bytes) yield bytes;
}

/** The customer's name, which cannot change once it has money, and so an account. */
function ownerOf(statement: Statement): string | undefined {
  if (statement.accounts.length === 0) return undefined;
  return statement.customer.profile.businessName ?? personOf(statement);
}

function personOf({ customer }: Statement): string {
  return `${customer.firstName} ${customer.lastName}`;
}

/** By currency. Their sums are of the sections that are drawn. */
function totalsOf(accounts: StatementAccount[]): Map<string, Total> {
  const totals = new Map<string, Total>();
  for (const { kind, currency, opening, closing } of accounts) {
    const none = { accounts: 0, isLessOwed: false, opening: 0n, closing: 0n, totalIn: 0n, totalOut: 0n };
    const total = totals.get(currency) ?? { currency, ...none };
    total.accounts += 1;
    total.isLessOwed ||= kind === 'owed';
    total.opening += opening.balance;
    total.closing += closing.balance;
    totals.set(currency, total);
  }
  return totals;
}

function drawLetterhead(sheet: Sheet, statement: Statement): void {
  const { accountName, customer, month, closed } = statement;
  const owner = ownerOf(statement);
  const period = monthOf(month.text);
  const heading = { size: 18, bold: true };
  const periodLook = { size: 13, bold: true, color: COLORS.accent };
  sheet.textBefore('Account statement', { x: PAGE.right, y: 42 }, CAPTION);
  sheet.textBefore(period, { x: PAGE.right, y: 52 }, periodLook);
  const nameWidth = PAGE.right - PAGE.left - sheet.widthOf(period, periodLook) - 24;
  sheet.text(sheet.fit(accountName, nameWidth, heading), { x: PAGE.left, y: 46 }, heading);
  sheet.rule(80);
  const column = PAGE.left + 284;
  const look = { size: 9.5, bold: true };
  sheet.text('Customer', { x: PAGE.left, y: 94 }, CAPTION);
  let y = 105;
  for (const line of owner === undefined ? [] : sheet.wrap(owner, NAME_WIDTH, look)) {
    sheet.text(line, { x: PAGE.left, y }, look);
    y += 13;
  }
  const person = personOf(statement);
  if (owner !== undefined && owner !== person) {
    sheet.text(sheet.fit(person, NAME_WIDTH), { x: PAGE.left, y });
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
function drawSummary(sheet: Sheet, accounts: StatementAccount[], totals: Map<string, Total>): void {
  if (accounts.length === 0) {
    sheet.text('No balances', { x: PAGE.left, y: sheet.y + 6 }, HEADING);
    sheet.text('The customer had no balance in this month.', { x: PAGE.left, y: sheet.y + 26 }, { color: COLORS.soft });
    return;
  }
  sheet.text('Summary', { x: PAGE.left, y: sheet.y }, HEADING);
  sheet.y += 22;
  const { out, closing } = COLUMN;
  const header = () =>
    sheet.header({ left: { Account: PAGE.left }, right: { 'Opening balance': out, 'Closing balance': closing } });
  header();
  for (const [index, account] of accounts.entries()) {
    if (sheet.makeRoom(ROW.height)) header();
    drawBalances(sheet, titleOf(account), { ...account, opening: account.opening.balance, closing: account.closing.balance });
    const total = totals.get(account.currency)!;
    if (accounts[index + 1]?.currency === account.currency || total.accounts === 1) continue;
    if (sheet.makeRoom(ROW.height)) header();
    drawBalances(sheet, total.isLessOwed ? 'Total less what is owed' : 'Total', { ...total, bold: true });
  }
  sheet.y += 26;
}

type Balances = { currency: string; opening: bigint; closing: bigint; bold?: boolean };

function drawBalances(sheet: Sheet, title: string, { currency, opening, closing, bold = false }: Balances): void {
  const y = sheet.y + ROW.text;
  const name = sheet.fit(title, NAME_WIDTH, { bold });
  sheet.text(name, { x: PAGE.left, y }, { bold });
  sheet.text(currency, { x: PAGE.left + sheet.widthOf(name, { bold }) + 5, y: y + 0.7 }, SOFT);
  const look = bold ? { bold } : { color: COLORS.soft };
  sheet.numberBefore(moneyOf(opening, { currency }), { x: COLUMN.out, y, width: NUMBER_WIDTH }, look);
  sheet.numberBefore(moneyOf(closing, { currency }), { x: COLUMN.closing, y, width: NUMBER_WIDTH }, { bold: true });
  sheet.endRow(ROW.height);
}

function drawTotals(sheet: Sheet, totals: Total[]): void {
  sheet.makeRoom(40 + (Math.min(totals.length, 3) + 1) * ROW.height);
  sheet.text('Totals', { x: PAGE.left, y: sheet.y }, HEADING);
  sheet.y += 22;
  const right = {
    'Opening balance': COLUMN.opening,
    'Total in': COLUMN.in,
    'Total out': COLUMN.out,
    'Closing balance': COLUMN.closing,
  };
  const header = () => sheet.header({ left: { Currency: PAGE.left }, right });
  header();
  for (const total of totals) {
    if (sheet.makeRoom(ROW.height)) header();
    const y = sheet.y + ROW.text;
    const number = (minorUnits: bigint, x: number, look = {}) =>
      sheet.numberBefore(moneyOf(minorUnits, total), { x, y, width: NUMBER_WIDTH }, look);
    sheet.text(total.currency, { x: PAGE.left, y }, { bold: true });
    number(total.opening, COLUMN.opening, { color: COLORS.soft });
    number(total.totalIn, COLUMN.in);
    number(total.totalOut, COLUMN.out);
    number(total.closing, COLUMN.closing, { bold: true });
    sheet.endRow(ROW.height);
  }
  sheet.rule(sheet.y, COLORS.ink, 0.8);
  if (totals.every(({ accounts }) => accounts === 1)) return;
  const isLessOwed = totals.some((total) => total.isLessOwed);
  const notes = [
    'What moves from one of these balances to another is in both totals.',
    ...(isLessOwed ? ['The totals are less what the customer owes.'] : []),
  ];
  sheet.text(notes.join(' '), { x: PAGE.left, y: sheet.y + 6 }, CAPTION);
}
