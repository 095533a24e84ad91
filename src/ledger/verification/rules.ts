// The rules of the ledger: each is a query that returns its violations within a range of buckets.
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { findAuditBreaches } from '../audit/audit-chain.ts';
import { BREACHES_MAX, type Breach } from '../breach.ts';
import { findBatchBreaches } from './batch-rule.ts';
import type { Declared } from './declared.ts';
import { findEventBreaches, findMissingOfCreations, findMissingOfTransfers } from './event-rules.ts';
import { findEvidenceBreaches } from './evidence-rule.ts';
import { findCaptureBreaches, findHoldBreaches } from './hold-rule.ts';
import { findLogBreaches } from './log-rule.ts';
import { type Division, endsIn, entrySums, isNew, type Part, within } from './parts.ts';
import { findOwedBreaches, findTakenBreaches } from './return-rule.ts';
import { findScheduleBreaches } from './schedule-rule.ts';

/** A query of a rule. `by`: how its rows are divided into parts; without it, a range is one part. */
type Query = { by?: Division; find(sql: Sql, part: Part, declared: Declared): Promise<Breach[]> };
export type Rule = { name: string; about: string; queries: Query[] };
type OneQuery = Query & { name: string; about: string };

/** Of an account. */
export const HAS_FORBIDDEN_BALANCE = fragment`
  case when kind = 'external' then false when kind = 'owed' then balance > 0 else kind not in ('label', 'available') or balance < 0 end`;

/**
 * Of a transfer. Constraints of the table would say the same. PostgreSQL prepares them for each statement, which is 5 % of a
 * reallocation.
 */
export const HAS_REFERENCES_OF_KIND = fragment`
  case
    when kind = 'reallocation' then num_nonnulls(deposit_id, return_id, reason) = 0
    when kind in ('label', 'deposit', 'withdrawal') then num_nonnulls(reverses, deposit_id, return_id, reason) = 0
    when kind in ('allocation', 'repayment') then deposit_id is not null and num_nonnulls(reverses, return_id, reason) = 0
    when kind in ('recovery', 'debt') then return_id is not null and num_nonnulls(reverses, deposit_id, reason) = 0
    when kind in ('deposit-return', 'withdrawal-return')
      then num_nulls(reverses, reason) = 0 and num_nonnulls(deposit_id, return_id) = 0
    else false end`;

