// Reads OFX: version 1 (SGML, whose values have no end tags) and version 2 (XML). No declarations, so no entities but known ones.
import { countedLines } from './decode.ts';
import { type Balance, faultAt, quote, type ReadLine, type ReadStatement } from './statement.ts';
import { readDay, readDecimal, requireCurrency } from './values.ts';

/** An aggregate with the values and the aggregates in it. */
type Aggregate = { at: number; name: string; values: Map<string, string>; children: Aggregate[] };

const TAG = /<(\/?)([A-Z][A-Z0-9._]{0,63})\s*(\/?)>/g;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const ENTITY = /&(#?[A-Za-z0-9]{1,10});/g;
const DEPTH_MAX = 32;
/** Statements of bank accounts and of cards. */
const STATEMENTS = new Set(['STMTRS', 'CCSTMTRS']);
/** Aggregates that must have an end tag, so that a part that is missing is not read as an empty value. */
const ENDED = new Set([...STATEMENTS, 'OFX', 'BANKTRANLIST', 'STMTTRN', 'LEDGERBAL']);
const TIME = /^(\d{4})(\d\d)(\d\d)([0-9.]*(\[[^\]]{0,20}\])?)$/;

/** Reads the statements of a file. It has no opening balances. */
export function readOfx(text: string): ReadStatement[] {
  const start = text.indexOf('<OFX>');
  if (start < 0) throw faultAt(1, 'the file has no <OFX>.');
  const declaration = text.search(/<!(DOCTYPE|ENTITY)/i);
  if (declaration >= 0) throw faultAt(countedLines(text)(declaration), 'a document type (DOCTYPE) is refused.');
  const root = readTree(text, start);
  const statements = descendants(root).filter(({ name }) => STATEMENTS.has(name));
  if (statements.length === 0) throw faultAt(root.at, 'the file has no statement (STMTRS).');
  return statements.map(readStatement);
}

/** A tag with a value after it is a value, also without an end tag; any other begins an aggregate, or is an empty value without one. */
function readTree(text: string, start: number): Aggregate {
  const lineAt = countedLines(text);
  const top: Aggregate = { at: lineAt(start), name: '', values: new Map(), children: [] };
  const open = [top];
  let value: string | undefined;
  TAG.lastIndex = start;
  for (let match = TAG.exec(text); match; ) {
    const [whole, slash, name = '', empty] = match;
    const at = lineAt(match.index);
    const from = match.index + whole.length;
    match = TAG.exec(text);
    const content = text.slice(from, match?.index ?? text.length).trim();
    const inside = open.at(-1)!;
    if (slash === '/') {
      if (content !== '') throw faultAt(at, `${quote(content)} is not a tag of OFX.`);
      if (name === value) value = undefined;
      else if (!end(open, name))
        throw faultAt(at, `</${name}> ends nothing: ${inside.name ? `<${inside.name}> is open` : 'nothing is open'}.`);
    } else if (content !== '') {
      if (content.includes('<')) throw faultAt(at, `${quote(content)} is not a tag of OFX.`);
      inside.values.set(name, decodeEntities(content, at));
      value = name;
    } else if (empty !== '/') {
      if (open.length > DEPTH_MAX) throw faultAt(at, `aggregates are nested deeper than ${DEPTH_MAX}.`);
      const aggregate: Aggregate = { at, name, values: new Map(), children: [] };
      inside.children.push(aggregate);
      open.push(aggregate);
      value = undefined;
    }
  }
  if (open.length > 1) throw faultAt(open.at(-1)!.at, `<${open.at(-1)!.name}> does not end: the file is not complete.`);
  return top;
}

/** Ends the innermost aggregate of a name. What is still open in it is an empty value, and what seems to be in that follows it. */
function end(open: Aggregate[], name: string): boolean {
  const place = open.findLastIndex((one) => one.name === name);
  if (place < 0 || open.slice(place + 1).some((inner) => ENDED.has(inner.name))) return false;
  const [aggregate, ...empty] = open.splice(place) as [Aggregate, ...Aggregate[]];
  for (const { values, children } of empty) {
    for (const [key, value] of values) aggregate.values.set(key, value);
    aggregate.children = [...aggregate.children.slice(0, -1), ...children];
  }
  return true;
}

