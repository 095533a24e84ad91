-- The event feed: events in a permanent order, so that `GET /events?after=<id>` never misses one.
--
-- Ids and sequence values are assigned before the commit. In either order, an event could appear before one that a reader has
-- already read. So positions are assigned after the commit: settle_events() finds the events committed since its last call, and
-- gives each the next position in its account's feed. Positions never change and have no gaps, and `after` uses positions only.
--
-- Finding new events: event_cursor stores the snapshot of the last call. An event is new if it is visible now and its transaction
-- was not visible in that snapshot: it was running (pg_snapshot_xip) or started later (xid >= pg_snapshot_xmax). One statement
-- reads with a snapshot and stores the same snapshot, so every transaction falls between exactly two snapshots, however late it
-- commits. A lock on the cursor lets one caller settle at a time.
--
-- Order: events of one snapshot precede those of the next. Within a snapshot they are ordered by `written`, the time of the
-- insert. The writer then holds its row locks, so `written` is later than the commit of any transaction that it waited for:
-- transactions that change the same label or customer row are ordered by commit. xid does not give this order: a transaction can
-- get its xid first, then wait, and commit after one with a higher xid.
--
-- The alternative, a feed ordered by (xid, id) up to pg_snapshot_xmin(), was measured with batches of 200. Per transfer, its index
-- (account_id, xid, id) costs 3.3 % more CPU of the database and 128 bytes of WAL; the index (xid) used here, which B-tree
-- deduplication keeps small, 0.5 % and 81 bytes. The alternative also stalls during any long transaction of the server, does not
-- give the order above, and loses its position when a database is dumped and restored.
--
-- On a cluster each node numbers its transactions, so each node would need a cursor.

alter table event
  add column xid xid8 not null default pg_current_xact_id(),
  add column written timestamptz not null default clock_timestamp();

create index event_by_xid on event (xid);

-- Belongs to the account and not to a customer, so the keys start with the account. Inserts go to the right edge of both indexes.
create table event_feed (
  account_id uuid not null,
  position bigint not null,
  event_id uuid not null,
  bucket int not null,
  constraint event_feed_pkey primary key (account_id, position),
  constraint event_feed_event_key unique (account_id, event_id)
);

-- The last assigned position of each account.
create table event_head (
  account_id uuid not null,
  position bigint not null,
  constraint event_head_pkey primary key (account_id)
) with (fillfactor = 50);

-- One row: the snapshot up to which events are settled. The initial one precedes every transaction.
create table event_cursor (
  id int not null,
  snapshot pg_snapshot not null,
  constraint event_cursor_pkey primary key (id),
  constraint event_cursor_check check (id = 1)
);

insert into event_cursor (id, snapshot) values (1, '3:3:');

-- Settles every event committed before the call, and returns their number. Call it in a separate transaction: it would miss events
-- that its own transaction wrote. Writes nothing if there is nothing new.
create function settle_events() returns bigint
language plpgsql
-- Index scans only, and a plan per call: a plan made for a small table would be wrong for a large one.
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  kept pg_snapshot;
  -- The database was restored into a server with lower transaction ids, where the stored snapshot is meaningless.
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

  -- Read again under a lock: another caller may have changed it meanwhile.
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
  -- behind: 0 for the newest event. After a restore, skips events that were settled before.
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
