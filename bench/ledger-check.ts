// Ledger checks of a benchmark: money is conserved, no balance is negative, and the acknowledged reallocations are stored.
import type { Progress } from '../src/apps/cli/progress.ts';
import { verifyInSlices } from '../src/apps/service/ledger-check.ts';
import type { Database } from '../src/platform/db/sql.ts';

type Count = { stored: bigint; negative: bigint; unbalanced: bigint };

/** Throws when balances or the number of transfers are wrong. Cheap enough to run after each row. */
export async function checkTotals({ sql }: Database, acknowledged: number, what: string): Promise<void> {
  const [row] = await sql<Count>`
    select (select count(*) from transfer where kind = 'reallocation') as stored,
      (select count(*) from ledger_account where balance < 0 and kind <> 'external') as negative,
      (select count(*) from (
        select from ledger_account group by bucket, customer_id, currency having sum(balance) <> 0
      ) wrong) as unbalanced`;
  const { stored, negative, unbalanced } = row!;
  if (Number(stored) === acknowledged && negative === 0n && unbalanced === 0n) return;
  throw new Error(
    `${what}: stored ${stored}, acknowledged ${acknowledged}; ${negative} balances below zero; ${unbalanced} customers with a nonzero sum.`,
  );
}

/** Runs every rule of `earmark verify`, and compares the number of stored reallocations with the acknowledged ones. */
export async function checkLedger(
  database: Database,
  acknowledged: number,
  progress: Progress,
): Promise<{ passed: boolean; text: string }> {
  const violations = await verifyInSlices(database, { onSlice: ({ share }) => progress.show(share, 'checks the ledger') });
  progress.end();
  const [row] = await database.sql<{ stored: bigint }>`select count(*) as stored from transfer where kind = 'reallocation'`;
  const stored = Number(row!.stored);
  const rules = violations.length === 0 ? 'every rule of `earmark verify` passed' : `BROKEN: ${JSON.stringify(violations[0])}`;
  const counts = `stored ${stored.toLocaleString('en')}, acknowledged ${acknowledged.toLocaleString('en')}`;
  return { passed: violations.length === 0 && stored === acknowledged, text: `Ledger check: ${rules}; ${counts}.` };
}
