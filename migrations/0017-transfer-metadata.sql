-- The pairs of the metadata of transfers, by which lists filter. post_transfers writes them. pair: the MD5 hash of key=value, as a UUID. A
-- filter compares the pairs of the transfers that it finds.
create table transfer_metadata (
  bucket int not null,
  customer_id uuid not null,
  pair uuid not null,
  created timestamptz not null,
  transfer_id uuid not null,
  constraint transfer_metadata_pkey primary key (customer_id, pair, created, transfer_id, bucket)
);
