-- Events. Each is written in the same transaction as the change it reports.

create table event (
  id uuid not null,
  account_id uuid not null,
  customer_id uuid,
  resource_id uuid not null,
  created timestamptz not null,
  bucket int not null,
  topic text not null,
  constraint event_pkey primary key (bucket, id)
);
