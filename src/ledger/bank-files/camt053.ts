// Reads camt.053 (ISO 20022, BankToCustomerStatement), all versions: bookings, batches with their parts, and balances.
import { type Balance, faultAt, quote, type ReadLine, type ReadStatement } from './statement.ts';
import { DAY_LENGTH, readDayTime, readDecimal, readLastDay, requireCurrency } from './values.ts';
import { type Element, find, findAll, readXml, requireChild, textAt } from './xml.ts';

type DayOf = (moment: Date) => string;

/** Depth of the members of a statement: Document, BkToCstmrStmt, Stmt. */
const MEMBERS = 3;
const NAMESPACE = /:camt\.053\.001\.\d\d$/;
const BOOKED = 'BOOK';
const VALUED_AT = ['ValDt/Dt', 'ValDt/DtTm'];
const BOOKED_AT = ['BookgDt/Dt', 'BookgDt/DtTm', ...VALUED_AT];
/** What ISO 20022 writes where the payer gave none. */
const NOT_PROVIDED = 'NOTPROVIDED';
/** Elements with references of a booking and of its parts. */
const REFERENCES = ['EndToEndId', 'TxId', 'UETR', 'InstrId', 'PmtInfId', 'MsgId', 'ChqNb', 'ClrSysRef', 'AcctSvcrRef', 'MndtId'];

/** Reads the statements. `dayOf` names the day of a time that has an offset from UTC. */
export function readCamt053(text: string, dayOf: DayOf): ReadStatement[] {
  const statements: { at: number; members: Element[]; read: ReadStatement | undefined }[] = [];
  readXml(text, {
    unitDepth: MEMBERS,
    onStart(element, depth) {
      if (depth === 0) requireKind(element);
      else if (element.name === 'Stmt') statements.push({ at: element.at, members: [], read: undefined });
    },
    onUnit(element) {
      const statement = statements.at(-1);
      if (!statement) return;
      if (element.name !== 'Ntry') return void statement.members.push(element);
      statement.read ??= begin(statement, dayOf);
      addEntry(statement.read, element, dayOf);
    },
  });
  return statements.map((statement) => statement.read ?? begin(statement, dayOf));
}

function requireKind({ name, namespace, at }: Element): void {
  if (name !== 'Document' || !NAMESPACE.test(namespace))
    throw faultAt(at, `${quote(namespace || name)} is not a statement: it must be camt.053.`);
}

/** The statement without its entries, which follow all other members but a summary. */
function begin({ at, members }: { at: number; members: Element[] }, dayOf: DayOf): ReadStatement {
  const member = (name: string) => members.find((element) => element.name === name);
  const account = member('Acct');
  const number = textAt(account, 'Id/IBAN') ?? textAt(account, 'Id/Othr/Id');
  if (!account || number === undefined) throw faultAt(account?.at ?? at, 'the statement names no account.');
  const balances = members.filter(({ name }) => name === 'Bal');
  const currency = requireCurrency(textAt(account, 'Ccy') ?? find(balances[0], 'Amt')?.attributes.Ccy, account.at);
  const balance = (...codes: string[]) => balanceOf(balances, codes, { currency, dayOf });
  const period = member('FrToDt');
  const from = period && dayAt(period, ['FrDtTm', 'FrDt'], dayOf);
  return {
    at,
    account: number,
    currency,
    id: member('Id')?.text,
    from,
    to: period && lastDay(period, from, dayOf),
    opening: balance('OPBD', 'PRCD'),
    closing: balance('CLBD'),
    lines: [],
    ignored: 0,
  };
}

function dayAt(element: Element, paths: string[], dayOf: DayOf): string | undefined {
  return dayIn(findFirst(element, paths), dayOf);
}

function dayIn(element: Element | undefined, dayOf: DayOf): string | undefined {
  return element && readDayTime(element.text, element.at, dayOf);
}

function findFirst(element: Element, paths: string[]): Element | undefined {
  return paths.map((path) => find(element, path)).find((one) => one !== undefined);
}

/** A period that begins and ends at one midnight is of the day that begins then. */
function lastDay(period: Element, from: string | undefined, dayOf: DayOf): string | undefined {
  const end = find(period, 'ToDtTm') ?? find(period, 'ToDt');
  return end && (dayIn(end, dayOf) === from ? from : readLastDay(end.text, end.at, dayOf));
}

