// Reads MT940 (SWIFT, customer statement message), with the structured field 86 of German, Dutch and SEPA banks.
import { linesOf } from './decode.ts';
import { type Balance, faultAt, quote, type ReadLine, type ReadStatement } from './statement.ts';
import { readDay, readDecimal, readShortDay, requireCurrency } from './values.ts';

/** A field with the lines that continue it. */
type Field = { at: number; tag: string; text: string[] };

/** NS: what some banks add to a booking. */
const TAG = /^:(\d\d[A-Z]?|NS):(.*)$/;
/** What some banks write before the first field. */
const HEADING = ':940:';
/** The end of a message, and the blocks of SWIFT around it. Any other line that begins so continues a field. */
const BORDER = /^(-|-\}.*|\{[\dS]:.*)$/;
/** Mark, day, currency, amount with a comma. */
const BALANCE = /^([CD])(\d{6})([A-Z]{3})([0-9]{1,15},[0-9]{0,4})$/;
/** Value day, booking day, mark, code of funds, amount, kind, reference of the customer. Some banks leave out a comma without decimals. */
const BOOKING = /^(\d{6})(\d{4})?(R?[CD])([A-Z])?([0-9]{1,15}(?:,[0-9]{0,4})?)([A-Z][A-Z0-9]{3})(.*)$/;
const NONE = new Set(['', 'NONREF', 'NOTPROVIDED']);
/** Keywords of the structured text: references of the payer, of the bank, of the mandate. */
const KEYWORDS = /\/(EREF|KREF|PREF|MREF|RREF|CREF|IREF|REMI|TRCD)\/|(EREF|KREF|PREF|MREF|CREF|SVWZ|ABWA|ABWE)\+/g;
const REFERENCE_KEYWORDS = new Set(['EREF', 'KREF', 'PREF', 'MREF', 'RREF', 'CREF', 'IREF']);
/** The first subfield of a structured text, such as `166?00`, `035~20` or `>20`. The character before the number depends on the country. */
const FIRST_SUBFIELD = /^(?:\d{3}([?~+<>^])|(>))[012]0/;
const SUBFIELD_CODE = /^\d\d/;

/** Reads the messages of a file, with or without the blocks of SWIFT around them. */
export function readMt940(text: string): ReadStatement[] {
  const messages = messagesOf(text);
  if (messages.length === 0) throw faultAt(1, 'the file has no field :20: of MT940.');
  return messages.map(readMessage);
}

