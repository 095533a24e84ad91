-- What the console finds by a name: labels and owners whose names begin with a text. The conditions are those of no other index.
create index ledger_account_by_name on ledger_account (lower(name) text_pattern_ops, id) where name is not null;
create index beneficial_owner_by_name on beneficial_owner (lower(last_name) text_pattern_ops, id) where last_name <> '';
