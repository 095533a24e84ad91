-- Operators: the people who use the console, how they sign in, their sessions, and the audit log.
-- They are of all accounts, so their keys have no bucket.

-- name: unique without regard to case. roles: empty for a person who may not enter. issuer, subject: the identity at an OpenID provider.
-- handle: the user handle of passkeys, random, because it must not contain personal data.
create table operator (
  id uuid not null,
  name text not null,
  roles text[] not null,
  issuer text,
  subject text,
  handle text not null,
  created timestamptz not null,
  disabled timestamptz,
  constraint operator_pkey primary key (id),
  constraint operator_identity_key unique (issuer, subject),
  constraint operator_identity_check check ((issuer is null) = (subject is null)),
  constraint operator_roles_check check (roles <@ array['viewer', 'reviewer', 'finance', 'operator', 'admin'])
);

create unique index operator_name_key on operator (lower(name));

-- id: the credential id in base64url. counter: of the authenticator, to detect copies.
create table operator_passkey (
  id text not null,
  operator_id uuid not null,
  public_key text not null,
  counter bigint not null,
  transports text[] not null,
  created timestamptz not null,
  last_used timestamptz,
  constraint operator_passkey_pkey primary key (id),
  constraint operator_passkey_operator_fkey foreign key (operator_id) references operator (id)
);

create index operator_passkey_by_operator on operator_passkey (operator_id);

-- Who added a person or made them a sign-in link, and when at last: for thirty days the two count as one (src/resources/operators/four-eyes.ts).
create table operator_sponsor (
  operator_id uuid not null,
  sponsor_id uuid not null,
  since timestamptz not null,
  constraint operator_sponsor_pkey primary key (operator_id, sponsor_id),
  constraint operator_sponsor_operator_fkey foreign key (operator_id) references operator (id),
  constraint operator_sponsor_sponsor_fkey foreign key (sponsor_id) references operator (id)
);

create index operator_sponsor_by_sponsor on operator_sponsor (sponsor_id);

-- The people of the console who got a secret of an application, whom its decisions count as.
create table application_maker (
  application_id uuid not null,
  operator_id uuid not null,
  constraint application_maker_pkey primary key (application_id, operator_id),
  constraint application_maker_application_fkey foreign key (application_id) references application (id),
  constraint application_maker_operator_fkey foreign key (operator_id) references operator (id)
);

create index application_maker_by_operator on application_maker (operator_id);

-- One-time links, by the keyed hash of their secret.
create table operator_link (
  hash bytea not null,
  operator_id uuid not null,
  created timestamptz not null,
  expires timestamptz not null,
  constraint operator_link_pkey primary key (hash),
  constraint operator_link_operator_fkey foreign key (operator_id) references operator (id)
);

-- Sign-ins and enrolments in progress, by the keyed hash of a cookie: the challenge of a passkey, or the state of an OpenID request.
create table operator_attempt (
  hash bytea not null,
  data jsonb not null,
  expires timestamptz not null,
  constraint operator_attempt_pkey primary key (hash)
);

-- What the next page of a browser shows once, by the keyed hash of its cookie and of an id: a secret, or a form to send again. Sealed.
create table operator_kept (
  hash bytea not null,
  sealed bytea not null,
  expires timestamptz not null,
  constraint operator_kept_pkey primary key (hash)
);

-- Sessions, by the keyed hash of their cookie. passkey_id: the passkey that opened it, with which it ends. used: the last request, to the minute.
create table operator_session (
  hash bytea not null,
  operator_id uuid not null,
  method text not null,
  passkey_id text,
  created timestamptz not null,
  used timestamptz not null default now(),
  expires timestamptz not null,
  constraint operator_session_pkey primary key (hash),
  constraint operator_session_operator_fkey foreign key (operator_id) references operator (id),
  constraint operator_session_passkey_fkey foreign key (passkey_id) references operator_passkey (id) on delete cascade,
  constraint operator_session_method_check check (method in ('link', 'passkey', 'openid'))
);

create index operator_session_by_operator on operator_session (operator_id);
create index operator_session_by_passkey on operator_session (passkey_id);

