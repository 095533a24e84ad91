-- What the ledger check has proven (src/ledger/verification/proof.ts), in one row. until: transfers created up to this moment are
-- counted. hashes: for each bucket the sum of the hashes of its entries up to then; null where the rules have not passed since the
-- database was restored, or changed in a way that increments cannot explain. complete: when every rule last passed over all buckets.
create table ledger_proof (
  id int not null,
  until timestamptz not null,
  hashes bigint[] not null,
  complete timestamptz,
  constraint ledger_proof_pkey primary key (id)
);

-- An empty ledger is proven: its sums are zero.
do $$
begin
  insert into ledger_proof (id, until, hashes)
  values (1, '-infinity', array_fill(case when exists (select from ledger_account) then null::bigint else 0 end, array[4096]));
end $$;
