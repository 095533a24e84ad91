-- Beneficial owners: the people who own a business customer, and the customer's certification of them.

create table beneficial_owner (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  status text not null,
  first_name text not null,
  last_name text not null,
  address jsonb not null,
  -- dateOfBirth, ssn, passport: sealed (src/platform/keys/sealing.ts); never in a response, log or event
  sealed bytea not null,
  created timestamptz not null,
  changed timestamptz not null,
  -- a removed owner is kept as evidence of what was certified and decided
  removed timestamptz,
  constraint beneficial_owner_pkey primary key (id, bucket),
  constraint beneficial_owner_customer_fkey foreign key (bucket, customer_id) references customer (bucket, id),
  constraint beneficial_owner_status_check check (status in ('verified', 'document', 'incomplete'))
);

create index beneficial_owner_by_customer on beneficial_owner (customer_id, id, bucket) where removed is null;

-- A customer without a row is uncertified.
create table beneficial_ownership (
  bucket int not null,
  customer_id uuid not null,
  status text not null,
  changed timestamptz not null,
  constraint beneficial_ownership_pkey primary key (bucket, customer_id),
  constraint beneficial_ownership_customer_fkey foreign key (bucket, customer_id) references customer (bucket, id),
  constraint beneficial_ownership_status_check check (status in ('certified', 'recertify'))
);