-- Changes of people and applications that wait for a second person (src/resources/change-requests). wanted: the change. title, lines: what it
-- changes, for people. decider: the name of decided_by, who is null on the command line. performed: when the change was made.
-- For moves of money: key: of the form. refusal: why the ledger refused it. result: the transfer, or the captured hold.
create table change_request (
  id uuid not null,
  asked_by uuid not null,
  wanted jsonb not null,
  title text not null,
  lines jsonb not null,
  created timestamptz not null,
  expires timestamptz not null,
  decision text,
  decided timestamptz,
  decided_by uuid,
  decider text,
  performed timestamptz,
  key uuid,
  refusal text,
  result uuid,
  constraint change_request_pkey primary key (id),
  constraint change_request_key_key unique (key),
  constraint change_request_asked_by_fkey foreign key (asked_by) references operator (id),
  constraint change_request_decided_by_fkey foreign key (decided_by) references operator (id),
  constraint change_request_decision_check check (decision in ('approved', 'refused', 'withdrawn')),
  constraint change_request_decided_check check ((decision is null) = (decided is null)),
  constraint change_request_performed_check check (performed is null or decision = 'approved'),
  constraint change_request_refusal_check check (refusal is null or (decision = 'approved' and performed is null)),
  constraint change_request_result_check check (result is null or performed is not null)
);

-- What people did, and what they looked at. actor: the name at that time. place: the address, empty if it is not known, or the host of the command line.
create table audit_entry (
  id uuid not null,
  operator_id uuid,
  actor text not null,
  action text not null,
  resource_type text,
  resource_id text,
  detail jsonb not null,
  place text not null,
  created timestamptz not null,
  constraint audit_entry_pkey primary key (id)
);

create index audit_entry_by_operator on audit_entry (operator_id, id);
create index audit_entry_by_resource on audit_entry (resource_id, id) where resource_id is not null;

-- The hash chain of the audit log: the hash of a row covers the entry and the hash before, so a changed, removed or inserted entry
-- contradicts all later rows. The newest hash goes into the transparency logs (src/ledger/log/audit-head.ts).
create table audit_chain (
  number bigint not null,
  entry_id uuid not null,
  hash bytea not null,
  constraint audit_chain_pkey primary key (number),
  constraint audit_chain_entry_key unique (entry_id)
);

create function refuse_change_of_audit() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end
$$;

create trigger audit_entry_append_only before update or delete on audit_entry
for each row execute function refuse_change_of_audit();
create trigger audit_entry_no_truncate before truncate on audit_entry
for each statement execute function refuse_change_of_audit();
create trigger audit_chain_append_only before update or delete on audit_chain
for each row execute function refuse_change_of_audit();
create trigger audit_chain_no_truncate before truncate on audit_chain
for each statement execute function refuse_change_of_audit();

-- Adds an entry to the chain. It runs at the end of the transaction that wrote the entry, so that the lock, which keeps the numbers without
-- gaps, is short and never waits for another one. An entry that is restored with its row of the chain is left as it is. Each column is
-- written as its length in bytes, a colon and its text, or as a minus sign for null (src/ledger/audit/audit-chain.ts).
create function extend_audit_chain() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  previous audit_chain;
  content text;
begin
  if exists (select from audit_chain where entry_id = new.id) then
    return null;
  end if;
  perform pg_advisory_xact_lock(4027304);
  select * into previous from audit_chain order by number desc limit 1;
  select string_agg(coalesce(octet_length(value) || ':' || value, '-'), '' order by place) into content
  from unnest(array[new.id::text, new.operator_id::text, new.actor, new.action, new.resource_type, new.resource_id, new.detail::text,
    new.place, (extract(epoch from new.created) * 1000000)::bigint::text]) with ordinality as t (value, place);
  insert into audit_chain (number, entry_id, hash)
  values (coalesce(previous.number, 0) + 1, new.id,
    sha256(coalesce(previous.hash, ''::bytea) || convert_to(content, 'UTF8')));
  return null;
end
$$;

create constraint trigger audit_entry_chain after insert on audit_entry
deferrable initially deferred for each row execute function extend_audit_chain();
