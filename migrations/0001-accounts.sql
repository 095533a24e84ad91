-- Accounts (platforms), their applications (OAuth clients) and the keys that sign tokens.
-- These tables are small and read by every node: they are reference tables on a cluster, so their keys have no bucket.

-- One row, written at the first start: the permanent mode of this database (src/platform/db/mode.ts).
-- two_admins: when there were two administrators for the first time, after which FOUR_EYES applies by default.
create table installation (
  singleton boolean not null default true,
  mode text not null,
  two_admins timestamptz,
  constraint installation_pkey primary key (singleton),
  constraint installation_singleton_check check (singleton),
  constraint installation_mode_check check (mode in ('sandbox', 'production'))
);

create table account (
  id uuid not null,
  name text not null,
  created timestamptz not null,
  constraint account_pkey primary key (id)
);

-- id is the OAuth client_id. changed is the time of the last change, by which processes refresh their caches.
create table application (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  scopes text[] not null,
  disabled timestamptz,
  created timestamptz not null,
  changed timestamptz not null,
  constraint application_pkey primary key (id),
  constraint application_account_fkey foreign key (account_id) references account (id)
);

-- hash = HMAC-SHA-256 of the secret with a key derived from the encryption key key_id.
create table application_secret (
  application_id uuid not null,
  hash bytea not null,
  key_id text not null,
  created timestamptz not null,
  expires timestamptz,
  last_used timestamptz,
  constraint application_secret_pkey primary key (application_id, hash),
  constraint application_secret_application_fkey foreign key (application_id) references application (id)
);

-- Requests of an application, for people. period: the start of five minutes. Rows of the last two days are kept.
create table application_calls (
  application_id uuid not null,
  period timestamptz not null,
  calls bigint not null,
  refusals bigint not null,
  constraint application_calls_pkey primary key (application_id, period)
);

-- private_jwk is sealed (src/platform/keys/sealing.ts).
create table signing_key (
  kid text not null,
  public_jwk jsonb not null,
  private_jwk bytea not null,
  created timestamptz not null,
  constraint signing_key_pkey primary key (kid)
);

create table revoked_token (
  jti uuid not null,
  expires timestamptz not null,
  revoked timestamptz not null,
  constraint revoked_token_pkey primary key (jti)
);

create index revoked_token_by_time on revoked_token (revoked);
