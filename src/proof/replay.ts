// Replays the money of a log: the balance and the sequence of every ledger account follow from its entries alone.
import { hash } from 'node:crypto';
import { type Entry, type Money, moneyOf } from './entry.ts';

/** One side of a transfer, as a ledger entry of the account shows it. */
export type Leg = { id: string; account: string; sequence: number; amount: string; balance: string; created: string };

/** An account after the replay. `first`: its first sequence in the log; `digest`: of all its legs in order. */
export type Replayed = { first: number; sequence: number; balance: string; digest: string };

export type Replay = {
  /** Returns what contradicts the entries before. */
  add(entry: Entry, index: number): string[];
  accounts: Map<string, Replayed>;
  /** The labels that were created. */
  labels: Set<string>;
  /** The labels that were removed. */
  removed: Set<string>;
};

const LEG_DIGIT = { from: '1', to: '2' };

export function openReplay(): Replay {
  const accounts = new Map<string, Replayed>();
  const labels = new Set<string>();
  const removed = new Set<string>();
  const follow = (leg: Leg, index: number): string[] => {
    const before = accounts.get(leg.account);
    const { sequence, balance } = leg;
    accounts.set(leg.account, { first: before?.first ?? sequence, sequence, balance, digest: digestOf(before?.digest, leg) });
    // A log that begins later than its account shows later sequences first.
    const known = before ?? (leg.sequence === 1 ? { sequence: 0, balance: '0' } : undefined);
    if (!known) return [];
    const faults: string[] = [];
    if (leg.sequence !== known.sequence + 1)
      faults.push(`entry ${index}: sequence ${leg.sequence} of account ${leg.account} follows ${known.sequence}`);
    else if (unitsOf(leg.balance, leg.amount) !== unitsOf(known.balance, leg.amount) + unitsOf(leg.amount, leg.amount))
      faults.push(
        `entry ${index}: balance ${leg.balance} of account ${leg.account} does not follow from ${known.balance} and ${leg.amount}`,
      );
    return faults;
  };
  return {
    add(entry, index) {
      if (entry.topic === 'customer_label_created') labels.add(entry.resourceId);
      if (entry.topic === 'customer_label_removed') removed.add(entry.resourceId);
      return legsOf(entry).flatMap((leg) => follow(leg, index));
    },
    accounts,
    labels,
    removed,
  };
}

/** The two sides of the transfer of an entry; none if it moved no money. */
export function legsOf(entry: Entry): Leg[] {
  const money: Money | undefined = moneyOf(entry);
  if (!money) return [];
  const { created } = entry;
  const idOf = (side: 'from' | 'to') => entry.resourceId.slice(0, -1) + LEG_DIGIT[side];
  const { amount, from, fromBalance, fromSequence, to, toBalance, toSequence } = money;
  return [
    { id: idOf('from'), account: from, sequence: fromSequence, amount: `-${amount}`, balance: fromBalance, created },
    { id: idOf('to'), account: to, sequence: toSequence, amount, balance: toBalance, created },
  ];
}

/** A digest of the legs of an account up to this one. */
export function digestOf(before: string | undefined, { id, sequence, amount, balance, created }: Leg): string {
  return hash('sha256', `${before ?? ''} ${id} ${sequence} ${amount} ${balance} ${created}`, 'base64');
}

/** A decimal string in the minor units of another one. `0` has no decimals. */
function unitsOf(text: string, like: string): bigint {
  const decimals = (like.split('.')[1] ?? '').length;
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
