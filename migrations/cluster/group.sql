-- Locks a group to this server until the end of the transaction, by the lock that Citus takes for a write of one shard. Raises an error that
-- callers retry if the group is on another server. p_shard: its shard of ledger accounts; the other shards of the group move with it.
create or replace function lock_group(p_shard bigint) returns void
language plpgsql
as $$
declare
  share_lock constant int := 5;
begin
  perform lock_shard_metadata(share_lock, array[p_shard]);
  perform 1 from pg_dist_placement p join pg_dist_local_group here on here.groupid = p.groupid where p.shardid = p_shard;
  if not found then
    raise exception 'The group is on another server.' using errcode = 'object_not_in_prerequisite_state';
  end if;
end
$$;