function balanceOf(balances: Element[], codes: string[], of: { currency: string; dayOf: DayOf }): Balance | undefined {
  for (const code of codes) {
    const found = balances.find((balance) => textAt(balance, 'Tp/CdOrPrtry/Cd') === code);
    if (!found) continue;
    const day = dayAt(found, ['Dt/Dt', 'Dt/DtTm'], of.dayOf);
    if (day === undefined) throw faultAt(found.at, 'the balance has no day.');
    return { amount: amountOf(found, of.currency), day };
  }
  return undefined;
}

/** The amount of an entry or a balance with its sign. */
function amountOf(element: Element, currency: string): bigint {
  const amount = requireChild(element, 'Amt');
  if (amount.attributes.Ccy !== currency)
    throw faultAt(amount.at, `the amount is in ${quote(amount.attributes.Ccy ?? '')}, the account in ${currency}.`);
  return signOf(element) * readDecimal(amount.text, { at: amount.at, currency, signed: false });
}

/** CdtDbtInd says how the account changed, also of a reversal. */
function signOf(element: Element): bigint {
  const { text, at } = requireChild(element, 'CdtDbtInd');
  if (text !== 'CRDT' && text !== 'DBIT') throw faultAt(at, `${quote(text)} is not CRDT or DBIT.`);
  return text === 'CRDT' ? 1n : -1n;
}

function addEntry(statement: ReadStatement, entry: Element, dayOf: DayOf): void {
  const status = textAt(entry, 'Sts/Cd') ?? textAt(entry, 'Sts');
  if (status !== undefined && status !== BOOKED) {
    statement.ignored += 1;
    return;
  }
  const amount = amountOf(entry, statement.currency);
  const [bookedAt, valuedAt] = [findFirst(entry, BOOKED_AT), findFirst(entry, VALUED_AT)];
  const booked = dayIn(bookedAt, dayOf);
  if (booked === undefined) throw faultAt(entry.at, 'the entry has no day of booking.');
  const written = [bookedAt, valuedAt].map((one) => one?.text.slice(0, DAY_LENGTH));
  const days = { booked, valued: dayIn(valuedAt, dayOf), written };
  const parts = findAll(entry, 'TxDtls');
  const amounts = parts.map((part) => partAmount(part, { entry, currency: statement.currency }));
  const isDivided = parts.length > 1 && amounts.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n) === amount;
  if (isDivided && amounts.every((one) => one !== undefined && one !== 0n)) {
    const add = (part: Element, index: number) => lineOf(part, { amount: amounts[index]!, ...days, entry, isPart: true });
    statement.lines.push(...parts.map(add));
  } else if (amount === 0n) statement.ignored += 1;
  else statement.lines.push(lineOf(entry, { amount, ...days, entry, isPart: false }));
}

/** The amount of a part of a batch in the currency of the account, if the bank names one. */
function partAmount(part: Element, of: { entry: Element; currency: string }): bigint | undefined {
  const amount = find(part, 'Amt') ?? find(part, 'AmtDtls/TxAmt/Amt');
  if (!amount || amount.attributes.Ccy !== of.currency) return undefined;
  const sign = signOf(find(part, 'CdtDbtInd') ? part : of.entry);
  return sign * readDecimal(amount.text, { at: amount.at, currency: of.currency, signed: false });
}

type Booking = Pick<ReadLine, 'amount' | 'booked' | 'valued' | 'written'> & { entry: Element; isPart: boolean };

function lineOf(element: Element, { entry, isPart, ...booking }: Booking): ReadLine {
  const references = [
    ...REFERENCES.flatMap((name) => findAll(element, name)),
    ...findAll(element, 'CdtrRefInf').flatMap((info) => findAll(info, 'Ref')),
    ...findAll(element, 'RfrdDocInf').flatMap((info) => findAll(info, 'Nb')),
    ...findAll(element, 'Prtry').flatMap((info) => findAll(info, 'Ref')),
  ].map(({ text }) => text);
  const bankId = isPart ? textAt(element, 'Refs/AcctSvcrRef') : textAt(entry, 'AcctSvcrRef');
  const reference = isPart ? undefined : textAt(entry, 'NtryRef');
  const texts = [...findAll(element, 'Ustrd'), ...findAll(element, 'AddtlTxInf'), ...findAll(element, 'AddtlNtryInf')];
  const side = booking.amount > 0n ? 'Dbtr' : 'Cdtr';
  const party = findAll(element, side)[0];
  return {
    at: element.at,
    ...booking,
    bankId,
    references: [...new Set([...references, ...(reference === undefined ? [] : [reference])])].filter(
      (text) => text !== '' && text !== NOT_PROVIDED,
    ),
    text: texts.map(({ text }) => text).join(' '),
    counterparty: textAt(party, 'Pty/Nm') ?? textAt(party, 'Nm'),
  };
}
