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
language plpgsql volatile
as $$
begin
  return coalesce(
    least(
      (select min(restart_lsn) from pg_replication_slots
       where slot_type = 'physical' and not temporary and wal_status is distinct from 'lost'),
      (select min(flush_lsn) from pg_stat_replication r
       where not exists (select 1 from pg_replication_slots s where s.slot_type = 'logical' and s.active_pid = r.pid))),
    'FFFFFFFF/FFFFFFFF');
end
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

-- Rows of a part are in one bucket (outbox_bucket), so that each statement is on one shard.
create or replace function outbox_waits(p_part int) returns boolean
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
declare
  here constant int := (select outbox_bucket from event_cursor where id = p_part);
  safe pg_lsn;
begin
  perform 1 from event_outbox where bucket = here and settled is null limit 1;
  if not found then
    safe := replicated_to();
    perform 1 from event_outbox where bucket = here and settled <= safe limit 1;
  end if;
  return found;
end
$$;

-- Citus makes no generic plan of a statement with a subquery.
create or replace function take_from_outbox(p_part int, p_most int) returns setof event_outbox
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
declare
  here int;
  before text;
  -- Earlier calls have committed: they held the lock. What they settled is before this place in the log.
  fence pg_lsn;
  safe pg_lsn;
  marked record;
  waiting event_outbox;
  taken event_outbox[];
  firsts uuid[];
  events bigint;
  settled_ids uuid[];
begin
  select outbox_bucket, server into here, before from event_cursor where id = p_part for update;
  fence := pg_current_wal_insert_lsn();
  if before is distinct from server_identity() then
    perform rewind_subscriptions();
    update event_cursor set server = server_identity() where id = p_part;
  end if;

  -- Rows that waited for the standbys.
  safe := replicated_to();
  for marked in
    select ids[1][1] as first from event_outbox where bucket = here and settled <= safe order by settled limit p_most
  loop
    firsts := firsts || marked.first;
  end loop;
  if firsts is not null then
    select coalesce(array_agg(e.id), '{}') into settled_ids from event e
    where e.bucket = any (array(select bucket_of(f) from unnest(firsts) f)) and e.id = any (firsts);
    delete from event_outbox where bucket = here and settled <= safe and ids[1][1] = any (settled_ids);
    -- A failover has lost their events.
    update event_outbox set settled = null
    where bucket = here and settled <= safe and ids[1][1] = any (firsts) and ids[1][1] <> all (settled_ids);
  end if;

  -- Rows whose events are in the feed, and those after them.
  loop
    taken := null;
    firsts := null;
    events := 0;
    for waiting in
      select * from event_outbox where bucket = here and settled is null order by written, ids[1][1] limit p_most
    loop
      taken := taken || waiting;
      firsts := firsts || waiting.ids[1][1];
      events := events + array_length(waiting.ids, 2);
      exit when events >= p_most;
    end loop;
    select coalesce(array_agg(e.id), '{}') into settled_ids from event e
    where e.bucket = any (array(select bucket_of(f) from unnest(firsts) f)) and e.id = any (firsts);
    if settled_ids = '{}' then
      exit;
    elsif fence <= safe then
      delete from event_outbox where bucket = here and settled is null and ids[1][1] = any (settled_ids);
    else
      update event_outbox set settled = fence where bucket = here and settled is null and ids[1][1] = any (settled_ids);
    end if;
    exit when events < p_most;
  end loop;
  return query select * from unnest(taken) t where t.ids[1][1] <> all (settled_ids);
end
$$;
