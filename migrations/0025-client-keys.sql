-- Keys of applications: what they authenticate with instead of secrets, and what their tokens must be bound to.
-- Like applications, these tables are small or global, and have no bucket.

-- jwks_uri: the address of the keys. trusted_issuer, trusted_subject: of tokens by which a workload authenticates; the keys are then
-- those of the issuer. key_used: when a key that is not stored here was last used.
alter table application
  add column jwks_uri text,
  add column trusted_issuer text,
  add column trusted_subject text,
  add column key_used timestamptz,
  add column secret_forbidden boolean not null default false,
  add column required_binding text,
  add constraint application_trust_check check ((trusted_issuer is null) = (trusted_subject is null)),
  add constraint application_required_binding_check check (required_binding in ('dpop', 'certificate'));

-- thumbprint: RFC 7638.
create table application_key (
  application_id uuid not null,
  thumbprint text not null,
  jwk jsonb not null,
  created timestamptz not null,
  last_used timestamptz,
  constraint application_key_pkey primary key (application_id, thumbprint),
  constraint application_key_application_fkey foreign key (application_id) references application (id)
);

-- Assertions and proofs that were used, by a hash of their client and id, until they have expired. The table is shared by all processes
-- of all machines, and outlives them.
create table used_proof (
  hash uuid not null,
  expires timestamptz not null,
  constraint used_proof_pkey primary key (hash)
);

create index used_proof_by_time on used_proof (expires);
