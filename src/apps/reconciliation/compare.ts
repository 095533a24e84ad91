// Compares a file of a bank with the ledger, for `earmark reconcile` and for the month close of the console.
import { later } from '../../core/clock.ts';
import { UserError } from '../../core/user-error.ts';
import { dayOfZone, firstMoment } from '../../core/zone.ts';
import type { BankAccount } from '../../ledger/bank-files/read.ts';
import { daysLater } from '../../ledger/bank-files/values.ts';
import { readLedgerSide } from '../../ledger/reconciliation/movements.ts';
import { DAYS_MAX, type Previous, type Reconciliation, reconcile } from '../../ledger/reconciliation/reconcile.ts';
import type { Sql } from '../../platform/db/sql.ts';

/** How far apart the days of bank and ledger may be. */
export const DAYS = 5;

/** `zone`: of the bank. `zoneOption`: where it is chosen. `now`: by the clock of the account. */
type Wanted = {
  accounts: BankAccount[];
  zone: string;
  zoneOption: string;
  days: number;
  previous: Previous | undefined;
  now: Date;
};

/**
 * `accounts` cover one period. With `previous` it begins when the one before ended, so that no movement is between two periods. Throws a
 * UserError if `previous` is not of the time before.
 */
export async function compareWithLedger(
  sql: Sql,
  accountId: string,
  { accounts: read, zone, zoneOption, days, previous, now }: Wanted,
): Promise<Reconciliation> {
  const { from: begin, to } = read[0]!;
  if (previous && previous.to >= begin)
    throw new UserError(
      `The reconciliation of the period before reaches to ${previous.to}, and the file begins on ${begin} in ${zone}: see ${zoneOption}.`,
    );
  const from = previous ? daysLater(previous.to, 1) : begin;
  const accounts = read.map((account) => ({ ...account, from }));
  const startOf = (day: string) => firstMoment(Date.parse(`${day}T00:00:00Z`), zone);
  const end = startOf(daysLater(to, 1));
  const balancesAt = [startOf(from), end];
  const currencies = [...new Set(accounts.map(({ currency }) => currency))];
  // What was recorded for a line may be of any day until now. A line may be booked before the period.
  const before = later(end > now ? end : now, 1);
  const earliest = [from, ...accounts.flatMap(({ lines }) => lines.map(({ booked }) => booked))].sort()[0]!;
  const first = [daysLater(earliest, -days), daysLater(from, -DAYS_MAX)].sort()[1]!;
  const range = { currencies, from: startOf(first), before, balancesAt };
  const ledger = await readLedgerSide(sql, accountId, range, dayOfZone(zone));
  return reconcile({ accounts, ledger, previous, days });
}
