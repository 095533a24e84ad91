-- The ledger: accounts, transfers between two of them, and two entries for each transfer.
-- For each customer and currency, the balances of all ledger accounts add up to zero.

-- kind 'label': a label (a label *is* a ledger account); 'available': the customer's money that is not on a label;
-- 'external': the counterpart of deposits and withdrawals, the only kind whose balance may be negative.
-- balance and amounts are in minor units. version counts the account's entries; latest is the time of the last one, before which no
-- entry is dated. frozen: the customer may not move money now.
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
  name text,
  correlation_id text,
  created timestamptz not null,
  removed timestamptz,
  constraint ledger_account_pkey primary key (bucket, id),
  constraint ledger_account_kind_check check (kind in ('label', 'available', 'external')),
  constraint ledger_account_balance_check check (balance >= 0 or kind = 'external'),
  constraint ledger_account_removed_check check (removed is null or (kind = 'label' and balance = 0))
) with (fillfactor = 50);

create unique index ledger_account_own on ledger_account (bucket, customer_id, currency, kind) where kind <> 'label';
create index ledger_account_labels on ledger_account (bucket, customer_id, id) where kind = 'label';

-- The tables below have no foreign keys, which would slow each insert. post_transfers, their only writer, locks the accounts that it
-- references, and `earmark verify` checks the references. An entry's public id is its transfer's id with the leg in the last digit
-- (src/ids.ts).
create table transfer (
  id uuid not null,
  customer_id uuid not null,
  from_id uuid not null,
  to_id uuid not null,
  from_sequence bigint not null,
  to_sequence bigint not null,
  amount bigint not null,
  created timestamptz not null,
  bucket int not null,
  currency text not null,
  kind text not null,
  reference text,
  correlation_id text,
  constraint transfer_pkey primary key (bucket, id),
  constraint transfer_amount_check check (amount > 0),
  constraint transfer_kind_check check (kind in ('reallocation', 'label', 'deposit', 'withdrawal'))
);

create index transfer_reallocations on transfer (bucket, customer_id, created, id) where kind = 'reallocation';
create index transfer_others on transfer (bucket, customer_id, kind, created, id) where kind <> 'reallocation';
create index transfer_references on transfer (bucket, customer_id, reference, created, id) where reference is not null;
create index transfer_correlations on transfer (bucket, customer_id, correlation_id, created, id) where correlation_id is not null;

-- sequence is the account's version after the entry; balance is its balance after the entry.
create table ledger_entry (
  ledger_account_id uuid not null,
  transfer_id uuid not null,
  sequence bigint not null,
  amount bigint not null,
  balance bigint not null,
  bucket int not null,
  constraint ledger_entry_pkey primary key (bucket, ledger_account_id, sequence)
);

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
    perform 1 from ledger_account where bucket = owned.bucket and customer_id = any (owned.ids) order by id for update;
  end loop;
end
$$;
