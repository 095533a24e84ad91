-- Finds the creations of a range of buckets, for the ledger check. Only statements that say created > '-infinity' use these indexes.

create index customer_by_bucket on customer (bucket) where created > '-infinity';
create index beneficial_owner_by_bucket on beneficial_owner (bucket) where created > '-infinity';
create index hold_by_bucket on hold (bucket) where created > '-infinity';
