-- Idempotency keys, written in the transaction of the effect they stand for.
-- key = the first 128 bits of SHA-256 over account and Idempotency-Key; fingerprint = the same over method, path and body,
-- or a keyed hash of them where the body may hold personal data.
-- The one primary key that the bucket does not lead: a key is unique in its account, whichever customer the call was for.

create table idempotency_key (
  key uuid not null,
  fingerprint uuid not null,
  resource_id uuid not null,
  account_id uuid not null,
  created timestamptz not null,
  bucket int not null,
  status smallint not null,
  resource_type text not null,
  body text,
  constraint idempotency_key_pkey primary key (key)
);

-- By age: a few pages for any number of keys, as they are written in the order of time.
create index idempotency_key_by_time on idempotency_key using brin (created) with (autosummarize = on);
