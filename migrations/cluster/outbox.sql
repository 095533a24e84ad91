-- The outbox on a Citus cluster, where it has a part for each group of shards. The contracts are those of ../0004-events.sql.
--
-- Rows are on the workers, and the feed is on the coordinator. A row is deleted only when
-- 1. its events are in the committed feed, so by a later call: the worker may commit the deletion although the coordinator dies before
--    it commits; and
-- 2. every standby of the coordinator has them: after a failover to a standby that was behind, the row settles again.

-- The place in the log of this server that each of its standbys has on disk; the last place there is, if it has none. A standby that is
-- disconnected counts if it has a replication slot. Connections that PostgreSQL shows to its own role or to pg_read_all_stats only count
-- by their slots.
create or replace function replicated_to() returns pg_lsn
language sql volatile
as $$
  select coalesce(
    least(
      (select min(restart_lsn) from pg_replication_slots
       where slot_type = 'physical' and not temporary and wal_status is distinct from 'lost'),
      (select min(flush_lsn) from pg_stat_replication r
       where not exists (select 1 from pg_replication_slots s where s.slot_type = 'logical' and s.active_pid = r.pid))),
    'FFFFFFFF/FFFFFFFF')
$$;

-- Takes subscriptions back to the end of their feed, which a failover to a standby that was behind has moved back. They are on the
-- workers, and their positions are not. Events that a subscription has already told are told again, with the same ids.
create or replace function rewind_subscriptions() returns void
language plpgsql
as $$
declare
  furthest record;
  head bigint;
begin
  for furthest in select account_id, max(position) as position from webhook_subscription group by account_id order by account_id loop
    head := coalesce((select position from event_head where account_id = furthest.account_id for update), 0);
    if furthest.position > head then
      update webhook_subscription set position = head where account_id = furthest.account_id and position > head;
    end if;
  end loop;
end
$$;

-- Makes the functions of a part. Its buckets are constants in their statements, because Citus then chooses the shard once for each
-- connection instead of once for each call, which takes 5 µs for each bucket.
create or replace function divide_outbox(p_part int, p_buckets int[]) returns void
language plpgsql
as $$
begin
  execute format($make$
    create or replace function outbox_waits_%1$s() returns boolean
    language plpgsql
    set plan_cache_mode = force_generic_plan
    as $body$
    declare
      safe pg_lsn;
    begin
      if exists (select 1 from event_outbox where bucket = any (%2$L::int[]) and settled is null) then
        return true;
      end if;
      safe := replicated_to();
      return exists (select 1 from event_outbox where bucket = any (%2$L::int[]) and settled <= safe);
    end
    $body$
  $make$, p_part, p_buckets);
  execute format($make$
    create or replace function take_from_outbox_%1$s(p_most int) returns setof event_outbox
    language plpgsql
    set plan_cache_mode = force_generic_plan
    as $body$
    declare
      before text;
      -- Earlier calls have committed: they held the lock. What they settled is before this place in the log.
      fence pg_lsn;
      safe pg_lsn;
      firsts uuid[];
      settled_ids uuid[];
    begin
      select server into before from event_cursor where id = %1$s for update;
      fence := pg_current_wal_insert_lsn();
      if before is distinct from server_identity() then
        perform rewind_subscriptions();
        update event_cursor set server = server_identity() where id = %1$s;
      end if;

      -- Rows that waited for the standbys.
      safe := replicated_to();
      select array_agg(o.first) into firsts
      from (
        select ids[1][1] as first from event_outbox where bucket = any (%2$L::int[]) and settled <= safe order by settled limit p_most
      ) o;
      if firsts is not null then
        select coalesce(array_agg(e.id), '{}') into settled_ids from event e
        where e.bucket = any (array(select bucket_of(f) from unnest(firsts) f)) and e.id = any (firsts);
        delete from event_outbox where bucket = any (%2$L::int[]) and settled <= safe and ids[1][1] = any (settled_ids);
        -- A failover has lost their events.
        update event_outbox set settled = null
        where bucket = any (%2$L::int[]) and settled <= safe and ids[1][1] = any (firsts) and ids[1][1] <> all (settled_ids);
      end if;

      loop
        select array_agg(o.first) into firsts
        from (
          select first, events, sum(events) over (order by written, first)
          from (
            select written, ids[1][1] as first, array_length(ids, 2) as events
            from event_outbox where bucket = any (%2$L::int[]) and settled is null order by written, first limit p_most
          ) o
        ) o
        where o.sum - o.events < p_most;
        select array_agg(e.id) into settled_ids from event e
        where e.bucket = any (array(select bucket_of(f) from unnest(firsts) f)) and e.id = any (firsts);
        exit when settled_ids is null;
        safe := replicated_to();
        if fence <= safe then
          delete from event_outbox where bucket = any (%2$L::int[]) and settled is null and ids[1][1] = any (settled_ids);
        else
          update event_outbox set settled = fence where bucket = any (%2$L::int[]) and settled is null and ids[1][1] = any (settled_ids);
        end if;
      end loop;
      return query select * from event_outbox where bucket = any (%2$L::int[]) and settled is null and ids[1][1] = any (firsts);
    end
    $body$
  $make$, p_part, p_buckets);
end
$$;

create or replace function outbox_waits(p_part int) returns boolean
language plpgsql
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
