// Ledger accounts of any kind, for people: one with its balance, and the names of both sides of transfers.
import { bucketOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { AccountKind } from './entries.ts';

/** `version`: the number of entries. Amounts are in minor units. */
export type LedgerAccount = {
  id: string;
  accountId: string;
  customerId: string;
  kind: AccountKind;
  currency: string;
  name: string | null;
  balance: bigint;
  held: bigint;
  version: bigint;
  created: Date;
  removed: Date | null;
};

/** A side of a transfer. */
export type Side = Pick<LedgerAccount, 'id' | 'kind' | 'name'>;

/** The ledger account with this id, removed or not, or undefined. */
export async function findLedgerAccount(sql: Sql, id: string): Promise<LedgerAccount | undefined> {
  const [account] = await sql<LedgerAccount>`
    select id, account_id, customer_id, kind, currency, name, balance, held, version, created, removed
    from ledger_account where bucket = ${bucketOf(id)} and id = ${id}`;
  return account;
}

/** The unlabelled money of a customer: the available, the external and the owed account of each currency. */
export async function listFunding(sql: Sql, customerId: string): Promise<LedgerAccount[]> {
  return sql<LedgerAccount>`
    select id, account_id, customer_id, kind, currency, name, balance, held, version, created, removed
    from ledger_account where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and kind <> 'label'
    order by currency, kind`;
}

/** The ledger accounts with these ids, of any customers. */
export async function findSides(sql: Sql, ids: Iterable<string>): Promise<Map<string, Side>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = await sql<Side>`
    select id, kind, name from ledger_account where bucket = any(${wanted.map(bucketOf)}) and id = any(${wanted})`;
  return new Map(rows.map((row) => [row.id, row]));
}
