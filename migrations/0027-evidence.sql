-- Evidence of documents: what each proves, chip data, and the certificates of states that sign chips.

-- source: a picture, or the files of a chip. evidence: the level that was reached and its parts, without personal data; null before a check.
-- hints: what a reviewer should know of the file that was sent. They decide nothing.
alter table document
  add column source text not null default 'picture',
  add column evidence jsonb,
  add column hints text[] not null default '{}',
  add constraint document_source_check check (source in ('picture', 'chip'));

-- Master lists that an operator imported: certificates of states (CSCA) that sign document signers. They belong to no account, so their
-- keys have no bucket. signed: when the list was signed, or imported if it does not say. digest: of the list.
create table master_list (
  id uuid not null,
  name text not null,
  signer text not null,
  signed timestamptz not null,
  digest bytea not null,
  imported timestamptz not null,
  imported_by text not null,
  constraint master_list_pkey primary key (id),
  constraint master_list_digest_key unique (digest)
);

create table state_certificate (
  list_id uuid not null,
  digest bytea not null,
  country text not null,
  valid_until timestamptz not null,
  content bytea not null,
  constraint state_certificate_pkey primary key (list_id, digest),
  constraint state_certificate_list_fkey foreign key (list_id) references master_list (id)
);

-- The newest revocation list of each key of a state. issuer: its key identifier or name.
create table revocation_list (
  issuer bytea not null,
  country text not null,
  updated timestamptz not null,
  next_update timestamptz,
  content bytea not null,
  constraint revocation_list_pkey primary key (issuer)
);

-- What checkers may decide for an account without a person, as an accountable person set it. The newest version applies; the others are its
-- history. accept: the level of evidence that is enough. sample: percent of what would be accepted that goes to a person. per_day: at
-- most as many acceptances a day. Belongs to the account, so its key has no bucket.
create table evidence_policy (
  account_id uuid not null,
  version int not null,
  accept text not null,
  reject text[] not null,
  sample int not null,
  per_day int,
  actor text not null,
  reason text not null,
  created timestamptz not null,
  constraint evidence_policy_pkey primary key (account_id, version),
  constraint evidence_policy_accept_check check (accept in ('never', 'text', 'document', 'chip')),
  constraint evidence_policy_sample_check check (sample between 0 and 100),
  constraint evidence_policy_per_day_check check (per_day >= 0)
);

-- How many documents checkers accepted for an account on a day of its clock.
create table machine_acceptance (
  account_id uuid not null,
  day date not null,
  accepted int not null,
  constraint machine_acceptance_pkey primary key (account_id, day)
) with (fillfactor = 50);

-- sampled: the checkers would have accepted the document, and the sample sent it to a person.
alter table document add column sampled boolean not null default false;

create index document_by_sample on document (account_id) where sampled;

-- held: since when the content must not be erased, as a law or a court demands. The audit log says who and why.
alter table document add column held timestamptz;

-- basis: what a checker decided by: level and parts, policy, thresholds, versions and hashes.
alter table document_review add column basis jsonb;
