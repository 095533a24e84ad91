// The model that a service is compared with: the resources of its accounts as lists and numbers in memory.
import type { Client } from '../support/platform.ts';

export type Account = {
  client: Client;
  customers: Customer[];
  subscriptions: Subscription[];
  /** Every expected event in order, without crossings, which follow the feed later. */
  events: ExpectedEvent[];
  /** How far its clock is ahead. */
  aheadMs: number;
};

/** An event; `resource` is its URL where it is known. */
export type ExpectedEvent = { topic: string; resource: string | undefined };

export type Customer = {
  url: string;
  type: 'personal' | 'business' | 'unverified';
  status: string;
  statusBefore: string | undefined;
  /** Members of the representation. */
  members: Record<string, string>;
  /** Unlabelled minor units by currency; a currency without a deposit is missing. */
  available: Map<string, number>;
  /** What it owes by currency, in minor units. */
  owed: Map<string, number>;
  /** Including removed ones. */
  labels: Label[];
  /** Its active allocation rules by currency. */
  rules: Map<string, Rule>;
  /** Its reallocations, oldest first. */
  moves: Move[];
  deposits: Movement[];
  withdrawals: Movement[];
  returns: Return[];
  holds: Hold[];
  schedules: Schedule[];
  /** Every expected crossing in the order of its entries, by the URL of the monitor. */
  crossings: string[];
  owners: Owner[];
  ownership: 'uncertified' | 'certified' | 'recertify';
  documents: Document[];
};

export type Label = {
  url: string;
  name: string | undefined;
  currency: string;
  removed: boolean;
  /** Oldest first. The last entry has the balance. */
  entries: Entry[];
  metadata: Pairs | undefined;
  /** How many names it had before. */
  renames: number;
  monitors: Monitor[];
  /** Those of its customer. */
  crossings: string[];
};

export type Pairs = Record<string, string>;

/** The texts by which lists filter. */
export type Texts = { externalId?: string; metadata?: Pairs };

/** Amounts are in minor units. `rearm`: the balance after which it reports again. `last`: the balance of its last crossing. */
export type Monitor = {
  url: string;
  direction: 'below' | 'above';
  threshold: number;
  rearm: number;
  armed: boolean;
  deleted: boolean;
  last: number | undefined;
};

/** `label`: undefined for the available balance. `expires`: by the clock of the account, in milliseconds. */
export type Hold = {
  url: string;
  label: Label | undefined;
  currency: string;
  amount: number;
  captured: number;
  status: 'pending' | 'captured' | 'released' | 'expired';
  expires: number;
};

/**
 * A deposit, or a withdrawal. `from`: the label of a withdrawal. `allocated`: the labels that a deposit filled, in the order of steps.
 * `returned`: the sum of its returns.
 */
export type Movement = {
  url: string;
  amount: number;
  currency: string;
  from: Label | undefined;
  allocated: Label[];
  returned: number;
  reference?: string;
} & Texts;

/** The return of a deposit or of a withdrawal. */
export type Return = { url: string; of: 'deposit' | 'withdrawal'; amount: number; currency: string } & Texts;

/** `amount`: undefined if it moves all. `next`: the moment of its next occurrence, while it is active. */
export type Schedule = {
  url: string;
  id: string;
  from: Label;
  to: Label;
  kind: 'value' | 'all' | 'above' | 'upTo';
  amount: number;
  ifInsufficient: 'skip' | 'partial' | 'fail';
  /** Whether it has one occurrence, or one each day. */
  once: boolean;
  status: 'active' | 'paused' | 'ended';
  next: number;
  endReason: string | undefined;
};

/** One side of a transfer, in minor units; `url` where it is known. */
export type Entry = { amount: number; balance: number; reference: string | undefined; url: string | undefined };

/** `reversed`: the sum of its reversals; undefined for a reversal. */
export type Move = {
  url: string;
  from: Label;
  to: Label;
  amount: number;
  currency: string;
  reference: string;
  reversed: number | undefined;
} & Texts;

/** `hundredths`: of a percent. Amounts are in minor units. */
export type RuleStep = { label: Label; hundredths?: number; amount?: number; until?: number };
export type Rule = { url: string; steps: RuleStep[] };

export type Owner = { url: string; firstName: string; status: string; documents: Document[] };

export type Document = {
  url: string;
  type: string;
  status: 'pending' | 'accepted' | 'rejected';
  reasons: string[];
  reviews: string[];
};

