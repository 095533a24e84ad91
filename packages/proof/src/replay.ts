// Replays a log: the balance and the sequence of every ledger account follow from its entries alone, and so does who owns what.
import { decimalsOf, type Entry, isLate, type Money, moneyOf } from './entry.ts';
import { faultOfKinds, type Kind, kindsOf, transferKindOf } from './kinds.ts';
import { type Gaps, openGaps } from './late-entries.ts';

/** A ledger account after the replay, with its balance in minor units. `first`: its first sequence in the log. */
type Account = {
  customer: string | undefined;
  currency: string;
  kind: Kind;
  first: number;
  sequence: number;
  balance: bigint;
  decimals: number;
  latest: string;
};

/** A label after the replay, with the times of its events. */
type LoggedLabel = { created: string; removed?: string };

/** `isWhole`: its creation is in the log. `labels`: those that were created. `transfers`: their number. */
export type LoggedCustomer = {
  isWhole: boolean;
  isErased: boolean;
  transfers: number;
  labels: Map<string, LoggedLabel>;
  accounts: Set<string>;
};

/** The newest entry about a customer or a label. */
type Newest = { index: number; event: string; details: string | undefined };

export type Replay = {
  /** Returns what contradicts the entries before. */
  add(entry: Entry, index: number): string[];
  /** Returns what is missing at the end of the log. */
  end(): string[];
  accounts: Map<string, Account>;
  customers: Map<string, LoggedCustomer>;
  newest: Map<string, Newest>;
  /** The time of the newest entry. */
  time(): string;
  /** How many entries do not carry their customer, because an earlier release wrote them. */
  old(): number;
  /** How many entries are of late events. */
  late(): number;
};

/** The topics of events about labels. */
export const LABEL_TOPICS = ['customer_label_created', 'customer_label_updated', 'customer_label_removed'];

/** One side of a transfer. */
type Leg = { account: string; kind: Kind; sequence: number; amount: bigint; balance: bigint };

export function openReplay(): Replay {
  const accounts: Replay['accounts'] = new Map();
  const customers: Replay['customers'] = new Map();
  const newest: Replay['newest'] = new Map();
  const removals = new Map<string, string>();
  const gaps = openGaps();
  let time = '';
  let old = 0;
  let late = 0;
  return {
    add(entry, index) {
      if (entry.created > time) time = entry.created;
      const money = moneyOf(entry);
      if (entry.customer === undefined && entry.topic.startsWith('customer_')) old += 1;
      else if (entry.customer !== undefined) noteOwner(entry, index, { customers, newest, removals });
      if (isLate(entry)) late += 1;
      return money ? follow({ accounts, gaps }, { entry, money, index }) : [];
    },
    end: gaps.end,
    accounts,
    customers,
    newest,
    time: () => time,
    old: () => old,
    late: () => late,
  };
}

/** The two sides of the transfer of an entry. */
export function legsOf(entry: Entry, money: Money): [from: Leg, to: Leg] {
  const kinds = kindsOf(entry);
  const amount = unitsOf(money.amount);
  return [
    {
      ...{ account: money.from, kind: kinds?.from ?? 'label', sequence: money.fromSequence },
      ...{ amount: -amount, balance: unitsOf(money.fromBalance) },
    },
    {
      ...{ account: money.to, kind: kinds?.to ?? 'label', sequence: money.toSequence },
      ...{ amount, balance: unitsOf(money.toBalance) },
    },
  ];
}

/** A decimal string in minor units. All amounts of a currency have its decimals. */
function unitsOf(text: string): bigint {
  return BigInt(text.replace('.', ''));
}

/** An amount that a service shows, in minor units; undefined if it is malformed. */
export function shownUnits(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? unitsOf(text) : undefined;
}

/** Minor units as a decimal string. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = `${units < 0n ? -units : units}`.padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return units < 0n ? `-${text}` : text;
}

/** `removals`: the times at which labels were removed. A late event may report their creation later. */
type Owners = Pick<Replay, 'customers' | 'newest'> & { removals: Map<string, string> };

function noteOwner(entry: Entry, index: number, { customers, newest, removals }: Owners): void {
  const { customer, topic, resourceId, created, id, details } = entry;
  const known = customers.get(customer!) ?? {
    ...{ isWhole: false, isErased: false, transfers: 0 },
    ...{ labels: new Map<string, LoggedLabel>(), accounts: new Set<string>() },
  };
  customers.set(customer!, known);
  if (topic === 'customer_created') known.isWhole = true;
  if (topic === 'customer_erased') known.isErased = true;
  if (topic === 'customer_label_removed') removals.set(resourceId, created);
  if (topic === 'customer_label_created') known.labels.set(resourceId, { created });
  const label = known.labels.get(resourceId);
  const removed = removals.get(resourceId);
  if (label && removed !== undefined) label.removed = removed;
  if (resourceId === customer || LABEL_TOPICS.includes(topic)) newest.set(resourceId, { index, event: id, details });
  if (entry.amount === undefined) return;
  known.transfers += 1;
  known.accounts.add(entry.from!).add(entry.to!);
}