/** Ordered so that a violation of one rule explains violations of the next. Each rule concerns one customer, and so one bucket. */
const written: (OneQuery | Rule)[] = [
  {
    name: 'conservation',
    about: 'The balances of a customer in one currency add up to zero.',
    find: (sql, { first, last }) => sql<Breach>`
      select bucket, customer_id as id, currency || ' adds up to ' || sum(balance) as detail
      from ledger_account
      where bucket between ${first} and ${last} and created > '-infinity'
      group by bucket, customer_id, currency having sum(balance) <> 0 limit ${BREACHES_MAX}`,
  },
  {
    name: 'no negative balance',
    about:
      'Only external and owed accounts have negative balances, and owed ones no others. There are no other kinds than labels, available, external and owed.',
    find: (sql, { first, last }) => sql<Breach>`
      select bucket, id, kind || ' has balance ' || balance as detail
      from ledger_account
      where bucket between ${first} and ${last} and created > '-infinity'
        and ${HAS_FORBIDDEN_BALANCE} limit ${BREACHES_MAX}`,
  },
  {
    name: 'owned and frozen',
    about:
      'Every ledger account belongs to a customer of its platform, and is frozen if and only if that customer is not verified. Only labels have texts.',
    find: (sql, { first, last }) => sql<Breach>`
      select a.bucket, a.id, case when c.id is null then 'belongs to no customer of its platform'
        when a.frozen = (c.status <> 'verified') then 'is no label and has texts, or is removed'
        else 'frozen is ' || a.frozen || ' and its customer is ' || c.status end as detail
      from ledger_account a
      left join customer c on c.bucket = a.bucket and c.id = a.customer_id and c.account_id = a.account_id
      where a.bucket between ${first} and ${last} and a.created > '-infinity'
        and (c.id is null or a.frozen <> (c.status <> 'verified')
          or a.kind <> 'label' and not (a.name, a.former_names, a.correlation_id, a.external_id, a.metadata, a.removed) is null) limit ${BREACHES_MAX}`,
  },
  {
    name: 'entries explain balances',
    about:
      "An account's balance is the sum of its entries, its version their number, and its latest time that of the last one. It counts the reallocations that it sent.",
    by: 'entries',
    // A full join is never made by comparing each account with each sum.
    find: (sql, part) => sql<Breach>`
      select bucket, id, 'balance ' || coalesce(balance::text, 'none') || ', version ' || coalesce(version::text, 'none')
        || ', entries ' || coalesce(total, 0) || ' in ' || coalesce(entries, 0) || ', reallocations ' || coalesce(reallocations_out, 0)
        || ' of ' || coalesce(sent, 0) || ', from ' || coalesce(created::text, 'never') || ' to ' || coalesce(latest::text, 'never') as detail
      from (
        select bucket, id, balance, version, latest, created, reallocations_out
        from ledger_account where ${endsIn(part, 'id')} and created > '-infinity'
      ) a
      full join (${entrySums(part, endsIn(part, 'ledger_account_id'))}) e using (bucket, id)
      where balance is distinct from coalesce(total, 0) or version is distinct from coalesce(entries, 0)
        or latest is distinct from coalesce(newest, '-infinity') or created > oldest or reallocations_out <> coalesce(sent, 0) limit ${BREACHES_MAX}`,
  },
  {
    name: 'sequences without gaps',
    about: 'Entries are numbered 1, 2, 3 …, and each balance is the one before it plus the amount.',
    by: 'entries',
    find: (sql, part) => sql<Breach>`
      select bucket, ledger_account_id as id, 'entry ' || sequence || ' follows ' || before || ' with balance ' || balance as detail
      from (
        select bucket, ledger_account_id, sequence, amount, balance,
          coalesce(lag(sequence) over account, 0) as before, coalesce(lag(balance) over account, 0) as balance_before
        from ledger_entry
        where ${within(part, 'entries')}
        window account as (partition by bucket, ledger_account_id order by sequence)
      ) entry
      where (sequence <> before + 1 or balance <> balance_before + amount) and ${isNew(part)} limit ${BREACHES_MAX}`,
  },
  {
    name: 'entries in time order',
    about: 'No entry of an account is dated before the one that it follows.',
    by: 'entries',
    find: (sql, part) => sql<Breach>`
      select bucket, ledger_account_id as id, 'entry ' || sequence || ' of ' || created || ' follows one of ' || before as detail
      from (
        select e.bucket, e.ledger_account_id, e.sequence, e.created, lag(e.created) over account as before
        from ledger_entry e
        where ${within(part, 'entries', 'e')}
        window account as (partition by e.bucket, e.ledger_account_id order by e.sequence)
      ) entry
      where created < before and ${isNew(part)} limit ${BREACHES_MAX}`,
  },
  {
    name: 'one customer',
    about: 'Both accounts of a transfer exist, and have its customer and currency.',
    by: 'transfers',
    find: (sql, part) => sql<Breach>`
      select t.bucket, t.id,
        'accounts of ' || coalesce(f.customer_id::text, 'nobody') || ' and ' || coalesce(g.customer_id::text, 'nobody') as detail
      from transfer t
      left join ledger_account f on f.bucket = t.bucket and f.id = t.from_id and f.currency = t.currency
      left join ledger_account g on g.bucket = t.bucket and g.id = t.to_id and g.currency = t.currency
      where ${within(part, 'transfers', 't')}
        and (f.customer_id is distinct from t.customer_id or g.customer_id is distinct from t.customer_id) limit ${BREACHES_MAX}`,
  },
  {
    name: 'kinds of transfers',
    about: 'Each transfer is of a known kind, and has the references and the reason that its kind needs, and no others.',
    by: 'transfers',
    find: (sql, part) => sql<Breach>`
      select bucket, id, kind || ' with'
        || concat(' reverses ' || reverses, ' deposit ' || deposit_id, ' return ' || return_id, ' reason ' || reason) as detail
      from transfer
      where ${within(part, 'transfers')} and not ${HAS_REFERENCES_OF_KIND}
      limit ${BREACHES_MAX}`,
  },
  {
    name: 'allocations divide deposits',
    about:
      'Each allocation has a deposit of its customer and a rule; with the repayment of what was owed, those of a deposit add up to at most its amount.',
    by: 'deposits',
    find: (sql, part) => sql<Breach>`
      select a.bucket, a.deposit_id as id,
        'parts of ' || sum(a.amount) || ', deposit of ' || coalesce(d.amount::text, 'nothing') as detail
      from transfer a
      left join transfer d on d.bucket = a.bucket and d.id = a.deposit_id and d.kind = 'deposit'
        and d.customer_id = a.customer_id and d.currency = a.currency and (a.kind = 'repayment' or d.rule_id = a.rule_id)
      left join allocation_rule r on r.bucket = a.bucket and r.id = a.rule_id and r.customer_id = a.customer_id
      where ${within(part, 'deposits', 'a')}
      group by a.bucket, a.deposit_id, d.amount
      having d.amount is null or sum(a.amount) > d.amount or bool_or(r.id is null and a.kind = 'allocation') limit ${BREACHES_MAX}`,
  },
  {
    name: 'reversals within originals',
    about:
      'The reversals of a reallocation go the other way, and the returns of a deposit or a withdrawal to or from the outside world. They add up to at most its amount.',
    by: 'reversals',
    find: (sql, part) => sql<Breach>`
      select r.bucket, r.reverses as id,
        'reversals add up to ' || sum(r.amount) || ' of ' || coalesce(min(o.amount)::text, 'nothing that they can reverse') as detail
      from transfer r
      left join transfer o on o.bucket = r.bucket and o.id = r.reverses and o.reverses is null
        and case r.kind when 'deposit-return' then o.kind = 'deposit' and o.from_id = r.to_id and o.to_id = r.from_id
          when 'withdrawal-return' then o.kind = 'withdrawal' and o.to_id = r.from_id
          else o.kind = 'reallocation' and o.from_id = r.to_id and o.to_id = r.from_id end
      where ${within(part, 'reversals', 'r')}
      group by r.bucket, r.reverses
      having sum(r.amount) > min(o.amount) or count(o.id) < count(*) limit ${BREACHES_MAX}`,
  },
  {
    name: 'returns and what is owed',
    about:
      'What was taken for the return of a deposit is at most its amount. A debt comes from an owed account, and a repayment goes to one; nothing else changes one.',
    queries: [
      { by: 'returns', find: findTakenBreaches },
      { by: 'transfers', find: findOwedBreaches },
    ],
  },
  {
    name: 'holds',
    about:
      'What is held of a ledger account is the sum of its pending holds and at most its balance. What was captured is the sum of its transfers.',
    queries: [{ find: findHoldBreaches }, { by: 'captures', find: findCaptureBreaches }],
  },
  {
    name: 'schedules',
    about:
      'Each occurrence of a schedule that ran has exactly its one reallocation, and no other has one. A schedule goes on after its last occurrence.',
    find: findScheduleBreaches,
  },
  {
    name: 'signed requests',
    about:
      'The stored signature of a request fits its key and what is signed, and the reallocation is the one that the request asked for.',
    find: findEvidenceBreaches,
  },
  {
    name: 'batch results match transfers',
    about: 'Every made item of a batch is a reallocation of its account. An atomic batch has one customer and no refused item.',
    find: findBatchBreaches,
  },
  {
    name: 'transfers have events',
    about: 'Every transfer has its event, unless retention deleted it. `earmark repair events` recreates it.',
    by: 'transfers',
    find: findMissingOfTransfers,
  },
  {
    name: 'creations have events',
    about: 'Every created resource has its event, unless retention deleted it. `earmark repair events` recreates it.',
    by: 'events',
    find: findMissingOfCreations,
  },
  {
    name: 'events match transfers',
    about: 'Every event of a transfer refers to an existing transfer, and no two events to the same one.',
    by: 'events',
    find: findEventBreaches,
  },
  {
    name: 'log entries match transfers',
    about: 'Every entry of a transparency log is an event of its account, with the money of its transfer.',
    find: findLogBreaches,
  },
  {
    // Not of a customer: a range of buckets stands for its share.
    name: 'audit log',
    about: 'Every entry of the audit log is in its hash chain, and none was changed or removed.',
    find: findAuditBreaches,
  },
  {
    // Expired keys are deleted, so a missing key is not a violation. The key of a transfer is stored with it. The resource of a request
    // that has only begun does not exist yet.
    name: 'idempotency keys',
    about: 'The resource that an idempotency key names exists.',
    // Scalar subqueries instead of `exists`, for which the planner may hash a whole table.
    find: (sql, { first, last }, { existenceOfType }) => sql<Breach>`
      select k.bucket, k.resource_id as id, 'key of a ' || k.resource_type || ' that does not exist' as detail
      from idempotency_key k
      where k.bucket between ${first} and ${last}
        and k.status is not null
        and case k.resource_type ${existenceOfType} else true end is null
      limit ${BREACHES_MAX}`,
  },
];

export const rules: Rule[] = written.map((rule) => ('queries' in rule ? rule : { ...rule, queries: [rule] }));
