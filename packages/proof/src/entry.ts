// Entries of a transparency log: an event with what it reports, as canonical JSON (RFC 8785).
import { decodeText } from './bytes.ts';

/** The money of an entry. Amounts are decimal strings; the accounts are ledger accounts. */
export type Money = {
  amount: string;
  currency: string;
  from: string;
  fromBalance: string;
  fromSequence: number;
  to: string;
  toBalance: string;
  toSequence: number;
};

/**
 * Of an entry that moved money: the deposit that an allocation divides, or that paid a debt; the rule that divides it; the original of a
 * reversal or a return; and the return that the money was taken for.
 */
type Relations = Partial<Record<'deposit' | 'return' | 'reverses' | 'rule', string | undefined>>;

/** The end of the operators' audit log: the number of entries, and the hash that covers them, in hex. */
type Audit = { auditEntries?: number | undefined; auditHash?: string | undefined };

/**
 * `customer`: of the event; entries of the first releases do not have it. `details`: the salted hash of the texts of the resource
 * (commitment.ts).
 */
export type Entry = {
  id: string;
  topic: string;
  created: string;
  resourceId: string;
  customer?: string | undefined;
  details?: string | undefined;
} & Partial<Money> &
  Relations &
  Audit;

/** The last digit of the id of a late event; that of any other event is 0. */
export const LATE_DIGIT = 'f';

/** Whether the event was lost and recreated, so that it comes after later changes. */
export function isLate({ id }: Pick<Entry, 'id'>): boolean {
  return id.endsWith(LATE_DIGIT);
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const AMOUNT = /^\d{1,18}(\.\d{1,4})?$/;
const BALANCE = /^-?\d{1,18}(\.\d{1,4})?$/;
const SEQUENCE = /^[1-9]\d{0,14}$/;

/** The form of each member, in canonical order. A member that is not here is of a later release. */
const FORMS: Record<keyof Entry, RegExp> = {
  amount: AMOUNT,
  auditEntries: SEQUENCE,
  auditHash: /^[0-9a-f]{64}$/,
  created: TIME,
  currency: /^[A-Z]{3}$/,
  customer: ID,
  deposit: ID,
  details: /^[\w-]{32}$/,
  from: ID,
  fromBalance: BALANCE,
  fromSequence: SEQUENCE,
  id: ID,
  resourceId: ID,
  return: ID,
  reverses: ID,
  rule: ID,
  to: ID,
  toBalance: BALANCE,
  toSequence: SEQUENCE,
  topic: /^[a-z_]{1,100}$/,
};
const MEMBERS = Object.keys(FORMS) as (keyof Entry)[];
const REQUIRED = ['id', 'topic', 'created', 'resourceId'] as const satisfies (keyof Entry)[];
const MONEY = [
  ...['amount', 'currency', 'from', 'fromBalance', 'fromSequence', 'to', 'toBalance', 'toSequence'],
] as (keyof Money)[];

/** Writes an entry. All values are ASCII without escapes: ids, times, topics, currencies, hashes and numbers. */
export function encodeEntry(entry: Entry): string {
  const { created, id, resourceId, topic, customer, details, auditEntries, auditHash } = entry;
  const audit = auditHash === undefined ? '' : `"auditEntries":${auditEntries},"auditHash":"${auditHash}",`;
  const head = customer === undefined ? '' : `"customer":"${customer}",`;
  const hash = details === undefined ? '' : `"details":"${details}",`;
  if (entry.amount === undefined)
    return `{${audit}"created":"${created}",${head}${hash}"id":"${id}","resourceId":"${resourceId}","topic":"${topic}"}`;
  // One text for each transfer: a loop over the members takes three times as long.
  const { amount, currency, deposit, reverses, rule, from, fromBalance, fromSequence, to, toBalance, toSequence } = entry;
  const returned = entry.return;
  return (
    `{"amount":"${amount}","created":"${created}","currency":"${currency}",${head}` +
    `${deposit === undefined ? '' : `"deposit":"${deposit}",`}${hash}"from":"${from}","fromBalance":"${fromBalance}",` +
    `"fromSequence":${fromSequence},"id":"${id}","resourceId":"${resourceId}",` +
    `${returned === undefined ? '' : `"return":"${returned}",`}${reverses === undefined ? '' : `"reverses":"${reverses}",`}` +
    `${rule === undefined ? '' : `"rule":"${rule}",`}"to":"${to}","toBalance":"${toBalance}","toSequence":${toSequence},"topic":"${topic}"}`
  );
}

/** Reads an entry. Throws a SyntaxError if it is not JSON. */
export function parseEntry(text: Uint8Array): Entry {
  return JSON.parse(decodeText(text)) as Entry;
}

/** Reads an entry of any origin, or returns what is wrong with it. */
export function readEntry(text: Uint8Array): Entry | { fault: string } {
  let entry: Entry;
  try {
    entry = parseEntry(text);
  } catch {
    return { fault: 'is not JSON' };
  }
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return { fault: 'is not an event' };
  const fault = faultOf(entry);
  return fault === undefined ? entry : { fault };
}

/** The money of an entry, or undefined if its event moved none. */
export function moneyOf(entry: Entry): Money | undefined {
  return entry.amount === undefined ? undefined : (entry as Entry & Money);
}

function faultOf(entry: Entry): string | undefined {
  const missing = REQUIRED.find((name) => entry[name] === undefined);
  if (missing) return `is not an event: it has no ${missing}`;
  for (const name of MEMBERS) {
    const value: unknown = entry[name];
    if (value === undefined) continue;
    const isOfType = typeof value === (FORMS[name] === SEQUENCE ? 'number' : 'string');
    if (!isOfType || !FORMS[name].test(String(value))) return `has a malformed ${name}: ${JSON.stringify(value)}`;
  }
  if (Number.isNaN(Date.parse(entry.created))) return `has a malformed created: "${entry.created}"`;
  const given = MONEY.filter((name) => entry[name] !== undefined);
  if (given.length === 0) return undefined;
  const lacking = MONEY.find((name) => entry[name] === undefined);
  if (lacking) return `has a malformed transfer: it has no ${lacking}`;
  if (entry.from === entry.to) return 'has a malformed transfer: both accounts are the same';
  const decimals = new Set([entry.amount!, entry.fromBalance!, entry.toBalance!].map(decimalsOf));
  return decimals.size > 1 ? 'has a malformed amount: its decimals are not those of the balances' : undefined;
}

/** The number of decimals of an amount. */
export function decimalsOf(amount: string): number {
  return (amount.split('.')[1] ?? '').length;
}
