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

create or replace function take_from_outbox(p_part int, p_most int) returns setof event_outbox
language plpgsql
set plan_cache_mode = force_custom_plan
as $$
declare
  group_buckets int[];
  one event_outbox;
  ids uuid[] := '{}';
begin
  select buckets into group_buckets from event_cursor where id = p_part for update;
  for one in select * from event_outbox where bucket = any (group_buckets) order by written, id limit p_most loop
    ids := ids || one.id;
    return next one;
  end loop;
  delete from event_outbox where bucket = any (group_buckets) and id = any (ids);
end
$$;
