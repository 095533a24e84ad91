-- Marks in the lists of reallocations: the id at every thousandth place of a customer's, counted from the oldest.
--
-- A page at an offset from the newest stands at a place from the oldest, as the total is known. It is read from the mark before it
-- instead of from the newest on. Marks are set by a job, behind the ids that can still come (src/label-reallocations/mark.ts),
-- so that the way of a transfer pays for none of it. They can all be deleted, and are then set anew. They go with their customer.
create table reallocation_mark (
  bucket int not null,
  customer_id uuid not null,
  position bigint not null,
  id uuid not null,
  constraint reallocation_mark_pkey primary key (bucket, customer_id, position),
  constraint reallocation_mark_customer_fkey foreign key (bucket, customer_id) references customer (bucket, id) on delete cascade
);
