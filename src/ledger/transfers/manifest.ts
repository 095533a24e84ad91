// The manifest of the ledger.
import type { Sql } from '../../platform/db/sql.ts';
import type { Manifest, Owned, Removed } from '../../platform/manifest.ts';

export const ledger = {
  reset: { tables: ['ledger_account', 'transfer', 'transfer_metadata', 'transfer_evidence'], run: removeLedger },
} satisfies Manifest;

async function removeLedger(tx: Sql, { buckets, customers }: Owned): Promise<Partial<Removed>> {
  const [row] = await tx<{ labels: bigint }>`
    with removed as (
      delete from ledger_account
      where bucket = any(${buckets}) and customer_id = any(${customers}) and created > '-infinity' returning kind
    )
    select count(*) filter (where kind = 'label') as labels from removed`;
  const [count] = await tx<{ transfers: bigint }>`
    with removed as (
      delete from transfer
      where bucket = any(${buckets}) and customer_id = any(${customers}) and from_sequence > 0 returning 1
    )
    select count(*) as transfers from removed`;
  await tx`
    delete from transfer_metadata where bucket = any(${buckets}) and customer_id = any(${customers})`;
  await tx`
    delete from transfer_evidence
    where bucket = any(${buckets}) and customer_id = any(${customers}) and evidence is not null`;
  return { labels: Number(row!.labels), transfers: Number(count!.transfers) };
}
