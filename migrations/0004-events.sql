-- Events. Each is written to the outbox in the same transaction as the change it reports. After the commit, settle_events() moves it
-- to the feed of its account, where it gets the next position. Positions never change and have no gaps, so that
-- `GET /events?after=<id>` never misses an event. Ids and sequence values would not do: they are assigned before the commit.
--
-- Order: `written` is the time of the insert. The writer then holds its row locks, so `written` is later than the commit of any
-- transaction that it waited for: the events of a customer are in the order of their commits.

-- A queue without a primary key, because nothing refers to its rows. Replication identifies a row by all its columns.
--
-- A row has the events that one statement wrote, in order, and the first event identifies it. ids has the ids of the events, of their
-- customers and of their resources, and of their accounts unless all are of account_id. topics and times are null if all events have
-- topic and created. bucket: outbox_bucket() of that of the first event. settled: only on a cluster, a place in the log of the coordinator
-- after the commit of its events to the feed, while the row waits for the standbys of the coordinator (cluster/outbox.sql).
create table event_outbox (
  account_id uuid not null,
  written timestamptz not null default clock_timestamp(),
  created timestamptz not null,
  bucket int not null,
  topic text not null,
  ids uuid[] not null,
  topics text[],
  times timestamptz[],
  settled pg_lsn
  -- Autovacuum depends on the number of dead rows, because the live ones are few. Post_transfers writes rows that fit into a page.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, toast_tuple_target = 8160);

alter table event_outbox alter ids set storage external, alter topics set storage external;
alter table event_outbox replica identity full;
create index event_outbox_by_written on event_outbox (written) where settled is null;
create index event_outbox_by_settled on event_outbox (settled) where settled is not null;

-- The bucket in an id (src/core/ids.ts). Statements that a cluster runs on its workers cannot call it: it may not exist there.
create function bucket_of(p_id uuid) returns int
language sql immutable
return (get_byte(uuid_send(p_id), 6) & 15) * 256 + get_byte(uuid_send(p_id), 7);

-- The bucket of the row that has an event of this bucket in the outbox. A cluster replaces this function by one that gives all buckets of a
-- group of shards the same (src/platform/db/cluster/distribute.ts), so that statements on a part of the outbox name one bucket.
create function outbox_bucket(p_bucket int) returns int
language sql immutable
return p_bucket;

-- Gives each event of the outbox its own row: for the reset of one account, and for a cluster, which settles its parts independently.
-- The caller locks out settling. Rows of one statement are written at least as many microseconds apart as they have events.
create function split_outbox() returns void
language plpgsql
as $$
declare
  whole event_outbox;
begin
  for whole in delete from event_outbox where array_length(ids, 2) > 1 or bucket <> outbox_bucket(bucket) returning * loop
    insert into event_outbox (bucket, account_id, topic, created, written, ids)
    select outbox_bucket(bucket_of(whole.ids[1][nth])), coalesce(whole.ids[4][nth], whole.account_id), coalesce(whole.topics[nth], whole.topic),
      coalesce(whole.times[nth], whole.created), whole.written + (nth - 1) * interval '1 microsecond',
      array[array[whole.ids[1][nth]], array[whole.ids[2][nth]], array[whole.ids[3][nth]]]
    from generate_subscripts(whole.ids, 2) as nth;
  end loop;
end
$$;

-- The last assigned position of each account. Every deleted event was created before `pruned`, so that `earmark verify` can
-- distinguish deleted events from missing ones.
create table event_head (
  account_id uuid not null,
  position bigint not null,
  pruned timestamptz,
  constraint event_head_pkey primary key (account_id)
) with (fillfactor = 50);

-- The topics in the feed of an account. number: represents the topic in the feed. position: the last assigned position within it.
create table event_topic (
  account_id uuid not null,
  topic text not null,
  number int not null,
  position bigint not null,
  constraint event_topic_pkey primary key (topic, account_id)
) with (fillfactor = 50);

create unique index event_topic_by_number on event_topic (account_id, number);

-- The feed. An event has a position in the feed of its account, and another within its topic: the number of events of a topic is a
-- subtraction, and any page starts at a known position. The feed belongs to the account, so its key starts with the account.
create table event (
  account_id uuid not null,
  position bigint not null,
  id uuid not null,
  customer_id uuid,
  resource_id uuid not null,
  created timestamptz not null,
  topic_position bigint not null,
  topic int not null,
  bucket int not null,
  constraint event_pkey primary key (account_id, position)
);

create unique index event_by_id on event (bucket, id);
create unique index event_by_topic on event (account_id, topic, topic_position);
create index event_by_resource on event (resource_id, position);

-- One row for each part of the outbox: one on a single server; on a cluster one for each group of shards. The lock of a row lets one
-- caller at a time take from that part. Every row written before `low` is settled, so that a call need not step over the dead rows of
-- earlier ones. swept: the last time that a call ignored `low`. Only on a cluster: outbox_bucket is the bucket of all rows of the part,
-- and server the coordinator of the last call (server_identity).
create table event_cursor (
  id int not null,
  low timestamptz not null default '-infinity',
  swept timestamptz not null default '-infinity',
  outbox_bucket int,
  server text,
  constraint event_cursor_pkey primary key (id)
);

