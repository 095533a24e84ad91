// Reads BAI2 (Cash Management Balance Reporting Specifications, version 2): records, continuations and all control totals.
import { linesOf } from './decode.ts';
import { type Balance, faultAt, quote, type ReadLine, type ReadStatement } from './statement.ts';
import { readMinorUnits, readShortDay, requireCurrency } from './values.ts';

/** A record with its continuations. `size`: the number of its physical records. */
type Item = { at: number; code: string; fields: string[]; size: number };
/** What a trailer states about the records before it. */
type Total = { sum: bigint; records: number; members: number };
type Group = Total & { day: string; currency: string };
type Account = Total & { statement: ReadStatement };

const CURRENCY = 'USD';
const OPENING = '010';
const CLOSING = '015';
/** Codes of bookings in record 16. Summaries are in record 03; 890 moves no money. */
const CREDITS = { first: 100, last: 399 };
const DEBITS = { first: 400, last: 699 };
const OWN_CREDITS = { first: 920, last: 959 };
const OWN_DEBITS = { first: 960, last: 999 };
const NON_MONETARY = '890';
const TYPE_CODE = /^\d{3}$/;
/** Fields of record 16 before those that depend on the type of funds. */
const FUNDS_AT = 3;

/** Reads the accounts of a file. A record that is missing at its end, or changed, makes a control total wrong. */
export function readBai2(text: string): ReadStatement[] {
  const items = itemsOf(text);
  const statements: ReadStatement[] = [];
  const file: Total = { sum: 0n, records: 0, members: 0 };
  let [group, account, isClosed] = [undefined as Group | undefined, undefined as Account | undefined, false];
  for (const item of items) {
    const { at, code } = item;
    file.records += item.size;
    if (group) group.records += item.size;
    if (account) account.records += item.size;
    if (isClosed) throw faultAt(at, 'a record after the trailer of the file (99).');
    if (code === '01') requireVersion(item);
    else if (code === '02' && !group) group = openGroup(item);
    else if (code === '03' && group && !account) account = openAccount(item, group);
    else if (code === '16' && group && account) addDetail(account, item, group.day);
    else if (code === '49' && group && account) {
      check(item, account, ['sum', 'records']);
      statements.push(account.statement);
      group = { ...group, sum: group.sum + account.sum, members: group.members + 1 };
      account = undefined;
    } else if (code === '98' && group && !account) {
      check(item, group, ['sum', 'members', 'records']);
      file.sum += group.sum;
      file.members += 1;
      group = undefined;
    } else if (code === '99' && !group) {
      check(item, file, ['sum', 'members', 'records']);
      isClosed = true;
    } else throw faultAt(at, `a record ${quote(code)} is not expected here.`);
  }
  if (!isClosed) throw faultAt(items.at(-1)?.at ?? 1, 'the trailer of the file (99) is missing: the file is not complete.');
  return statements;
}

/** Joins continuations (88). A text of record 16 goes on in them; other records go on with the next field. */
function itemsOf(text: string): Item[] {
  const items: (Item & { body: string; isText: boolean })[] = [];
  for (const [index, raw] of linesOf(text).entries()) {
    const line = raw.trim();
    if (line === '') continue;
    const [code, rest] = [line.slice(0, 2), line.slice(3)];
    if (!/^\d\d$/.test(code) || line[2] !== ',') throw faultAt(index + 1, `${quote(line)} is not a record of BAI2.`);
    const body = rest.endsWith('/') ? rest.slice(0, -1) : rest;
    const isText = code === '88' ? !rest.endsWith('/') : code === '16' && !rest.endsWith('/');
    const before = items.at(-1);
    if (code !== '88') items.push({ at: index + 1, code, fields: [], size: 1, body, isText });
    else if (!before) throw faultAt(index + 1, 'a continuation (88) without a record before it.');
    else {
      before.body += `${before.isText ? ' ' : ','}${body}`;
      before.size += 1;
      before.isText = before.code === '16' && isText;
    }
  }
  if (items.length === 0 || items[0]!.code !== '01')
    throw faultAt(items[0]?.at ?? 1, 'the file does not begin with a record 01 of BAI2.');
  return items.map(({ at, code, size, body }) => ({ at, code, size, fields: body.split(',').map((field) => field.trim()) }));
}

function requireVersion({ at, fields }: Item): void {
  if (fields[7] !== '2') throw faultAt(at, `version ${quote(fields[7] ?? '')} of BAI is not 2.`);
}

