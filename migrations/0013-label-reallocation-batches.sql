-- Batches of label reallocations: what became of each item. The bucket is random: the items may be of several customers.
-- results: by item, the id of its reallocation, or the code, message and path of its refusal.
create table label_reallocation_batch (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  mode text not null,
  created timestamptz not null,
  results jsonb not null,
  constraint label_reallocation_batch_pkey primary key (bucket, id),
  constraint label_reallocation_batch_mode_check check (mode in ('atomic', 'independent'))
);
