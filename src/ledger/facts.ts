// Facts of the ledger.
import type { Sql } from '../db/sql.ts';
import type { Facts, Owned, Removed } from '../facts.ts';

export const ledger = {
  reset: { tables: ['ledger_account', 'ledger_entry', 'transfer'], run: removeLedger },
} satisfies Facts;

/** Locks the accounts first, in the order that transfers lock them. */
async function removeLedger(tx: Sql, { buckets, customers }: Owned): Promise<Partial<Removed>> {
  await tx`
    select id from ledger_account where bucket = any(${buckets}) and customer_id = any(${customers})
    order by bucket, id
    for update`;
  const accounts = await tx<{ bucket: number; id: string; kind: string }>`
    delete from ledger_account where bucket = any(${buckets}) and customer_id = any(${customers})
    returning bucket, id, kind`;
  await tx`
    delete from ledger_entry e
    using unnest(${accounts.map(({ bucket }) => bucket)}::int[], ${accounts.map(({ id }) => id)}::uuid[]) as a (bucket, id)
    where e.bucket = a.bucket and e.ledger_account_id = a.id`;
  const [row] = await tx<{ transfers: bigint }>`
    with removed as (delete from transfer where bucket = any(${buckets}) and customer_id = any(${customers}) returning 1)
    select count(*) as transfers from removed`;
  return { labels: accounts.filter(({ kind }) => kind === 'label').length, transfers: Number(row!.transfers) };
}
