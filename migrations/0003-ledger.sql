-- The ledger: accounts, and transfers between two of them. Each transfer is an entry on both.
-- For each customer and currency, the balances of all ledger accounts add up to zero.

-- Indexes: no plan may depend on what the planner knows of the size of a table, because plans are cached from the first minute on, when
-- all indexes of an empty table cost the same. So no statement leaves a choice between two indexes. Primary keys of tables with other
-- indexes begin with the id. Indexes that begin with the bucket have conditions, such as `from_sequence > 0`: they are true for every row,
-- and only the statements that say them can use the index.

-- kind 'label': a label (a label *is* a ledger account); 'available': the customer's money that is not on a label;
-- 'external': the counterpart of deposits, withdrawals and their returns, whose balance may be negative;
-- 'owed': what the customer owes because a deposit was returned that it had spent, as a balance of zero or less.
-- balance and amounts are in minor units. version counts the account's entries; latest is the time of the last one, before which no
-- entry is dated. frozen: the customer may not move money now. erased, of a label: the texts of the customer and its entries are gone.
-- held: the sum of what its pending holds have left (0020-holds.sql), which cannot be spent; held_until: when the first of them expires.
-- post_transfers counts only those that have not expired.
-- The fillfactor leaves free space in each page, so that balance updates are HOT (same page, no index update).
create table ledger_account (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  kind text not null,
  currency text not null,
  balance bigint not null default 0,
  version bigint not null default 0,
  reallocations_out bigint not null default 0,
  latest timestamptz not null default '-infinity',
  frozen boolean not null default false,
  erased boolean not null default false,
  held bigint not null default 0,
  held_until timestamptz,
  name text,
  -- of a label: the names before, oldest first, as [{"name", "until"}]; without name where it had none
  former_names jsonb,
  correlation_id text,
  -- of a label: the client's own id, also after its removal, and data
  external_id text,
  metadata jsonb,
  created timestamptz not null,
  removed timestamptz,
  constraint ledger_account_pkey primary key (id, bucket),
  constraint ledger_account_balance_check check (held >= 0 and (balance >= 0 or kind = 'external' or kind = 'owed')
    and (removed is null or balance = 0))
) with (fillfactor = 50);

create unique index ledger_account_own on ledger_account (bucket, customer_id, currency, kind) where kind <> 'label';
create unique index ledger_account_external_id on ledger_account (bucket, customer_id, external_id) where external_id is not null;
create index ledger_account_labels on ledger_account (bucket, customer_id, id) where kind = 'label';
-- For all accounts of a customer, and of a range of buckets.
create index ledger_account_of_customer on ledger_account (bucket, customer_id, id) where created > '-infinity';

-- A transfer with its two entries: from_* and to_* are the number and the balance that each account has after it. The public id of an
-- entry is the id of its transfer with the leg in the last digit (src/core/ids.ts).
--
-- reverses: the reallocation that this one reverses, or the deposit or withdrawal that the bank returned, for a reason. deposit_id: the
-- deposit that an allocation divides, by the rule rule_id, or that pays what is owed. return_id: the return of a deposit that the money was
-- taken for, from a label (recovery) or as owed (debt). hold_id: the hold that the transfer captures.
-- key and fingerprint: the idempotency key that the transfer was made with (0005-idempotency.sql). request_id: of the HTTP request.
--
-- The table has no foreign keys, which would slow each insert. post_transfers, its only writer, locks the accounts that it references,
-- and `earmark verify` checks the references.
create table transfer (
  id uuid not null,
  customer_id uuid not null,
  from_id uuid not null,
  to_id uuid not null,
  from_sequence bigint not null,
  to_sequence bigint not null,
  from_balance bigint not null,
  to_balance bigint not null,
  amount bigint not null,
  created timestamptz not null,
  bucket int not null,
  currency text not null,
  kind text not null,
  key uuid,
  fingerprint uuid,
  request_id uuid,
  reference text,
  correlation_id text,
  external_id text,
  metadata jsonb,
  reverses uuid,
  deposit_id uuid,
  rule_id uuid,
  hold_id uuid,
  return_id uuid,
  reason text,
  constraint transfer_pkey primary key (id, bucket),
  -- No more constraints: PostgreSQL prepares each for every statement, 5 % of a reallocation. The ledger check has what each kind needs.
  constraint transfer_amount_check check (amount > 0 and from_id <> to_id)
);

create unique index transfer_from on transfer (bucket, from_id, from_sequence) where from_sequence > 0;
create unique index transfer_to on transfer (bucket, to_id, to_sequence) where to_sequence > 0;
create unique index transfer_key on transfer (bucket, key) where key is not null;
create unique index transfer_external_id on transfer (bucket, customer_id, external_id, kind) where external_id is not null;
create index transfer_reversals on transfer (bucket, reverses) where reverses is not null;
create index transfer_allocations on transfer (bucket, deposit_id) where deposit_id is not null;
create index transfer_returns on transfer (bucket, return_id) where return_id is not null;
create index transfer_captures on transfer (bucket, hold_id) where hold_id is not null;
create index transfer_reallocations on transfer (bucket, customer_id, created, id) where kind = 'reallocation';
create index transfer_others on transfer (bucket, customer_id, kind, created, id) where kind <> 'reallocation';
-- The texts come first, so that a search over all customers finds them too.
create index transfer_references on transfer (reference, bucket, customer_id, created, id) where reference is not null;
create index transfer_correlations on transfer (correlation_id, bucket, customer_id, created, id) where correlation_id is not null;
-- Without the id: the rows of a batch have one time, so that their entries share one tuple.
create index transfer_by_time on transfer (created) where amount > 0;

-- The entries of all accounts: two for each transfer. sequence is the account's version after the entry.
create view ledger_entry as
select bucket, from_id as ledger_account_id, from_sequence as sequence, id as transfer_id, -amount as amount, from_balance as balance,
  to_id as other_id, kind, currency, reference, correlation_id, external_id, created, reverses, deposit_id, rule_id
from transfer where from_sequence > 0
union all
select bucket, to_id, to_sequence, id, amount, to_balance, from_id, kind, currency, reference, correlation_id, external_id, created,
  reverses, deposit_id, rule_id
from transfer where to_sequence > 0;

-- Locks the rows of customers, and then their ledger accounts in the order of post_transfers. p_buckets: of each customer. A statement
-- locks rows of one bucket, as a cluster requires.
create function lock_customers(p_buckets int[], p_customers uuid[]) returns void
language plpgsql
as $$
declare
  owned record;
begin
  for owned in select bucket, array_agg(id) as ids from unnest(p_buckets, p_customers) c (bucket, id) group by bucket order by bucket loop
    perform 1 from customer where bucket = owned.bucket and id = any (owned.ids) order by id for update;
  end loop;
  for owned in select bucket, array_agg(id) as ids from unnest(p_buckets, p_customers) c (bucket, id) group by bucket order by bucket loop
    perform 1 from ledger_account
    where bucket = owned.bucket and customer_id = any (owned.ids) and created > '-infinity' order by id for update;
  end loop;
end
$$;
