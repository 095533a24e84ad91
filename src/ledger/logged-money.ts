// The money of a log entry: which transfer an event reports, and how its amounts are written.
import type { TopicFacts } from '../facts.ts';
import { formatMinorUnits } from '../money/money.ts';
import type { Money } from '../proof/entry.ts';
import { topics } from '../resources.ts';
import type { MovedMoney } from './transfer.ts';

/** The topics of events that report money. */
const moving = new Set(Object.entries<TopicFacts>(topics).flatMap(([topic, { transfers }]) => (transfers ? topic : [])));

/** The id of the transfer whose money an event reports, or undefined. An entry's id is that of its transfer with another last digit. */
export function transferOf({ topic, resourceId }: { topic: string; resourceId: string }): string | undefined {
  return moving.has(topic) ? `${resourceId.slice(0, -1)}0` : undefined;
}

export function formatMoney(moved: MovedMoney): Money {
  const { currency } = moved;
  const format = (minorUnits: string) => formatMinorUnits(minorUnits, currency);
  return {
    amount: format(moved.amount),
    currency,
    from: moved.fromId,
    fromBalance: format(moved.fromBalance),
    fromSequence: moved.fromSequence,
    to: moved.toId,
    toBalance: format(moved.toBalance),
    toSequence: moved.toSequence,
  };
}
