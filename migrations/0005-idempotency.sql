-- Idempotency keys. Each is written in the same transaction as the effect of its request. A request that makes one transfer stores its
-- key in the row of the transfer (0003-ledger.sql), as long as that exists; all other requests store it here.
-- key = the first 128 bits of SHA-256 over account and Idempotency-Key; fingerprint = the same over method, path and body,
-- or a keyed hash of them if the body may contain personal data.
-- A key belongs to one customer of an account. A request that concerns no customer, such as one that creates it, takes its bucket
-- from the key, so that a repetition finds the row.
-- status: null from the first effect of the request until its answer is known. The resource may not exist yet.

create table idempotency_key (
  key uuid not null,
  fingerprint uuid not null,
  resource_id uuid not null,
  account_id uuid not null,
  created timestamptz not null,
  bucket int not null,
  status smallint,
  resource_type text not null,
  body text,
  constraint idempotency_key_pkey primary key (bucket, key)
);

-- For pruning by age. BRIN suffices because keys are written in time order.
create index idempotency_key_by_time on idempotency_key using brin (created) with (autosummarize = on);
