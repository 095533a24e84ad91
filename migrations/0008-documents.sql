-- Identity documents of customers and beneficial owners: uploads, decisions, and views of their content.

-- owner_id: the beneficial owner of the document; null if it is the customer's.
-- original_key, copy_key: the sealed data keys of the two contents (src/platform/keys/sealing.ts); null once the content is erased.
-- content_mac: a keyed hash of the file, to detect duplicates. store: the location of the contents. check_at: the time of the next check.
-- check_attempts: how often the checkers were asked, because a check that did not come to its end is tried again.
-- claimed_by: the operator or application that reviews the document until claimed_until, by the clock of the account.
-- opinion_id: the review that waits for the agreement of a second reviewer.
create table document (
  bucket int not null,
  id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  owner_id uuid,
  type text not null,
  status text not null,
  reasons text[],
  media_type text not null,
  store text not null,
  original_key bytea,
  copy_key bytea,
  content_mac bytea,
  created timestamptz not null,
  check_at timestamptz,
  decided timestamptz,
  erased timestamptz,
  claimed_by uuid,
  claimed_until timestamptz,
  opinion_id uuid,
  check_attempts int not null default 0,
  constraint document_pkey primary key (id, bucket),
  constraint document_customer_fkey foreign key (bucket, customer_id) references customer (bucket, id),
  constraint document_owner_fkey foreign key (bucket, owner_id) references beneficial_owner (bucket, id),
  constraint document_type_check check (type in ('passport', 'license', 'idCard', 'other')),
  constraint document_status_check check (status in ('pending', 'accepted', 'rejected')),
  constraint document_store_check check (store in ('postgresql', 's3')),
  constraint document_decided_check check ((status = 'pending') = (decided is null)),
  constraint document_claim_check check (num_nulls(claimed_by, claimed_until) in (0, 2)),
  constraint document_reasons_check check ((status = 'rejected') = (reasons is not null) and cardinality(reasons) > 0),
  constraint document_erased_check check (
    case when erased is null then num_nulls(original_key, copy_key, content_mac) = 0
    else num_nonnulls(original_key, copy_key, content_mac) = 0 end)
);

create index document_by_owner on document (bucket, owner_id, id) where owner_id is not null;
create index document_by_customer on document (bucket, customer_id, id) where owner_id is null;
create index document_to_check on document (check_at) where check_at is not null;
create index document_to_decide on document (id) where status = 'pending' or opinion_id is not null;
create index document_to_review on document (account_id, id) where status = 'pending' or opinion_id is not null;
create index document_by_reviewer on document (claimed_by) where claimed_by is not null;
create index document_to_erase on document (coalesce(decided, created)) where erased is null;

-- Sealed content in pieces, which limits the memory of a query. Stored uncompressed, because encrypted data does not compress.
create table document_content (
  bucket int not null,
  document_id uuid not null,
  purpose text not null,
  place int not null,
  content bytea not null,
  constraint document_content_pkey primary key (bucket, document_id, purpose, place),
  constraint document_content_document_fkey foreign key (bucket, document_id) references document (bucket, id),
  constraint document_content_purpose_check check (purpose in ('original', 'copy'))
);

alter table document_content alter column content set storage external;

-- Content in an external store without a document: not yet written, or deleted. doomed: it will never have one and can be erased.
create table loose_content (
  bucket int not null,
  document_id uuid not null,
  since timestamptz not null,
  doomed boolean not null,
  constraint loose_content_pkey primary key (bucket, document_id)
);

create index loose_content_by_time on loose_content (since);

-- Decisions, and checks that ended undecided. effective: whether the review decided on the document. Append-only.
create table document_review (
  bucket int not null,
  id uuid not null,
  document_id uuid not null,
  account_id uuid not null,
  reviewer jsonb not null,
  decision text not null,
  reasons text[] not null,
  note text,
  effective boolean not null,
  created timestamptz not null,
  constraint document_review_pkey primary key (id, bucket),
  constraint document_review_document_fkey foreign key (bucket, document_id) references document (bucket, id),
  constraint document_review_decision_check check (decision in ('accepted', 'rejected', 'undecided'))
);

create index document_review_by_document on document_review (document_id, id, bucket);

-- Views of document content: who, when and from where. Append-only.
create table document_look (
  bucket int not null,
  id uuid not null,
  document_id uuid not null,
  account_id uuid not null,
  viewer jsonb not null,
  place text not null,
  created timestamptz not null,
  constraint document_look_pkey primary key (id, bucket),
  constraint document_look_document_fkey foreign key (bucket, document_id) references document (bucket, id)
);

create index document_look_by_document on document_look (document_id, id, bucket);
