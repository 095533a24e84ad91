-- Evidence of who asked for a transfer: the signature of the request, what it signed, and the public key
-- (src/ledger/transfers/evidence.ts). Only signed requests have a row, which post_transfers writes with the transfer.
create table transfer_evidence (
  bucket int not null,
  customer_id uuid not null,
  transfer_id uuid not null,
  evidence jsonb not null,
  constraint transfer_evidence_pkey primary key (transfer_id, bucket)
);

-- For the erasure of a customer, and the reset of a sandbox, which say the condition.
create index transfer_evidence_of_customer on transfer_evidence (bucket, customer_id) where evidence is not null;
