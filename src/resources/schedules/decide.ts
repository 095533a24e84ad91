// Decides what an occurrence does, on the locked accounts of its labels.
import { later } from '../../core/clock.ts';
import type { HeldAccount } from '../holds/held-account.ts';
import type { Occurrence } from './calendar.ts';
import type { Decision } from './occurrence.ts';
import type { Schedule } from './schedule.ts';

/** With `catchUp: none`, an occurrence that is later than this is skipped. */
const LATE_MS = 3_600_000;

type Accounts = { from: HeldAccount | undefined; to: HeldAccount | undefined };

/** `following`: the occurrence after this one. */
export function decide(
  schedule: Schedule,
  { from, to }: Accounts,
  { at, following, now }: { at: Date; following: Occurrence | undefined; now: Date },
): Decision {
  if (!from || !to || from.removed || to.removed) return { status: 'failed', reason: 'LabelRemoved' };
  if (isMissed(schedule, { at, following, now })) return { status: 'skipped', reason: 'Missed' };
  if (from.frozen) return { status: 'failed', reason: 'CustomerNotVerified' };
  const available = from.balance - from.held;
  const wanted = wantedOf(schedule, { available, filled: to.balance });
  if (wanted <= 0n) return { status: 'skipped', reason: 'NothingToMove' };
  if (wanted <= available) return { status: 'ran', amount: wanted };
  if (schedule.ifInsufficient === 'partial' && available > 0n) return { status: 'ran', amount: available };
  return { status: schedule.ifInsufficient === 'fail' ? 'failed' : 'skipped', reason: 'InsufficientFunds' };
}

function isMissed(
  { catchUp }: Schedule,
  { at, following, now }: { at: Date; following: Occurrence | undefined; now: Date },
): boolean {
  if (catchUp === 'last') return following !== undefined && following.at <= now;
  return catchUp === 'none' && later(at, LATE_MS) < now;
}

function wantedOf({ amountKind, amount }: Schedule, { available, filled }: { available: bigint; filled: bigint }): bigint {
  switch (amountKind) {
    case 'all':
      return available;
    case 'above':
      return available - amount!;
    case 'upTo':
      return amount! - filled;
    default:
      return amount!;
  }
}
