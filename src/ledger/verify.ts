// Proves the books: each rule of the ledger as a query that returns what breaks it.
import type { Sql } from '../db/sql.ts';

export type Rule = { name: string; about: string };
export type Violation = { rule: string; bucket: number; id: string; detail: string };
type Row = { bucket: number; id: string; detail: string };

const MOST = 100;

type Check = Rule & { find(sql: Sql): Promise<Row[]> };

/** The rules, in the order in which a fault in one explains faults in the next. */
export const checks: Check[] = [
  {
    name: 'conservation',
    about: 'The balances of a customer in one currency add up to zero.',
    find: (sql) => sql<Row>`
      select bucket, customer_id as id, currency || ' adds up to ' || sum(balance) as detail
      from ledger_account group by bucket, customer_id, currency having sum(balance) <> 0 limit ${MOST}`,
  },
  {
    name: 'no negative balance',
    about: 'Only the world outside is below zero.',
    find: (sql) => sql<Row>`
      select bucket, id, kind || ' holds ' || balance as detail from ledger_account where balance < 0 and kind <> 'external' limit ${MOST}`,
  },
  {
    name: 'entries explain balances',
    about: "An account's balance is the sum of its entries, and its version their number.",
    find: (sql) => sql<Row>`
      select a.bucket, a.id, 'balance ' || a.balance || ', version ' || a.version || ', entries ' || coalesce(e.total, 0) || ' in ' || coalesce(e.entries, 0) as detail
      from ledger_account a
      left join (select bucket, ledger_account_id, sum(amount) as total, count(*) as entries from ledger_entry group by bucket, ledger_account_id) e
        on e.bucket = a.bucket and e.ledger_account_id = a.id
      where a.balance <> coalesce(e.total, 0) or a.version <> coalesce(e.entries, 0) limit ${MOST}`,
  },
  {
    name: 'sequences without gaps',
    about: 'Entries are numbered 1, 2, 3 …, and each balance is the one before it plus the amount.',
    find: (sql) => sql<Row>`
      select bucket, ledger_account_id as id, 'entry ' || sequence || ' follows ' || before || ' with balance ' || balance as detail
      from (
        select bucket, ledger_account_id, sequence, amount, balance,
          coalesce(lag(sequence) over account, 0) as before, coalesce(lag(balance) over account, 0) as held
        from ledger_entry window account as (partition by bucket, ledger_account_id order by sequence)
      ) entry
      where sequence <> before + 1 or balance <> held + amount limit ${MOST}`,
  },
  {
    name: 'two legs',
    about: 'Every transfer has one entry on each of its accounts, of opposite amounts, and there are no other entries.',
    find: (sql) => sql<Row>`
      select t.bucket, t.id, 'legs: ' || coalesce(f.amount::text, 'none') || ' and ' || coalesce(g.amount::text, 'none') as detail
      from transfer t
      left join ledger_entry f on f.bucket = t.bucket and f.ledger_account_id = t.from_id and f.sequence = t.from_sequence and f.transfer_id = t.id
      left join ledger_entry g on g.bucket = t.bucket and g.ledger_account_id = t.to_id and g.sequence = t.to_sequence and g.transfer_id = t.id
      where f.amount is distinct from -t.amount or g.amount is distinct from t.amount limit ${MOST}`,
  },
  {
    name: 'no stray entries',
    about: 'There are twice as many entries as transfers.',
    find: (sql) => sql<Row>`
      select 0 as bucket, '' as id, entries || ' entries for ' || transfers || ' transfers' as detail
      from (select (select count(*) from ledger_entry) as entries, (select count(*) from transfer) as transfers) counted
      where entries <> 2 * transfers`,
  },
  {
    name: 'one customer',
    about: 'Both accounts of a transfer exist and belong to its customer and currency.',
    find: (sql) => sql<Row>`
      select t.bucket, t.id, 'accounts of ' || coalesce(f.customer_id::text, 'nobody') || ' and ' || coalesce(g.customer_id::text, 'nobody') as detail
      from transfer t
      left join ledger_account f on f.bucket = t.bucket and f.id = t.from_id and f.currency = t.currency
      left join ledger_account g on g.bucket = t.bucket and g.id = t.to_id and g.currency = t.currency
      where f.customer_id is distinct from t.customer_id or g.customer_id is distinct from t.customer_id limit ${MOST}`,
  },
  {
    name: 'counted reallocations',
    about: 'Each label counts the reallocations it sent.',
    find: (sql) => sql<Row>`
      select a.bucket, a.id, 'counts ' || a.reallocations_out || ' of ' || coalesce(t.sent, 0) as detail
      from ledger_account a
      left join (select bucket, from_id, count(*) as sent from transfer where kind = 'reallocation' group by bucket, from_id) t
        on t.bucket = a.bucket and t.from_id = a.id
      where a.reallocations_out <> coalesce(t.sent, 0) limit ${MOST}`,
  },
  {
    name: 'idempotency keys',
    about: 'Every key that names a transfer has it.',
    find: (sql) => sql<Row>`
      select k.bucket, k.resource_id as id, 'key of a ' || k.resource_type || ' that does not exist' as detail
      from idempotency_key k
      where k.resource_type in ('label-reallocation', 'deposit', 'withdrawal')
        and not exists (select from transfer t where t.bucket = k.bucket and t.id = k.resource_id) limit ${MOST}`,
  },
];

/** Runs every check and returns what breaks a rule, at most 100 rows for each. Give it a transaction that sees one snapshot. */
export async function verifyLedger(tx: Sql): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const check of checks) {
    const rows = await check.find(tx);
    violations.push(...rows.map((row) => ({ rule: check.name, ...row })));
  }
  return violations;
}
