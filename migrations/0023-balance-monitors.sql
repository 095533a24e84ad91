-- Balance monitors: an event for each crossing of a threshold by the amount of a label. They follow the feed, so that a transfer costs the
-- same with and without them.

-- direction: 'below' or 'above'. threshold and rearm are in minor units. armed: the next crossing is reported. sequence: the last entry of
-- the label that was evaluated, under the lock of the row: each entry counts once, however often the feed is read.
-- crossed_*: the last crossing, with the transfer that caused it.
create table balance_monitor (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  label_id uuid not null,
  currency text not null,
  direction text not null,
  threshold bigint not null,
  rearm bigint not null,
  armed boolean not null,
  sequence bigint not null,
  crossed timestamptz,
  crossed_balance bigint,
  crossed_entry uuid,
  created timestamptz not null,
  deleted timestamptz,
  constraint balance_monitor_pkey primary key (id, bucket),
  constraint balance_monitor_direction_check check (direction in ('below', 'above')),
  constraint balance_monitor_rearm_check check (case direction when 'below' then rearm >= threshold else rearm <= threshold end)
) with (fillfactor = 50);

create index balance_monitor_by_label on balance_monitor (customer_id, label_id, id, bucket) where deleted is null;

-- The feeds of accounts that have had a monitor. Every event up to position is evaluated. It belongs to the account, as the feed does, so
-- its key has no bucket.
create table monitored_feed (
  account_id uuid not null,
  position bigint not null,
  constraint monitored_feed_pkey primary key (account_id)
) with (fillfactor = 50);
