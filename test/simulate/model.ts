// The model that a service is compared with: the resources of its accounts as lists and numbers in memory.
import type { Client } from '../support/platform.ts';

export type Account = {
  client: Client;
  customers: Customer[];
  subscriptions: Subscription[];
  /** Every expected event, in order. */
  events: ExpectedEvent[];
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
  /** Including removed ones. */
  labels: Label[];
  /** Its active allocation rules by currency. */
  rules: Map<string, Rule>;
  /** Its reallocations, oldest first. */
  moves: Move[];
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
};

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

export function balanceOf(label: Label): number {
  return label.entries.at(-1)?.balance ?? 0;
}

export function enter(label: Label, amount: number, reference: string | undefined, url?: string): void {
  label.entries.push({ amount, balance: balanceOf(label) + amount, reference, url });
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
export function insufficient(available: number, currency: string) {
  const { value } = amountOf(available, currency);
  return {
    status: 400,
    code: 'ValidationError',
    fault: 'InsufficientFunds',
    message: `Insufficient funds: ${value} ${currency} available.`,
  };
}

export const NOT_VERIFIED = { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' };
export const CLOSED = { status: 403, code: 'InvalidResourceState', message: 'Customer is suspended or deactivated.' };
export const MISSING = { status: 404, code: 'NotFound' };
export const FORBIDDEN = { status: 403, code: 'Forbidden' };