function openGroup({ at, fields, size }: Item): Group {
  const [, , , day = '', , currency] = fields;
  return { sum: 0n, records: size, members: 0, day: readShortDay(day, at), currency: requireCurrency(currency || CURRENCY, at) };
}

function openAccount({ at, fields, size }: Item, group: Group): Account {
  const [number = '', code, ...rest] = fields;
  if (number === '') throw faultAt(at, 'the record names no account.');
  const currency = requireCurrency(code || group.currency, at);
  const balances = new Map<string, bigint>();
  let sum = 0n;
  // Some banks write a comma before the end of a record, which is an empty field before the next type code.
  for (let next = fromFirstGiven(rest); next.length > 0; ) {
    const [type = '', amount = '', , ...funds] = next;
    if (!TYPE_CODE.test(type)) throw faultAt(at, `${quote(type)} is not a type code.`);
    if (amount !== '') {
      const value = readMinorUnits(amount, at);
      balances.set(type, value);
      sum += value;
    }
    next = fromFirstGiven(afterFunds(funds, at));
  }
  const balance = (type: string): Balance | undefined => {
    const amount = balances.get(type);
    return amount === undefined ? undefined : { amount, day: group.day };
  };
  const statement: ReadStatement = {
    ...{ at, account: number, currency, id: undefined, from: group.day, to: group.day },
    ...{ opening: balance(OPENING), closing: balance(CLOSING), lines: [], ignored: 0 },
  };
  return { statement, sum, records: size, members: 0 };
}

function fromFirstGiven(fields: string[]): string[] {
  const first = fields.findIndex((field) => field !== '');
  return first < 0 ? [] : fields.slice(first);
}

/** The fields after the type of funds and what depends on it: S has three amounts, V a day and a time, D pairs of days and amounts. */
function afterFunds([type = '', ...rest]: string[], at: number): string[] {
  if (type === 'S') return rest.slice(3);
  if (type === 'V') return rest.slice(2);
  if (type === 'D') {
    const [count = ''] = rest;
    if (!/^\d{1,3}$/.test(count)) throw faultAt(at, `${quote(count)} is not a number of distributions.`);
    return rest.slice(1 + 2 * Number(count));
  }
  if (!['', 'Z', '0', '1', '2'].includes(type)) throw faultAt(at, `${quote(type)} is not a type of funds.`);
  return rest;
}

function addDetail(account: Account, { at, fields }: Item, day: string): void {
  const [code = '', amount = '', type = '', when = ''] = fields;
  const [bankReference = '', reference = '', ...texts] = afterFunds(fields.slice(FUNDS_AT - 1), at);
  const value = amount === '' ? 0n : readMinorUnits(amount, at);
  account.sum += value;
  const sign = signOf(code, at);
  if (sign === 0n || value === 0n) {
    account.statement.ignored += 1;
    return;
  }
  const line: ReadLine = {
    at,
    amount: sign * value,
    booked: day,
    valued: type === 'V' && when !== '' ? readShortDay(when, at) : undefined,
    bankId: undefined,
    references: [...new Set([reference, bankReference])].filter((one) => one !== ''),
    text: texts.join(',').trim(),
    counterparty: undefined,
  };
  account.statement.lines.push(line);
}

function signOf(code: string, at: number): bigint {
  if (code === NON_MONETARY) return 0n;
  const number = Number(code);
  const isIn = ({ first, last }: typeof CREDITS) => number >= first && number <= last;
  if (TYPE_CODE.test(code) && (isIn(CREDITS) || isIn(OWN_CREDITS))) return 1n;
  if (TYPE_CODE.test(code) && (isIn(DEBITS) || isIn(OWN_DEBITS))) return -1n;
  throw faultAt(at, `${quote(code)} is not the type code of a credit or a debit.`);
}

/** Compares a trailer with what was read. Some banks leave the control total out where there are no amounts. */
function check({ at, code, fields }: Item, total: Total, names: (keyof Total)[]): void {
  for (const [index, name] of names.entries()) {
    if (name === 'sum' && total.sum === 0n && fields[index] === '') continue;
    const stated = readMinorUnits(fields[index] ?? '', at);
    const found = BigInt(total[name]);
    if (stated !== found) throw faultAt(at, `the trailer ${code} says ${WORDS[name]} ${stated}, the file has ${found}.`);
  }
}

const WORDS: Record<keyof Total, string> = { sum: 'control total', records: 'records', members: 'members' };