export type Subscription = { url: string; target: string; topics: string[] | undefined; paused: boolean };

export const CURRENCIES = { USD: 2, JPY: 0, BHD: 3 } as const;
export type Currency = keyof typeof CURRENCIES;

/** The labels that are not removed. */
export const live = ({ labels }: Customer) => labels.filter(({ removed }) => !removed);

export function balanceOf(label: Label): number {
  return label.entries.at(-1)?.balance ?? 0;
}

/** What pending holds keep of a label, or of the available balance in a currency. */
export function heldOf({ holds }: Customer, source: Label | string): number {
  return holds
    .filter(({ status, label, currency }) => status === 'pending' && source === (label ?? currency))
    .reduce((sum, { amount, captured }) => sum + amount - captured, 0);
}

/** What can be spent of a label, or of the available balance in a currency. */
export function spendable(customer: Customer, source: Label | string): number {
  const balance = typeof source === 'string' ? (customer.available.get(source) ?? 0) : balanceOf(source);
  return balance - heldOf(customer, source);
}

/** Adds an entry, and evaluates the monitors of the label. */
export function enter(label: Label, amount: number, reference: string | undefined, url?: string): void {
  const balance = balanceOf(label) + amount;
  label.entries.push({ amount, balance, reference, url });
  observe(label, balance);
}

/** Evaluates the monitors of a label after an entry. */
export function observe(label: Label, balance: number): void {
  for (const monitor of label.monitors) {
    const { direction, threshold, rearm, armed } = monitor;
    if (armed && isBeyond({ direction, threshold }, balance)) {
      monitor.armed = false;
      monitor.last = balance;
      if (!monitor.deleted) label.crossings.push(monitor.url);
    } else if (direction === 'below' ? balance >= rearm : balance <= rearm) monitor.armed = true;
  }
}

export function isBeyond({ direction, threshold }: Pick<Monitor, 'direction' | 'threshold'>, balance: number): boolean {
  return direction === 'below' ? balance < threshold : balance > threshold;
}

export function isClosed({ status }: Customer): boolean {
  return status === 'suspended' || status === 'deactivated';
}

/** An amount as the interface writes it. */
export function amountOf(minorUnits: number, currency: string) {
  const digits = CURRENCIES[currency as Currency];
  return { value: (minorUnits / 10 ** digits).toFixed(digits), currency };
}

export function minorUnitsOf({ value, currency }: { value: string; currency: string }): number {
  return Math.round(Number(value) * 10 ** CURRENCIES[currency as Currency]);
}

/** The refusal of an amount for lack of funds. */
export function insufficient(customer: Customer, source: Label | string) {
  const currency = typeof source === 'string' ? source : source.currency;
  const funds = { available: spendable(customer, source), held: heldOf(customer, source), owed: owedOf(customer, currency) };
  return { status: 400, code: 'ValidationError', fault: 'InsufficientFunds', message: lackOf(funds, currency) };
}

/** The message of a refusal for lack of funds. */
export function lackOf({ available, held, owed }: { available: number; held: number; owed: number }, currency: string): string {
  const text = (minorUnits: number, what: string) => `${amountOf(minorUnits, currency).value} ${currency} ${what}`;
  const parts = [
    text(available, 'available'),
    ...(held > 0 ? [text(held, 'held')] : []),
    ...(owed > 0 ? [text(owed, 'owed')] : []),
  ];
  return `Insufficient funds: ${parts.join(', ')}.`;
}

export const owedOf = ({ owed }: Customer, currency: string) => owed.get(currency) ?? 0;

/** Changes the available balance. */
export function addAvailable({ available }: Customer, currency: string, amount: number): void {
  available.set(currency, (available.get(currency) ?? 0) + amount);
}

/** The refusal of an external id that an earlier one of its kind has. */
export function takenIn(earlier: Texts[], { externalId }: Texts) {
  const isTaken = externalId !== undefined && earlier.some((one) => one.externalId === externalId);
  return isTaken ? { status: 409, code: 'Conflict', message: 'The externalId is already in use.' } : undefined;
}

export const NOT_VERIFIED = { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' };
export const CLOSED = { status: 403, code: 'InvalidResourceState', message: 'Customer is suspended or deactivated.' };
export const MISSING = { status: 404, code: 'NotFound' };
export const FORBIDDEN = { status: 403, code: 'Forbidden' };
export const LABEL_GONE = { ...MISSING, message: 'Label not found' };
export const TOO_MANY = { status: 400, code: 'MaxNumberOfResources' };
