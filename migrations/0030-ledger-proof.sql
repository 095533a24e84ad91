-- What the ledger check has proven (src/ledger/verification/proof.ts), in one row. until: transfers created up to this moment are
-- counted. hashes: for each bucket the sum of the hashes of its entries up to then; null where the rules have not passed since the
-- database is new, was restored, or changed in a way that increments cannot explain. complete: when every rule last passed over all buckets.
create table ledger_proof (
  id int not null,
  until timestamptz not null,
  hashes bigint[] not null,
  complete timestamptz,
  constraint ledger_proof_pkey primary key (id)
);

insert into ledger_proof (id, until, hashes) values (1, '-infinity', array_fill(null::bigint, array[4096]));
