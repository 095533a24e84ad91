// The lease of an account: one process at a time checks its documents.
import type { Sql } from '../../../platform/db/sql.ts';

/** Longer than a document takes. Another process continues after it when this one dies. */
export const LEASE_MS = 5 * 60_000;

/** Takes or renews the lease of an account by the database's clock. Returns false while another holder has it. */
export async function takeLease(sql: Sql, { accountId, holder }: { accountId: string; holder: string }): Promise<boolean> {
  const rows = await sql`
    insert into document_check_lease as lease (account_id, holder, until)
    values (${accountId}, ${holder}, now() + ${LEASE_MS} * interval '1 ms')
    on conflict (account_id) do update set holder = excluded.holder, until = excluded.until
    where lease.holder = excluded.holder or lease.until <= now()
    returning account_id`;
  return rows.length > 0;
}

export async function returnLease(sql: Sql, { accountId, holder }: { accountId: string; holder: string }): Promise<void> {
  await sql`delete from document_check_lease where account_id = ${accountId} and holder = ${holder}`;
}
