// The sums of an account's entries, added up while a statement is written.
import type { Entry } from '../../ledger/transfers/entries.ts';

/** `totalIn` and `totalOut` are positive: opening + totalIn − totalOut = closing. In minor units. */
export type Sums = { totalIn: bigint; totalOut: bigint };

export function addUp(sums: Sums, entries: Entry[]): void {
  for (const { amount } of entries) {
    if (amount > 0n) sums.totalIn += amount;
    else sums.totalOut -= amount;
  }
}