function messagesOf(text: string): Field[][] {
  const messages: Field[][] = [];
  for (const [index, raw] of linesOf(text).entries()) {
    const at = index + 1;
    const line = raw.replace(/^\{1:.*\{4:/, '').trimEnd();
    const [, tag, rest = ''] = TAG.exec(line) ?? [];
    if (tag === '20') messages.push([]);
    const message = messages.at(-1);
    if (line === '' || line === HEADING || BORDER.test(line)) continue;
    if (!message) throw faultAt(at, `${quote(line)} is before the first field :20:.`);
    if (tag !== undefined) message.push({ at, tag, text: [rest] });
    else message.at(-1)!.text.push(line);
  }
  return messages;
}

function readMessage(fields: Field[]): ReadStatement {
  const first = fields[0]!;
  const field = (...tags: string[]) => fields.find(({ tag }) => tags.includes(tag));
  const [account, opening, closing] = [field('25', '25P'), field('60F', '60M'), field('62F', '62M')];
  if (!account) throw faultAt(first.at, 'the message has no field :25: with the account.');
  if (!opening) throw faultAt(first.at, 'the message has no field :60F: with the opening balance.');
  if (!closing) throw faultAt(first.at, 'the message has no field :62F: with the closing balance: it is not complete.');
  const { currency, ...openingBalance } = readBalance(opening);
  const closingBalance = readBalance(closing);
  if (closingBalance.currency !== currency) throw faultAt(closing.at, `the balance is not in ${currency}.`);
  const lines: ReadLine[] = [];
  let isZero = false;
  let ignored = 0;
  for (const [index, one] of fields.entries()) {
    if (one.tag === '61') {
      const line = readBooking(one, currency);
      isZero = line.amount === 0n;
      if (isZero) ignored += 1;
      else lines.push(line);
    } else if (one.tag === '86' && isOfBooking(fields, index) && !isZero) addDetails(lines.at(-1)!, one);
  }
  return {
    at: first.at,
    account: account.text[0]!.trim().replace(/^\//, ''),
    currency,
    id: [first.text[0], field('28C', '28')?.text[0]].filter((part) => part !== undefined).join(' '),
    from: undefined,
    to: undefined,
    opening: openingBalance,
    closing: { amount: closingBalance.amount, day: closingBalance.day },
    lines,
    ignored,
  };
}

/** A field 86 after the closing balance is about the statement. */
function isOfBooking(fields: Field[], index: number): boolean {
  const before = fields[index - 1]!.tag === 'NS' ? fields[index - 2] : fields[index - 1];
  return before?.tag === '61';
}

function readBalance({ at, text }: Field): Balance & { currency: string } {
  const [, mark, day, code, amount] = BALANCE.exec(text[0]!) ?? [];
  if (amount === undefined) throw faultAt(at, `${quote(text[0]!)} is not a balance such as C260131EUR100,00.`);
  const currency = requireCurrency(code, at);
  return { currency, day: readShortDay(day!, at), amount: signOf(mark!) * readComma(amount, at, currency) };
}

/** RC reverses a credit, so money leaves the account; RD reverses a debit. */
function signOf(mark: string): bigint {
  return mark === 'C' || mark === 'RD' ? 1n : -1n;
}

function readComma(amount: string, at: number, currency: string): bigint {
  return readDecimal(amount.replace(',', '.'), { at, currency, signed: false });
}

function readBooking({ at, text: [first = '', ...details] }: Field, currency: string): ReadLine {
  const border = first.indexOf('//');
  const own = border < 0 ? first : first.slice(0, border);
  const bankReference = border < 0 ? '' : first.slice(border + 2).trim();
  const [, value, entry, mark, , amount, , reference = ''] = BOOKING.exec(own) ?? [];
  if (amount === undefined) throw faultAt(at, `${quote(first)} is not a booking such as 2601310131C100,00NTRFNONREF.`);
  const valued = readShortDay(value!, at);
  return {
    at,
    amount: signOf(mark!) * readComma(amount, at, currency),
    booked: entry === undefined ? valued : bookingDay(entry, valued, at),
    valued,
    bankId: undefined,
    references: [reference.trim(), bankReference].filter((one) => !NONE.has(one)),
    text: details.join(' ').trim(),
    counterparty: undefined,
  };
}

/** A booking day has no year: it is in the year that brings it closest to the value day. */
function bookingDay(entry: string, valued: string, at: number): string {
  const year = Number(valued.slice(0, 4));
  const days = [year - 1, year, year + 1].map((one) => `${one}-${entry.slice(0, 2)}-${entry.slice(2)}`);
  const distance = (day: string) => Math.abs(Date.parse(day) - Date.parse(valued));
  const possible = days.filter((day) => !Number.isNaN(Date.parse(day)));
  return readDay(possible.sort((one, other) => distance(one) - distance(other))[0] ?? days[1]!, at);
}

/** Adds field 86: text as it is, or the subfields `?20`…, and the keywords in it. */
function addDetails(line: ReadLine, { text }: Field): void {
  const joined = text.join('');
  const [, afterCode, alone] = FIRST_SUBFIELD.exec(joined) ?? [];
  const separator = afterCode ?? alone;
  const isStructured = separator !== undefined;
  const parts = isStructured ? subfieldsOf(joined, separator) : [];
  const subfields = (accepts: (code: number) => boolean) =>
    parts
      .flatMap(({ code, value }) => (accepts(code) ? [value] : []))
      .join('')
      .replace(/ {2,}/g, ' ')
      .trim();
  const remittance = isStructured
    ? subfields((code) => (code >= 20 && code <= 29) || (code >= 60 && code <= 63))
    : text.join(' ').trim();
  const { references, message } = readKeywords(remittance);
  line.references = [...new Set([...line.references, ...references])];
  line.text = [message, line.text].filter((part) => part !== '').join(' ');
  line.counterparty = subfields((code) => code === 32 || code === 33) || undefined;
}

/** What a separator and two digits begin; a separator before anything else is a part of the text. */
function subfieldsOf(text: string, separator: string): { code: number; value: string }[] {
  const found: { code: number; value: string }[] = [];
  for (const part of text.split(separator).slice(1)) {
    const last = found.at(-1);
    if (SUBFIELD_CODE.test(part)) found.push({ code: Number(part.slice(0, 2)), value: part.slice(2) });
    else if (last) last.value += separator + part;
  }
  return found;
}

/** Splits a text such as `EREF+4711SVWZ+Invoice` or `/EREF/4711//REMI/USTD//Invoice/`. Without keywords all of it is the message. */
function readKeywords(text: string): { references: string[]; message: string } {
  const found = [...text.matchAll(KEYWORDS)];
  const references: string[] = [];
  const messages = found.length === 0 ? [text] : [text.slice(0, found[0]!.index)];
  for (const [index, match] of found.entries()) {
    const value = text
      .slice(match.index + match[0].length, found[index + 1]?.index)
      .replace(/^USTD\/\//, '')
      .replace(/[/?]{1,2}$/, '')
      .trim();
    if (!REFERENCE_KEYWORDS.has((match[1] ?? match[2])!)) messages.push(value);
    else if (!NONE.has(value)) references.push(value);
  }
  return { references, message: messages.join(' ').trim() };
}
