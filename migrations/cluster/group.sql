-- Keeps a group on this server until the end of the transaction, by the lock that Citus takes for a write of one shard. Returns whether
-- the group is here. p_shard: its shard of ledger accounts; the other shards of the group move with it.
create or replace function hold_group(p_shard bigint) returns boolean
language plpgsql
as $$
declare
  share_lock constant int := 5;
begin
  perform lock_shard_metadata(share_lock, array[p_shard]);
  return exists (
    select 1 from pg_dist_placement p join pg_dist_local_group here on here.groupid = p.groupid where p.shardid = p_shard
  );
end
$$;
