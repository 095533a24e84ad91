// Facts of the ledger.
import type { Sql } from '../db/sql.ts';
import type { Facts, Owned, Removed } from '../facts.ts';

export const ledger = {
  reset: { tables: ['ledger_account', 'ledger_entry', 'transfer'], run: removeLedger },
} satisfies Facts;

/** Locks the accounts first, in the order that transfers lock them. A statement locks rows of one bucket, as a cluster requires. */
async function removeLedger(tx: Sql, { buckets, customers }: Owned): Promise<Partial<Removed>> {
  const removed = { labels: 0, transfers: 0 };
  for (const bucket of buckets) {
    await tx`
      select 1 from ledger_account where bucket = ${bucket} and customer_id = any(${customers}) order by id for update`;
    const accounts = await tx<{ id: string; kind: string }>`
      delete from ledger_account where bucket = ${bucket} and customer_id = any(${customers}) returning id, kind`;
    await tx`
      delete from ledger_entry where bucket = ${bucket} and ledger_account_id = any(${accounts.map(({ id }) => id)})`;
    const transfers = await tx`
      delete from transfer where bucket = ${bucket} and customer_id = any(${customers}) returning 1`;
    removed.labels += accounts.filter(({ kind }) => kind === 'label').length;
    removed.transfers += transfers.length;
  }
  return removed;
}
