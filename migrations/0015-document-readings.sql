-- Results of automatic checks of documents, and the traits by which an account's documents are recognised again.

-- sealed: what was read and compared (src/platform/keys/sealing.ts). The rows are deleted when the content of their document is erased.
create table document_reading (
  bucket int not null,
  id uuid not null,
  document_id uuid not null,
  account_id uuid not null,
  checker text not null,
  version text not null,
  sealed bytea not null,
  created timestamptz not null,
  constraint document_reading_pkey primary key (id, bucket),
  constraint document_reading_document_fkey foreign key (bucket, document_id) references document (bucket, id)
);

create index document_reading_by_document on document_reading (document_id, id, bucket);

-- hash: a keyed hash of the number of a document, or of a band of the fingerprint of its picture. fingerprint: of a picture, masked with
-- a key of the account. subject_id: the owner or customer of the document. Without a bucket, because an account is searched in all its
-- buckets: on a cluster the table stays on the coordinator.
create table document_trait (
  account_id uuid not null,
  hash bytea not null,
  document_id uuid not null,
  subject_id uuid not null,
  fingerprint bytea,
  created timestamptz not null,
  constraint document_trait_pkey primary key (account_id, hash, document_id)
);

create index document_trait_by_document on document_trait (document_id);

-- The process that checks the documents of an account: one picture per account at a time. Beside document_trait on a cluster.
create table document_check_lease (
  account_id uuid not null,
  holder uuid not null,
  until timestamptz not null,
  constraint document_check_lease_pkey primary key (account_id)
);