insert into event_cursor (id) values (1);

-- Where to start reading the outbox: at `low`, or every minute at the beginning. That finds what `low` misses, such as events
-- written after the clock was set back.
create function outbox_start(p_part int) returns timestamptz
language sql stable
return (
  select case when swept between clock_timestamp() - interval '1 minute' and clock_timestamp() then low else '-infinity' end
  from event_cursor where id = p_part
);

-- Whether committed events wait in the outbox. cluster/outbox.sql has the version for a cluster.
create function outbox_waits(p_part int) returns boolean
language plpgsql stable
set enable_seqscan = off
as $$
declare
  start constant timestamptz := outbox_start(p_part);
begin
  return exists (select 1 from event_outbox where settled is null and written >= start);
end
$$;

-- Removes the first rows of the outbox that have p_most committed events, or all. cluster/outbox.sql has the version for a cluster.
create function take_from_outbox(p_part int, p_most int) returns setof event_outbox
language plpgsql
set enable_seqscan = off
as $$
declare
  -- Covers the time between the evaluation of `written` and the assignment of a transaction id.
  margin constant interval := '1 second';
  start timestamptz;
  next_low timestamptz;
  rows tid[];
  last_written timestamptz;
  found bigint;
begin
  perform 1 from event_cursor where id = p_part for update;
  start := outbox_start(p_part);
  -- No transaction writes an event before this time that is not visible below: it is running now, or starts later.
  select least(clock_timestamp(), min(xact_start)) - margin into next_low
  from pg_stat_activity where datname = current_database() and backend_xid is not null;
  select array_agg(o.ctid), max(o.written), max(o.sum) into rows, last_written, found
  from (
    select ctid, written, events, sum(events) over (order by written, first)
    from (
      select ctid, written, ids[1][1] as first, array_length(ids, 2) as events
      from event_outbox where settled is null and written >= start order by written, first limit p_most
    ) o
  ) o
  where o.sum - o.events < p_most;
  return query delete from event_outbox where ctid = any (rows) returning *;
  if found >= p_most then
    update event_cursor set low = least(next_low, last_written) where id = p_part;
  else
    update event_cursor set low = next_low, swept = case start when '-infinity' then clock_timestamp() else swept end where id = p_part;
  end if;
end
$$;

-- Settles p_most events committed before the call, and the rest of their last row. Returns their number, whether there may be more, and
-- the number of parts. Call it in a separate transaction: it would settle events that its own transaction wrote. Writes nothing if there
-- is nothing new.
create function settle_events(p_most int, p_part int) returns table (settled bigint, more boolean, parts bigint)
language plpgsql
-- A generic plan, because planning costs as much as settling fifty events. It may be made while tables are small: index scans only,
-- and hash joins, also where the connection forbids them: nested loops would compare each event with each topic of each account.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
set enable_hashjoin = on
as $$
#variable_conflict use_column
declare
  taken event_outbox[];
  accounts uuid[];
begin
  settled := 0;
  more := false;
  select count(*) into parts from event_cursor;
  if outbox_waits(p_part) then
    select array_agg(t) into taken from take_from_outbox(p_part, p_most) t;
  end if;
  if taken is null then
    return next;
    return;
  end if;

  -- Locks the feeds, in one order.
  accounts := array(select account_id from unnest(taken) union select unnest(ids[4:]) from unnest(taken) order by 1);
  insert into event_head (account_id, position)
  select account_id, 0 from unnest(accounts) account_id order by account_id
  on conflict do nothing;
  perform 1 from event_head where account_id = any (accounts) order by account_id for update;

  -- Materialized, so that a sort does not copy the arrays for each event.
  with item as materialized (
    select coalesce(ids[4][nth], account_id) as account_id, ids[1][nth] as id, ids[2][nth] as customer_id, ids[3][nth] as resource_id,
      coalesce(topics[nth], topic) as topic, coalesce(times[nth], created) as created, written, ids[1][1] as first, nth
    from (select *, generate_subscripts(ids, 2) as nth from unnest(taken)) t
  ),
  fresh as (
    select account_id, customer_id, id, topic, resource_id, created,
      row_number() over (partition by account_id order by written, first, nth) as place,
      row_number() over (partition by account_id, topic order by written, first, nth) as place_in_topic
    from item
  ),
  counted as (
    select account_id, topic, count(*) as events,
      coalesce((select max(number) from event_topic t where t.account_id = fresh.account_id), 0)
        + row_number() over (partition by account_id order by topic) as number
    from fresh group by account_id, topic
  ),
  head as (
    update event_head h set position = h.position + c.events
    from (select account_id, sum(events) as events from counted group by account_id) c
    where h.account_id = c.account_id and h.account_id = any (accounts)
    returning h.account_id, h.position
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
    insert into event (account_id, position, id, customer_id, resource_id, created, topic_position, topic, bucket)
    select account_id, base.position + place, id, customer_id, resource_id, created, base.topic_position + place_in_topic, base.number, bucket_of(id)
    from fresh join base using (account_id, topic)
    returning 1
  )
  select count(*) into settled from fed;
  more := settled >= p_most;
  return next;
end
$$;
