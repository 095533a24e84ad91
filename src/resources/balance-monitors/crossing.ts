// What an entry of a label does to a monitor.
import type { Monitor } from './monitor.ts';

/** An entry of a label: its number, the amount after it in minor units, its id and its time. */
export type Entry = { labelId: string; sequence: bigint; balance: bigint; id: string; created: Date };

export function isBeyond({ direction, threshold }: Pick<Monitor, 'direction' | 'threshold'>, balance: bigint): boolean {
  return direction === 'below' ? balance < threshold : balance > threshold;
}

/** The monitor after an entry of its label. An entry that was evaluated before changes nothing. */
export function afterEntry(monitor: Monitor, entry: Entry): Monitor {
  const { direction, rearm, armed } = monitor;
  const { balance, sequence, created, id } = entry;
  if (sequence <= monitor.sequence) return monitor;
  if (armed && isBeyond(monitor, balance))
    return { ...monitor, sequence, armed: false, crossed: created, crossedBalance: balance, crossedEntry: id };
  const isBack = direction === 'below' ? balance >= rearm : balance <= rearm;
  return { ...monitor, sequence, armed: armed || isBack };
}
