-- The outbox on a Citus cluster, where it has a part for each group of shards. The contracts are those of ../0004-events.sql.

-- Makes the functions of a part. Its buckets are constants in their statements, because Citus then chooses the shard once for each
-- connection instead of once for each call, which takes 5 µs for each bucket.
--
-- A row is deleted only when its events are in the committed feed, so by a later call: the worker may commit the deletion although the
-- coordinator dies before it commits.
create or replace function divide_outbox(p_part int, p_buckets int[]) returns void
language plpgsql
as $$
begin
  execute format($make$
    create or replace function outbox_waits_%1$s() returns boolean
    language plpgsql stable
    set plan_cache_mode = force_generic_plan
    as $body$
    begin
      return exists (select 1 from event_outbox where bucket = any (%2$L::int[]));
    end
    $body$
  $make$, p_part, p_buckets);
  execute format($make$
    create or replace function take_from_outbox_%1$s(p_most int) returns setof event_outbox
    language plpgsql
    set plan_cache_mode = force_generic_plan
    as $body$
    declare
      firsts uuid[];
      settled_ids uuid[];
    begin
      perform 1 from event_cursor where id = %1$s for update;
      loop
        select array_agg(o.first) into firsts
        from (
          select first, events, sum(events) over (order by written, first)
          from (
            select written, ids[1][1] as first, array_length(ids, 2) as events
            from event_outbox where bucket = any (%2$L::int[]) order by written, first limit p_most
          ) o
        ) o
        where o.sum - o.events < p_most;
        select array_agg(e.id) into settled_ids from event e where e.bucket = any (%2$L::int[]) and e.id = any (firsts);
        exit when settled_ids is null;
        delete from event_outbox where bucket = any (%2$L::int[]) and ids[1][1] = any (settled_ids);
      end loop;
      return query select * from event_outbox where bucket = any (%2$L::int[]) and ids[1][1] = any (firsts);
    end
    $body$
  $make$, p_part, p_buckets);
end
$$;

create or replace function outbox_waits(p_part int) returns boolean
language plpgsql stable
as $$
declare
  waits boolean;
begin
  execute format('select outbox_waits_%s()', p_part) into waits;
  return waits;
end
$$;

create or replace function take_from_outbox(p_part int, p_most int) returns setof event_outbox
language plpgsql
as $$
begin
  return query execute format('select * from take_from_outbox_%s($1)', p_part) using p_most;
end
$$;
