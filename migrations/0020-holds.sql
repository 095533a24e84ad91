-- Holds: money of a label or of the available balance that cannot be spent until it is captured, released, or expires. Nothing moves before
-- a capture.

-- ledger_account_id: the account of the money; of_label: it is a label. captured: the sum of the transfers that captured it. Of a pending
-- hold, amount - captured is a part of ledger_account.held. A pending hold that has expired holds nothing: a job ends it later.
-- closed: when it was captured or released, or expired.
create table hold (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  ledger_account_id uuid not null,
  of_label boolean not null,
  currency text not null,
  amount bigint not null,
  captured bigint not null default 0,
  status text not null default 'pending',
  expires timestamptz not null,
  created timestamptz not null,
  closed timestamptz,
  reference text,
  correlation_id text,
  external_id text,
  metadata jsonb,
  constraint hold_pkey primary key (id, bucket),
  constraint hold_status_check check (status in ('pending', 'captured', 'released', 'expired')),
  constraint hold_amount_check check (amount > 0 and captured between 0 and amount),
  constraint hold_closed_check check ((closed is null) = (status = 'pending') and (status <> 'pending' or captured < amount))
) with (fillfactor = 70);

create index hold_by_customer on hold (customer_id, id, bucket);
-- The conditions on amounts are true for every row: they keep each statement to one index (0003-ledger.sql).
create index hold_by_account on hold (ledger_account_id, expires, bucket) where status = 'pending' and captured >= 0;
create index hold_due on hold (expires, bucket) where status = 'pending' and amount > 0;
create unique index hold_external_id on hold (bucket, customer_id, external_id) where external_id is not null;
