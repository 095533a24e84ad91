-- Allocation rules: which parts of a customer's deposits in a currency go to its labels. post_transfers applies the steps (0006).

-- steps: in order, {labelId, percent: "25.00"} or {labelId, amount}, with an optional until; amount and until are texts in minor units.
create table allocation_rule (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  name text not null,
  currency text not null,
  steps jsonb not null,
  paused boolean not null default false,
  created timestamptz not null,
  deleted timestamptz,
  constraint allocation_rule_pkey primary key (id, bucket)
);

create unique index allocation_rule_active on allocation_rule (customer_id, currency, bucket) where not paused and deleted is null;
create index allocation_rule_by_customer on allocation_rule (customer_id, id, bucket) where deleted is null;
