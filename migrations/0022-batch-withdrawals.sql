-- Withdrawals from labels in a batch, beside its reallocations.
-- withdrawals: by withdrawal, its id, or the code, message and path of its refusal.
alter table label_reallocation_batch add column withdrawals jsonb not null default '[]';
