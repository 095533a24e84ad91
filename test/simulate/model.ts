// The plain model that a service is held against: what its accounts have, as lists and numbers in memory.
import type { Client } from '../support/service.ts';

export type Account = {
  client: Client;
  customers: Customer[];
  subscriptions: Subscription[];
  /** Every event there should be, in order. */
  events: Told[];
};

/** An event; `resource` is its URL where it is known. */
export type Told = { topic: string; resource: string | undefined };

export type Customer = {
  url: string;
  type: 'personal' | 'business' | 'unverified';
  status: string;
  statusBefore: string | undefined;
  /** The members that are answered. */
  shown: Record<string, string>;
  /** Minor units without a label, by currency; a currency of which no money ever came in has none. */
  available: Map<string, number>;
  /** Removed ones, too. */
  labels: Label[];
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
  /** Oldest first. The balance is that of the last. */
  entries: Entry[];
};

/** One side of a transfer, in minor units; `url` where it is known. */
export type Entry = { amount: number; balance: number; reference: string | undefined; url: string | undefined };

export type Move = { url: string; from: Label; to: Label; amount: number; currency: string; reference: string };

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

/** As the interface writes an amount. */
export function amountOf(minorUnits: number, currency: string) {
  const digits = CURRENCIES[currency as Currency];
  return { value: (minorUnits / 10 ** digits).toFixed(digits), currency };
}

export function minorUnitsOf({ value, currency }: { value: string; currency: string }): number {
  return Math.round(Number(value) * 10 ** CURRENCIES[currency as Currency]);
}

/** What refuses an amount for lack of funds. */
export function insufficient(held: number, currency: string) {
  const { value } = amountOf(held, currency);
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
