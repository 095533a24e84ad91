-- Webhooks: subscriptions to an account's events, deliveries and their attempts.
-- Each subscription has a random bucket, and its records have the same bucket.

-- position: the feed position up to which events have become webhooks.
-- secret, and secret_before, which also signs until it expires, are sealed (src/platform/keys/sealing.ts).
-- failures: failed deliveries since the last success. healthy: the time of that success, of creation or of resumption.
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

-- One event for one subscription: a copy of the event, so that it remains when the event is deleted. Never updated. Its id is
-- computed from the subscription and the event (src/resources/webhooks/webhook.ts) and contains the event's time, so that an event never
-- becomes two webhooks. A ping has no event. checkpoint: of an announced checkpoint only.
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
  checkpoint text,
  constraint webhook_pkey primary key (id, bucket)
);

create index webhook_by_subscription on webhook (subscription_id, id, bucket);

-- Pending deliveries. A worker claims one by setting due to the end of its lease. If the worker dies, the delivery becomes due again
-- when the lease ends; a worker whose lease was lost finds another due and changes nothing.
-- attempts: the number of attempts so far. first: the time of the first.
create table webhook_due (
  subscription_id uuid not null,
  webhook_id uuid not null,
  due timestamptz not null,
  first timestamptz,
  bucket int not null,
  attempts smallint not null default 0,
  constraint webhook_due_pkey primary key (webhook_id, due, bucket)
  -- A queue: claims leave dead rows before the live ones, so autovacuum depends on their number instead of the table's size.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- For claims, which say the condition.
create index webhook_due_by_time on webhook_due (bucket, subscription_id, due) where attempts >= 0;
-- Finds those not attempted yet among many failed ones.
create index webhook_due_new on webhook_due (bucket, subscription_id, webhook_id) where first is null;

-- Delivery attempts: the request, and as much of the response as was received. error: a sentence, if the attempt failed.
-- delivered: the response was complete with a 2xx status. superseded: a later attempt exists, so the index below has the last one only.
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
  constraint webhook_attempt_pkey primary key (webhook_id, id, bucket)
);

-- No statement has conditions on them, and sorting a sample of documents takes a second of each analysis.
alter table webhook_attempt
  alter url set statistics 0, alter request_headers set statistics 0, alter request_body set statistics 0,
  alter response_headers set statistics 0, alter response_body set statistics 0, alter error set statistics 0;

create index webhook_attempt_by_outcome on webhook_attempt (subscription_id, delivered, webhook_id, bucket) where not superseded;

-- Retries on request.
create table webhook_retry (
  bucket int not null,
  webhook_id uuid not null,
  id uuid not null,
  created timestamptz not null,
  constraint webhook_retry_pkey primary key (bucket, webhook_id, id)
);
