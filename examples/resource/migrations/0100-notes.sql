-- Notes about customers. Append-only.

create table note (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  text text not null,
  created timestamptz not null,
  constraint note_pkey primary key (bucket, id),
  constraint note_customer_fkey foreign key (bucket, customer_id) references customer (bucket, id)
);

create index note_by_customer on note (bucket, customer_id, id);