/** Follows both accounts of a transfer. Returns what contradicts the entries before. */
function follow(
  { accounts, gaps }: { accounts: Replay['accounts']; gaps: Gaps },
  { entry, money, index }: { entry: Entry; money: Money; index: number },
): string[] {
  const fault = faultOfKinds(entry);
  if (fault !== undefined) return [`malformed entry ${index}: ${fault}`];
  const { currency, amount } = money;
  const decimals = decimalsOf(amount);
  const faults: string[] = [];
  for (const leg of legsOf(entry, money)) {
    const before = accounts.get(leg.account);
    const kind = isLabel(entry, leg, accounts) ? 'label' : leg.kind;
    const now: Account = {
      ...{ customer: entry.customer ?? before?.customer, currency, kind, decimals, latest: entry.created },
      ...{ first: before?.first ?? leg.sequence, sequence: leg.sequence, balance: leg.balance },
    };
    if (before && isLate(entry) && leg.sequence < before.sequence) {
      const breach = faultOfOwner(before, now, leg) ?? gaps.fill(leg, (units) => formatUnits(units, decimals));
      if (breach !== undefined) faults.push(`entry ${index}: ${breach}`);
      before.first = Math.min(before.first, leg.sequence);
      continue;
    }
    accounts.set(leg.account, now);
    const missing = { first: (before?.sequence ?? 0) + 1, last: leg.sequence - 1, after: leg.balance - leg.amount, index };
    // A log that begins later than its account may lack the first ones for ever.
    if (missing.first <= missing.last) gaps.open(leg.account, { ...missing, before: before?.balance ?? 0n, isOptional: !before });
    const breach = before ? faultOfStep(before, now, leg) : faultOfStart(now, leg);
    if (breach !== undefined) faults.push(`entry ${index}: ${breach}`);
    if (leg.kind === 'owed' && leg.balance > 0n)
      faults.push(`entry ${index}: owed account ${leg.account} has a positive balance`);
    if (leg.kind !== 'external' && leg.kind !== 'owed' && leg.balance < 0n)
      faults.push(`entry ${index}: account ${leg.account} has a negative balance`);
  }
  return faults;
}

/** Whether a leg is that of a label which a withdrawal takes money from, or comes back to. */
function isLabel(entry: Entry, { account }: Leg, accounts: Replay['accounts']): boolean {
  const kind = transferKindOf(entry);
  const side = kind === 'withdrawal' ? entry.from : kind === 'withdrawal-return' ? entry.to : undefined;
  return side === account && accounts.get(account)?.kind === 'label';
}

function faultOfStart(now: Account, { account, sequence, amount }: Leg): string | undefined {
  if (sequence > 1 || now.balance === amount) return undefined;
  return balanceFault(account, { now, before: 0n, amount });
}

function faultOfStep(before: Account, now: Account, leg: Leg): string | undefined {
  const { account, sequence, amount } = leg;
  const fault = faultOfOwner(before, now, leg);
  if (fault !== undefined) return fault;
  if (sequence <= before.sequence) return `sequence ${sequence} of account ${account} follows ${before.sequence}`;
  if (sequence === before.sequence + 1 && now.balance !== before.balance + amount)
    return balanceFault(account, { now, before: before.balance, amount });
  if (now.latest < before.latest) return `account ${account} has an entry of ${now.latest} after one of ${before.latest}`;
  return undefined;
}

function faultOfOwner(before: Account, now: Account, { account }: Leg): string | undefined {
  if (before.currency !== now.currency) return `account ${account} is in ${now.currency}, and was in ${before.currency}`;
  if (before.kind !== now.kind) return `account ${account} is ${now.kind}, and was ${before.kind}`;
  if (before.customer !== undefined && before.customer !== now.customer)
    return `account ${account} is of customer ${now.customer}, and was of ${before.customer}`;
  return undefined;
}

function balanceFault(account: string, { now, before, amount }: { now: Account; before: bigint; amount: bigint }): string {
  const text = (units: bigint) => formatUnits(units, now.decimals);
  return `balance ${text(now.balance)} of account ${account} does not follow from ${text(before)} and ${text(amount)}`;
}
