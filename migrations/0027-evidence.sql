-- Evidence of documents: what each proves, chip data, and the certificates of states that sign chips.

-- source: a picture, or the files of a chip. evidence: the level that was reached and its parts, without personal data; null before a check.
alter table document
  add column source text not null default 'picture',
  add column evidence jsonb,
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
