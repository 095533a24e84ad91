-- The feed by topic and by resource, and settling in steps of a bounded size.
--
-- Topic and resource are indexed when an event is settled instead of when it is written, because every transfer waits for the
-- insert. The events of a topic have separate positions within the account's feed, without gaps and in the same order, so that
-- their number is a subtraction and any page starts at a known position.

-- number: represents the topic in the account's feed. position: the last assigned position within the topic.
create table event_topic (
  account_id uuid not null,
  topic text not null,
  number int not null,
  position bigint not null,
  constraint event_topic_pkey primary key (account_id, topic)
) with (fillfactor = 50);

alter table event_feed
  add column topic int,
  add column topic_position bigint,
  add column resource_id uuid;

insert into event_topic (account_id, topic, number, position)
select f.account_id, e.topic, row_number() over (partition by f.account_id order by e.topic), count(*)
from event_feed f join event e on e.bucket = f.bucket and e.id = f.event_id
group by f.account_id, e.topic;

update event_feed f
set topic = w.number, topic_position = w.topic_position, resource_id = w.resource_id
from (
  select f.account_id, f.position, t.number, e.resource_id,
    row_number() over (partition by f.account_id, e.topic order by f.position) as topic_position
  from event_feed f
  join event e on e.bucket = f.bucket and e.id = f.event_id
  join event_topic t on t.account_id = f.account_id and t.topic = e.topic
) w
where f.account_id = w.account_id and f.position = w.position;

create unique index event_feed_by_topic on event_feed (account_id, topic, topic_position);
create index event_feed_by_resource on event_feed (resource_id, position);

-- Whether the database was ever restored into a server with lower transaction ids. Only then can an event that looks new have been
-- settled before.
alter table event_cursor add column restored boolean not null default false;

drop function settle_events();

-- Settles events committed before the call. Returns their number, and whether more remain than one step takes. Call it in a
-- separate transaction: it would miss events that its own transaction wrote. Writes nothing if there is nothing new.
-- 0009-event-feed.sql explains the order of events and why none is missed.
--
-- A step settles the transactions below an xid, `cut`, and stores the snapshot of what is visible below it. That alone could
-- reverse two commits: a transaction with an xid below the cut may have waited for one above it. So the step leaves transactions
-- that wrote at or after `earliest`, the first `written` above the cut, to the next step, and the stored snapshot lists them as running.
-- A transaction that waited for one above the cut wrote after it, and so after `earliest`. To find `earliest`, it is enough to
-- read as many transactions above the cut as there can be connections: at least one of these had ended when any later transaction
-- wrote its first event.
create function settle_events(p_most int) returns table (settled bigint, more boolean)
language plpgsql
-- A generic plan, because planning costs as much as settling fifty events. It may be made while tables are small: index scans only,
-- and no nested loops over the accounts and topics of a step.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  kept pg_snapshot;
  -- The events visible in it are settled by this step, or by the next if `more`.
  target pg_snapshot;
  -- The database was restored into a server with lower transaction ids, where the stored snapshot is meaningless.
  restored boolean;
  doubtful boolean;
  low xid8;
  cut xid8;
  beyond xid8;
  earliest timestamptz;
  late xid8[];
begin
  more := false;
  settled := 0;
  select snapshot, pg_snapshot_xmax(snapshot) > pg_snapshot_xmax(pg_current_snapshot()) into kept, restored from event_cursor;
  if not restored
    and not exists (select from event where xid >= pg_snapshot_xmax(kept) and xid < pg_snapshot_xmax(pg_current_snapshot()))
    and not exists (select from event where xid = any (array(select pg_snapshot_xip(kept))))
  then
    return next;
    return;
  end if;

  -- Read again under a lock: another caller may have changed it meanwhile.
  select snapshot, c.restored into kept, doubtful from event_cursor c for update;
  target := pg_current_snapshot();
  restored := pg_snapshot_xmax(kept) > pg_snapshot_xmax(target);
  doubtful := doubtful or restored;
  low := pg_snapshot_xmax(kept);
  cut := pg_snapshot_xmax(target);

  if not restored then
    select xid into beyond from event where xid >= low and xid < cut order by xid offset p_most - 1 limit 1;
    select min(xid) into beyond from event where xid > beyond and xid < cut;
    more := beyond is not null;
  end if;
  if more then
    cut := beyond;
    for n in 1 .. current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int loop
      exit when beyond is null;
      select min(xid) into beyond from event where xid > beyond and xid < pg_snapshot_xmax(target);
    end loop;
    select min(written) into earliest from event where xid >= cut and xid < coalesce(beyond, pg_snapshot_xmax(target));
    select array_agg(xid) into late
    from (
      select xid from event where xid >= low and xid < cut and pg_visible_in_snapshot(xid, target) group by xid having max(written) >= earliest
      union all
      select xid from event where xid = any (array(select pg_snapshot_xip(kept))) and pg_visible_in_snapshot(xid, target) group by xid having max(written) >= earliest
    ) w;
  end if;

  with found as (
    select account_id, bucket, id, topic, resource_id, written, xid from event
    where not restored and xid >= low and xid < cut and pg_visible_in_snapshot(xid, target)
    union all
    select account_id, bucket, id, topic, resource_id, written, xid from event
    where not restored and xid = any (array(select pg_snapshot_xip(kept))) and pg_visible_in_snapshot(xid, target)
    union all
    select account_id, bucket, id, topic, resource_id, written, xid from event
    where restored
  ),
  -- After a restore, skips events that were settled before.
  fresh as (
    select account_id, bucket, id, topic, resource_id,
      row_number() over (partition by account_id order by written, id) as place,
      row_number() over (partition by account_id, topic order by written, id) as place_in_topic
    from found
    left join lateral (
      select true as known from event_feed f where doubtful and f.account_id = found.account_id and f.event_id = found.id limit 1
    ) f on true
    where f.known is null and (late is null or xid <> all (late))
  ),
  counted as (
    select account_id, topic, count(*) as events,
      coalesce((select max(number) from event_topic t where t.account_id = fresh.account_id), 0)
        + row_number() over (partition by account_id order by topic) as number
    from fresh group by account_id, topic
  ),
  head as (
    insert into event_head as h (account_id, position)
    select account_id, sum(events) from counted group by account_id
    on conflict (account_id) do update set position = h.position + excluded.position
    returning account_id, position
  ),
  topic_head as (
    insert into event_topic as h (account_id, topic, number, position)
    select account_id, topic, number, events from counted
    on conflict (account_id, topic) do update set position = h.position + excluded.position
    returning account_id, topic, number, position
  ),
  -- The position before the first new event.
  base as (
    select account_id, topic, t.number, t.position - c.events as topic_position,
      h.position - sum(c.events) over (partition by account_id) as position
    from counted c join topic_head t using (account_id, topic) join head h using (account_id)
  ),
  fed as (
    insert into event_feed (account_id, position, bucket, event_id, topic, topic_position, resource_id)
    select account_id, base.position + place, bucket, id, base.number, base.topic_position + place_in_topic, resource_id
    from fresh join base using (account_id, topic)
    returning 1
  )
  select count(*) into settled from fed;

  -- Visible in the stored snapshot: transactions below the cut, except late ones and those still running in the target.
  update event_cursor
  set restored = doubtful, snapshot = (
    select format('%s:%s:%s', coalesce(min(unseen), cut), cut, string_agg(unseen::text, ',' order by unseen))::pg_snapshot
    from (
      select unseen from pg_snapshot_xip(target) unseen where unseen < cut
      union
      select unseen from unnest(late) unseen
    ) w
  );
  return next;
end
$$;
