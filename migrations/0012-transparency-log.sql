-- Transparency logs: the feed of each account as an append-only Merkle tree (RFC 6962), in the formats of C2SP tlog-tiles.
-- They belong to accounts, like the feed, so their keys have no bucket.

-- The keys that sign checkpoints. private_key is sealed (src/platform/keys/sealing.ts); public_key is in base64.
create table log_key (
  id text not null,
  public_key text not null,
  private_key bytea not null,
  created timestamptz not null,
  constraint log_key_pkey primary key (id)
);

-- origin: of the first log of the account; number: 1 for it, one more after each reset or fork. Entry n is the event at position
-- start + n + 1 of the feed. size: the number of entries. checkpoint: the newest note, and signers the keys that signed it. The lock
-- of a row lets one builder at a time extend the log. witnessed: the newest note that enough witnesses have cosigned. server: the
-- database server on which it was signed. held: set by a restore, and when the server may lack entries that were signed; nothing is signed
-- until an operator continues the log. announced: time and size of the newest checkpoint in an event. audited,
-- audit_entries: time and entries of the newest head of the audit log.
create table transparency_log (
  account_id uuid not null,
  origin text not null,
  number bigint not null,
  start bigint not null,
  size bigint not null,
  checkpoint text,
  witnessed text,
  signers text,
  server text,
  held timestamptz,
  announced timestamptz not null,
  announced_size bigint not null,
  audited timestamptz not null,
  audit_entries bigint not null,
  constraint transparency_log_pkey primary key (account_id)
) with (fillfactor = 50);

-- The system identifier of this server and its timeline, which a promotion and a restore to a moment change. Null where the service may not
-- ask for them.
create function server_identity() returns text
language plpgsql stable
as $$
begin
  return (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception when others then
  return null;
end
$$;

-- Hashes of a level of the tree, 32 bytes each, at most 256 in a tile. widths: those of published checkpoints while it was partial.
create table log_tile (
  account_id uuid not null,
  level int not null,
  index bigint not null,
  hashes bytea not null,
  widths int[] not null,
  constraint log_tile_pkey primary key (account_id, level, index)
) with (fillfactor = 50);

-- Entries with their lengths, as in a bundle. A row starts at entry `first` and ends before the next row, inside one bundle. The service
-- compresses them (packages/proof/src/stored-entries.ts), in a third of the time that the database takes.
create table log_entries (
  account_id uuid not null,
  first bigint not null,
  entries bytea not null,
  constraint log_entries_pkey primary key (account_id, first)
);

alter table log_entries alter entries set storage external;
alter table log_tile alter hashes set storage external;

-- The checkpoints that events of the topic account_checkpoint_created carry.
create table log_announcement (
  account_id uuid not null,
  event_id uuid not null,
  checkpoint text not null,
  constraint log_announcement_pkey primary key (event_id)
);

-- The heads of the audit log (0014) that events of the topic account_audit_head_created report: the number of entries, and their hash.
create table audit_head (
  account_id uuid not null,
  event_id uuid not null,
  entries bigint not null,
  hash bytea not null,
  constraint audit_head_pkey primary key (event_id)
);
