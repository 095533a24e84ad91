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
  -- dateOfBirth, ssn, ein, passport: sealed (src/platform/keys/sealing.ts); never in a response, log or event
  sealed bytea,
  -- the caller's own identifier of the customer
  correlation_id text,
  external_id text,
  metadata jsonb,
  created timestamptz not null,
  -- names and e-mail without case and accents, and numbers of their trigrams and of the account (src/resources/customers/folding.ts)
  search_text text not null default '',
  search_grams int[] not null default '{}',
  -- Hides what the hashes of the transparency log are of. Null after its erasure: then nobody can link them with texts.
  log_salt bytea default uuid_send(gen_random_uuid()),
  constraint customer_pkey primary key (id, bucket),
  constraint customer_bucket_check check (bucket between 0 and 4095),
  constraint customer_type_check check (type in ('personal', 'business', 'unverified')),
  constraint customer_status_check check (status in ('verified', 'retry', 'document', 'suspended', 'deactivated', 'unverified'))
);

create index customer_by_account on customer (account_id, id);
-- Without a list of pending entries, which a search would read until the next vacuum.
create index customer_by_text on customer using gin (search_grams) with (fastupdate = off);
create index customer_by_external_id on customer (account_id, external_id) where external_id is not null;

-- The external ids of customers, which no two customers of an account share. The bucket is of the hash of account and external id, so
-- that two customers with one external id meet in one row, also on a cluster.
create table customer_external_id (
  bucket int not null,
  account_id uuid not null,
  external_id text not null,
  customer_id uuid not null,
  constraint customer_external_id_pkey primary key (bucket, account_id, external_id)
);
