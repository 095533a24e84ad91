-- Sandbox tools: the clock and the planned faults of an account.
-- Both belong to the account, so their keys have no bucket.

-- ahead_ms: how far the account's clock is ahead of the service's.
create table account_clock (
  account_id uuid not null,
  ahead_ms bigint not null,
  constraint account_clock_pkey primary key (account_id),
  constraint account_clock_account_fkey foreign key (account_id) references account (id),
  constraint account_clock_check check (ahead_ms >= 0)
);

-- operation: an operationId, or deliverWebhook. remaining: how many more calls it affects.
-- status: returned instead of the response. delay_ms: waited first. cut: the connection is closed without a response.
-- effect: the operation is carried out, and only its response is replaced.
create table planned_fault (
  id uuid not null,
  account_id uuid not null,
  operation text not null,
  remaining int not null,
  status smallint,
  delay_ms int not null,
  cut boolean not null,
  effect boolean not null,
  created timestamptz not null,
  constraint planned_fault_pkey primary key (id),
  constraint planned_fault_account_fkey foreign key (account_id) references account (id),
  constraint planned_fault_remaining_check check (remaining >= 0)
);

create index planned_fault_by_account on planned_fault (account_id, id) where remaining > 0;
