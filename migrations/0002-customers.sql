-- Customers of an account. bucket is the 12 bits in the customer's id and in every id of its records.

create table customer (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  type text not null,
  status text not null,
  status_before text,
  first_name text not null,
  last_name text not null,
  email text not null,
  -- the remaining fields that responses contain: address, business fields, the controller's public part
  profile jsonb not null,
  -- dateOfBirth, ssn, ein, passport: sealed (src/sealing.ts); never in a response, log or event
  sealed bytea,
  -- the caller's own identifier of the customer
  correlation_id text,
  created timestamptz not null,
  constraint customer_pkey primary key (bucket, id),
  constraint customer_bucket_check check (bucket between 0 and 4095),
  constraint customer_type_check check (type in ('personal', 'business', 'unverified')),
  constraint customer_status_check check (status in ('verified', 'retry', 'document', 'suspended', 'deactivated', 'unverified'))
);

create index customer_by_account on customer (account_id, id);
