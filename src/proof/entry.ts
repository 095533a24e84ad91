// Entries of a transparency log: an event, and the money that it reports, as canonical JSON (RFC 8785).

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

/** The end of the operators' audit log: the number of entries, and the hash that covers them, in hex. */
type Audit = { auditEntries: number; auditHash: string };

export type Entry = { id: string; topic: string; created: string; resourceId: string } & Partial<Money> & Partial<Audit>;

/** Writes an entry. The members are sorted, and all values are ASCII without escapes: ids, times, topics, currencies and numbers. */
export function encodeEntry(
  { id, topic, created, resourceId, auditEntries, auditHash }: Entry,
  money: Money | undefined,
): string {
  const audit = auditHash === undefined ? '' : `"auditEntries":${auditEntries},"auditHash":"${auditHash}",`;
  if (!money) return `{${audit}"created":"${created}","id":"${id}","resourceId":"${resourceId}","topic":"${topic}"}`;
  const { amount, currency, from, fromBalance, fromSequence, to, toBalance, toSequence } = money;
  return (
    `{"amount":"${amount}","created":"${created}","currency":"${currency}","from":"${from}","fromBalance":"${fromBalance}",` +
    `"fromSequence":${fromSequence},"id":"${id}","resourceId":"${resourceId}","to":"${to}","toBalance":"${toBalance}",` +
    `"toSequence":${toSequence},"topic":"${topic}"}`
  );
}

/** Reads an entry. Throws a SyntaxError if it is not JSON. */
export function parseEntry(text: Buffer): Entry {
  return JSON.parse(text.toString()) as Entry;
}

/** Reads an entry, or returns undefined if it is not JSON. */
export function readEntry(text: Buffer): Entry | undefined {
  try {
    return parseEntry(text);
  } catch {
    return undefined;
  }
}

/** The money of an entry, or undefined if its event moved none. */
export function moneyOf(entry: Entry): Money | undefined {
  return entry.amount === undefined ? undefined : (entry as Entry & Money);
}
