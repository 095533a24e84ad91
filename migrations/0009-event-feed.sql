-- The feed: events in an order that never changes afterwards, so that `GET /events?after=<id>` cannot pass over one.
--
-- Ids are made before the commit and sequences are drawn before it: in either order an event can appear behind a reader who
-- has already gone past its place. So the place is given after the commit. settle_events() takes what was committed since it
-- was last called, and gives each event the next position of its account. A position, once given, stays; positions have no
-- gaps. `after` moves over positions only.
--
-- What was committed since: the last snapshot is kept (event_cursor). An event's transaction is new when that snapshot did not
-- see it: it was running then (pg_snapshot_xip), or began later (xid >= pg_snapshot_xmax), and its row is visible now. The
-- snapshot that looks is the one that is kept, both in one statement, so every transaction falls between exactly two of them,
-- however late it commits, from whichever process. One caller settles at a time (the lock on the cursor).
--
-- Order: what one snapshot saw comes before what only the next saw. Within one, by `written`: the time of the insert, taken
-- while the writer holds the locks of what it changed, and so later than the commit of whatever it waited for. So two
-- transactions that touch the same label, or the same customer row, stand in the order of their commits. The order of xid
-- would not do: a transaction has its xid before it waits, and then commits after a later one.
--
-- The other way, ordering the feed by (xid, id) up to pg_snapshot_xmin(), was measured beside this one, batches of 200, CPU of
-- the database for a transfer: index (account_id, xid, id) +3.3 %, 128 bytes of WAL more; this one's index (xid), which
-- B-tree deduplication makes small, +0.5 %, 81 bytes. It also would stand still while any transaction of the server runs
-- long, gets the order above wrong, and loses its place when a database is dumped and restored.
--
-- On a cluster, transactions are numbered by each node: there the cursor becomes one for each node.

alter table event
  add column xid xid8 not null default pg_current_xact_id(),
  add column written timestamptz not null default clock_timestamp();

create index event_by_xid on event (xid);

-- Belongs to the account, not to a customer: the account leads the keys, and both grow at their right edge.
create table event_feed (
  account_id uuid not null,
  position bigint not null,
  event_id uuid not null,
  bucket int not null,
  constraint event_feed_pkey primary key (account_id, position),
  constraint event_feed_event_key unique (account_id, event_id)
);

-- The last position given.
create table event_head (
  account_id uuid not null,
  position bigint not null,
  constraint event_head_pkey primary key (account_id)
) with (fillfactor = 50);

-- One row: the snapshot up to which events are settled. It begins before every transaction there can be.
create table event_cursor (
  id int not null,
  snapshot pg_snapshot not null,
  constraint event_cursor_pkey primary key (id),
  constraint event_cursor_check check (id = 1)
);

insert into event_cursor (id, snapshot) values (1, '3:3:');

-- Settles every event that was committed before the call; returns how many it found. In a transaction of its own: an event that
-- the same transaction had written would be passed over. Writes nothing when there is nothing new.
create function settle_events() returns bigint
language plpgsql
-- Always by index, and planned for the snapshot at hand: what was right for a small table would be wrong for a large one.
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  kept pg_snapshot;
  -- The database was restored into a server that counts anew: the kept snapshot says nothing there.
  restored boolean;
  settled bigint;
begin
  select snapshot, pg_snapshot_xmax(snapshot) > pg_snapshot_xmax(pg_current_snapshot()) into kept, restored from event_cursor;
  if not restored
    and not exists (select from event where xid >= pg_snapshot_xmax(kept) and xid < pg_snapshot_xmax(pg_current_snapshot()))
    and not exists (select from event where xid = any (array(select pg_snapshot_xip(kept))))
  then
    return 0;
  end if;

  -- Another caller may have moved it while this one waited: from here on it stands still.
  select snapshot, pg_snapshot_xmax(snapshot) > pg_snapshot_xmax(pg_current_snapshot()) into kept, restored from event_cursor
  for update;

  with found as (
    select account_id, bucket, id, written from event
    where not restored and xid >= pg_snapshot_xmax(kept) and xid < pg_snapshot_xmax(pg_current_snapshot())
    union all
    select account_id, bucket, id, written from event
    where not restored and xid = any (array(select pg_snapshot_xip(kept)))
    union all
    select account_id, bucket, id, written from event
    where restored
  ),
  -- Numbered from the newest down to 0. What a restored database has settled already is not settled again.
  fresh as (
    select account_id, bucket, id, row_number() over (partition by account_id order by written desc, id desc) - 1 as behind
    from found
    left join lateral (
      select true as known from event_feed f where f.account_id = found.account_id and f.event_id = found.id limit 1
    ) f on true
    where f.known is null
  ),
  head as (
    insert into event_head as h (account_id, position)
    select account_id, count(*) from fresh group by account_id
    on conflict (account_id) do update set position = h.position + excluded.position
    returning account_id, position
  ),
  fed as (
    insert into event_feed (account_id, position, bucket, event_id)
    select account_id, position - behind, bucket, id from fresh join head using (account_id)
    returning 1
  ),
  moved as (
    update event_cursor set snapshot = pg_current_snapshot()
  )
  select count(*) into settled from fed;
  return settled;
end
$$;
