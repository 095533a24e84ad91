-- A prototype of one feed instead of two: settled rows of the outbox are the tail of the feed, and full tiles of the transparency log are
-- the rest. Only bench/research/feed-is-log.ts uses it.

-- The tail. A row has the events of one row of the outbox, the first of them at position `first`.
create table feed_tail (
  account_id uuid not null,
  first bigint not null,
  topic text not null,
  created timestamptz not null,
  ids uuid[] not null,
  topics text[],
  times timestamptz[],
  primary key (account_id, first)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, toast_tuple_target = 8160);
alter table feed_tail alter ids set storage external, alter topics set storage external;

-- What 256 entries of the log have: the first and last time in their ids, and their topics with the number of events up to the end.
create table feed_tile (
  account_id uuid not null,
  tile bigint not null,
  low bigint not null,
  high bigint not null,
  primary key (account_id, tile)
);
create index feed_tile_by_time on feed_tile (account_id, high);
create table feed_tile_topic (
  account_id uuid not null,
  topic int not null,
  topic_position bigint not null,
  tile bigint not null,
  primary key (account_id, topic, topic_position)
);

create function settle_tail(p_most int, p_part int) returns table (settled bigint, more boolean)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
as $$
declare
  taken event_outbox[];
  accounts uuid[];
begin
  settled := 0;
  more := false;
  if outbox_waits(p_part) then
    select array_agg(t) into taken from take_from_outbox(p_part, p_most) t;
  end if;
  if taken is null then
    return next;
    return;
  end if;
  accounts := array(select distinct account_id from unnest(taken) order by 1);
  insert into event_head (account_id, position)
  select account_id, 0 from unnest(accounts) account_id order by account_id
  on conflict do nothing;
  perform 1 from event_head where account_id = any (accounts) order by account_id for update;
  with item as materialized (
    select account_id, topic, created, ids, topics, times, array_length(ids, 2) as events,
      sum(array_length(ids, 2)) over (partition by account_id order by written, ids[1][1]) as upto
    from unnest(taken) t
  ),
  head as (
    update event_head h set position = h.position + c.events
    from (select account_id, sum(events) as events from item group by account_id) c
    where h.account_id = c.account_id
    returning h.account_id, h.position - c.events as base, c.events
  ),
  tail as (
    insert into feed_tail (account_id, first, topic, created, ids, topics, times)
    select account_id, head.base + item.upto - item.events + 1, topic, created, ids, topics, times from item join head using (account_id)
    returning 1
  )
  select sum(events) into settled from head;
  more := settled >= p_most;
  return next;
end
$$;
