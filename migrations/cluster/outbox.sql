-- The outbox on a Citus cluster, where it has a part for each group of shards. The contracts are those of ../0004-events.sql.

create or replace function outbox_waits(p_part int) returns boolean
language plpgsql stable
set plan_cache_mode = force_custom_plan
as $$
declare
  group_buckets constant int[] := (select buckets from event_cursor where id = p_part);
begin
  return exists (select 1 from event_outbox where bucket = any (group_buckets));
end
$$;

-- Returns only rows that it deletes itself: until a transaction of another caller is committed on the worker, its rows are still visible.
create or replace function take_from_outbox(p_part int, p_most int) returns setof event_outbox
language plpgsql
set plan_cache_mode = force_custom_plan
as $$
declare
  group_buckets int[];
  ids uuid[];
begin
  select buckets into group_buckets from event_cursor where id = p_part for update;
  select array_agg(o.id) into ids
  from (select id from event_outbox where bucket = any (group_buckets) order by written, id limit p_most) o;
  return query delete from event_outbox where bucket = any (group_buckets) and id = any (ids) returning *;
end
$$;
