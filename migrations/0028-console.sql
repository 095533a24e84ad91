-- What the console needs: the time zone of a person, a search for a transfer by the client's own id, and limits of what one person moves.

-- time_zone: in which the console shows times to the person; null before they choose one.
alter table operator add column time_zone text;

-- The id comes first, so that a search over all customers finds it too.
drop index transfer_external_id;
create unique index transfer_external_id on transfer (external_id, bucket, customer_id, kind) where external_id is not null;

-- The entries of all accounts, with everything that a list of them filters by.
create or replace view ledger_entry as
select bucket, from_id as ledger_account_id, from_sequence as sequence, id as transfer_id, -amount as amount, from_balance as balance,
  to_id as other_id, kind, currency, reference, correlation_id, external_id, created, reverses, deposit_id, rule_id, metadata, hold_id,
  return_id
from transfer where from_sequence > 0
union all
select bucket, to_id, to_sequence, id, amount, to_balance, from_id, kind, currency, reference, correlation_id, external_id, created,
  reverses, deposit_id, rule_id, metadata, hold_id, return_id
from transfer where to_sequence > 0;

-- pending_review: a decision of a person of the console, which they may take back until pending_until, by the clock of the database. The
-- document waits for nobody meanwhile, and is undecided for everybody else.
alter table document add column pending_review jsonb, add column pending_until timestamptz;
alter table document add constraint document_pending_check check (num_nulls(pending_review, pending_until) in (0, 2));
create index document_pending on document (pending_until) where pending_until is not null;

-- For the list of decided documents, newest first.
create index document_decided on document (decided) where decided is not null;

-- Above amount, in minor units, a move of money by a person waits for a second one.
create table move_limit (
  account_id uuid not null,
  currency text not null,
  amount bigint not null,
  constraint move_limit_pkey primary key (account_id, currency),
  constraint move_limit_account_id_fkey foreign key (account_id) references account (id),
  constraint move_limit_amount_check check (amount >= 0)
);
