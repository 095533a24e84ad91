// Facts of the ledger.
import { fragment, type Sql } from '../db/sql.ts';
import type { Facts, Owned, Removed } from '../facts.ts';

export const ledger = {
  reset: { tables: ['ledger_account', 'ledger_entry', 'transfer'], run: removeLedger },
} satisfies Facts;

async function removeLedger(tx: Sql, { buckets, customers }: Owned): Promise<Partial<Removed>> {
  const owned = fragment`a.bucket = any(${buckets}) and a.customer_id = any(${customers})`;
  await tx`
    delete from ledger_entry e using ledger_account a
    where e.bucket = a.bucket and e.ledger_account_id = a.id and ${owned}`;
  const [row] = await tx<{ labels: bigint }>`
    with removed as (delete from ledger_account a where ${owned} returning kind)
    select count(*) filter (where kind = 'label') as labels from removed`;
  const [count] = await tx<{ transfers: bigint }>`
    with removed as (delete from transfer a where ${owned} returning 1)
    select count(*) as transfers from removed`;
  return { labels: Number(row!.labels), transfers: Number(count!.transfers) };
}