function decodeEntities(text: string, at: number): string {
  return text.replace(ENTITY, (whole, name: string) => {
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const character = name.startsWith('#') && code > 31 && code < 0x110000 ? String.fromCodePoint(code) : ENTITIES[name];
    if (character === undefined) throw faultAt(at, `${quote(whole)} is not a known entity.`);
    return character;
  });
}

function descendants(aggregate: Aggregate): Aggregate[] {
  return aggregate.children.flatMap((child) => [child, ...descendants(child)]);
}

function readStatement(aggregate: Aggregate): ReadStatement {
  const { at } = aggregate;
  const child = (name: string) => aggregate.children.find((one) => one.name === name);
  const account = child('BANKACCTFROM') ?? child('CCACCTFROM');
  const lists = aggregate.children.filter(({ name }) => name === 'BANKTRANLIST');
  const number = account?.values.get('ACCTID');
  if (number === undefined) throw faultAt(at, 'the statement names no account (ACCTID).');
  const currency = requireCurrency(aggregate.values.get('CURDEF'), at);
  const transactions = lists.flatMap(({ children }) => children).filter(({ name }) => name === 'STMTTRN');
  const lines = transactions.map((one) => readTransaction(one, currency));
  const booked = lines.filter(({ amount }) => amount !== 0n);
  const days = (name: string) =>
    lists.flatMap(({ at, values }) => (values.has(name) ? [readTime(values.get(name)!, at)] : [])).sort();
  const [start, end, balance] = [days('DTSTART')[0], days('DTEND').at(-1), closingOf(child('LEDGERBAL'), currency)];
  // Some banks write the balance of the day of the download, or of the last line before, which is not that at the end of the period.
  const isOutside = balance && ((end && balance.day > end) || (start && balance.day < start));
  return {
    at,
    account: [account?.values.get('BANKID'), number].filter((part) => part !== undefined).join(' '),
    currency,
    id: undefined,
    from: start,
    to: isOutside ? end : undefined,
    opening: undefined,
    closing: isOutside ? undefined : balance,
    lines: booked,
    ignored: lines.length - booked.length,
  };
}

function closingOf(balance: Aggregate | undefined, currency: string): Balance | undefined {
  const [amount, day] = [balance?.values.get('BALAMT'), balance?.values.get('DTASOF')];
  if (!balance || amount === undefined || day === undefined) return undefined;
  return { amount: readOfxAmount(amount, balance.at, currency), day: readTime(day, balance.at) };
}

function readTransaction({ at, values, children }: Aggregate, currency: string): ReadLine {
  const required = (name: string) => {
    const value = values.get(name);
    if (value === undefined) throw faultAt(at, `the transaction has no ${name}.`);
    return value;
  };
  const payee = children.find(({ name }) => name === 'PAYEE')?.values.get('NAME');
  const available = values.get('DTAVAIL');
  return {
    at,
    amount: readOfxAmount(required('TRNAMT'), at, currency),
    booked: readTime(required('DTPOSTED'), at),
    valued: available && readTime(available, at),
    // "Unique within the account", OFX 2.2, 11.4.4.1.
    bankId: required('FITID'),
    references: ['REFNUM', 'CHECKNUM', 'SRVRTID'].flatMap((name) => values.get(name) ?? []),
    text: values.get('MEMO') ?? '',
    counterparty: values.get('NAME') ?? payee,
  };
}

/** Amounts have a point or a comma, and no separators of thousands. */
function readOfxAmount(text: string, at: number, currency: string): bigint {
  return readDecimal(text.includes('.') ? text : text.replace(',', '.'), { at, currency, signed: true });
}

/** The day of a time such as `20260131120000[-5:EST]`, as the bank writes it. */
function readTime(text: string, at: number): string {
  const [, year, month, day] = TIME.exec(text) ?? [];
  if (year === undefined) throw faultAt(at, `${quote(text)} is not a day such as 20260131.`);
  return readDay(`${year}-${month}-${day}`, at);
}
