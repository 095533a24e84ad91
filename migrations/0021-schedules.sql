-- Schedules: reallocations that a rule of RFC 5545 repeats.

-- amount_kind: 'value' moves amount, 'all' what is available, 'above' what is available beyond amount, 'upTo' what the destination lacks to
-- amount. Amounts are in minor units.
-- rule, start and time_zone: RRULE, the local time of DTSTART, and its zone. next: the moment of the next occurrence, next_local: its local
-- time, from which the rule goes on. Both are null unless the schedule is active.
create table schedule (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  from_id uuid not null,
  to_id uuid not null,
  currency text not null,
  amount_kind text not null,
  amount bigint,
  rule text not null,
  start text not null,
  time_zone text not null,
  if_insufficient text not null,
  catch_up text not null,
  status text not null default 'active',
  next timestamptz,
  next_local text,
  end_reason text,
  ended timestamptz,
  created timestamptz not null,
  reference text,
  correlation_id text,
  external_id text,
  metadata jsonb,
  constraint schedule_pkey primary key (id, bucket),
  constraint schedule_amount_check check (
    case amount_kind when 'all' then amount is null when 'above' then amount >= 0 else amount_kind in ('value', 'upTo') and amount > 0 end),
  constraint schedule_insufficient_check check (if_insufficient in ('skip', 'partial', 'fail')),
  constraint schedule_catch_up_check check (catch_up in ('each', 'last', 'none')),
  constraint schedule_status_check check (status in ('active', 'paused', 'ended')),
  constraint schedule_next_check check ((next is not null) = (status = 'active') and (next_local is not null) = (status = 'active')),
  constraint schedule_ended_check check ((ended is not null) = (status = 'ended') and (end_reason is not null) = (status = 'ended'))
) with (fillfactor = 70);

create index schedule_by_customer on schedule (customer_id, id, bucket);
create index schedule_due on schedule (next, bucket) where status = 'active';
create unique index schedule_external_id on schedule (bucket, customer_id, external_id) where external_id is not null;

-- What became of each occurrence. The id follows from the schedule and the moment, and the reallocation of an occurrence that ran has the
-- same id: neither can exist twice. reason: why it was skipped or failed. amount: what was moved.
create table schedule_occurrence (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  schedule_id uuid not null,
  at timestamptz not null,
  status text not null,
  reason text,
  amount bigint,
  currency text not null,
  decided timestamptz not null,
  constraint schedule_occurrence_pkey primary key (id, bucket),
  constraint schedule_occurrence_status_check check (
    case status when 'ran' then reason is null and amount > 0 else status in ('skipped', 'failed') and reason is not null and amount is null end)
);

create unique index schedule_occurrence_by_time on schedule_occurrence (bucket, schedule_id, at);
