-- Webhooks: who wants to be told of an account's events, what each was told, and what is still to be told.
-- A subscription draws a bucket of its own, and all that belongs to it carries that bucket.

-- position: the place in the account's feed up to which events have become webhooks.
-- secret and secret_before (which signs too, until it expires) are sealed (src/sealing.ts).
-- failures: deliveries that failed since the last success; healthy: that success, or when it was made or resumed.
create table webhook_subscription (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  url text not null,
  secret bytea not null,
  secret_before bytea,
  secret_before_expires timestamptz,
  topics text[],
  paused boolean not null default false,
  position bigint not null,
  webhooks bigint not null default 0,
  failures int not null default 0,
  healthy timestamptz not null,
  created timestamptz not null,
  removed timestamptz,
  constraint webhook_subscription_pkey primary key (bucket, id)
) with (fillfactor = 50);

create index webhook_subscription_by_account on webhook_subscription (account_id, id) where removed is null;

-- What a subscription is told of one event: a copy of the event, so that it outlives it. Written once. Its id follows from the
-- subscription and the event (src/webhooks/webhook.ts), and carries the event's time: the same event never becomes two.
-- A ping has no event.
create table webhook (
  id uuid not null,
  subscription_id uuid not null,
  account_id uuid not null,
  customer_id uuid,
  event_id uuid,
  resource_id uuid not null,
  created timestamptz not null,
  bucket int not null,
  topic text not null,
  constraint webhook_pkey primary key (bucket, id)
);

create index webhook_by_subscription on webhook (bucket, subscription_id, id);

-- What is still to be delivered, and when. Who takes one moves `due` to the end of a lease; when its taker dies it falls due
-- again by itself, and a taker that comes too late finds another `due` and changes nothing.
-- attempts made so far, and the time of the first.
create table webhook_due (
  subscription_id uuid not null,
  webhook_id uuid not null,
  due timestamptz not null,
  first timestamptz,
  bucket int not null,
  attempts smallint not null default 0,
  constraint webhook_due_pkey primary key (bucket, subscription_id, due, webhook_id)
  -- A queue: what is taken leaves dead rows before the next, so it is vacuumed by their number, not by its size.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Finds the deliveries of one webhook, and those that were not tried yet, among a million that failed.
create index webhook_due_by_webhook on webhook_due (bucket, subscription_id, (first is null), webhook_id);

-- Each time a webhook was sent: the whole request, and as much of the answer as there was. error: in words, where it failed.
-- delivered: a whole answer of 2xx. superseded: a later attempt was made; what it leaves in the index is only the last attempt of each.
create table webhook_attempt (
  id uuid not null,
  webhook_id uuid not null,
  subscription_id uuid not null,
  requested timestamptz not null,
  responded timestamptz,
  bucket int not null,
  status smallint,
  delivered boolean not null,
  superseded boolean not null default false,
  url text not null,
  request_headers jsonb not null,
  request_body text not null,
  response_headers jsonb,
  response_body text,
  error text,
  constraint webhook_attempt_pkey primary key (bucket, webhook_id, id)
);

create index webhook_attempt_by_outcome on webhook_attempt (bucket, subscription_id, delivered, webhook_id) where not superseded;

-- Attempts that somebody asked for.
create table webhook_retry (
  bucket int not null,
  webhook_id uuid not null,
  id uuid not null,
  created timestamptz not null,
  constraint webhook_retry_pkey primary key (bucket, webhook_id, id)
);
