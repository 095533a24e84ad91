-- The usual ledger in PL/pgSQL on the same tables: one transfer per call and transaction, with both accounts locked in order of
-- their ids. Writes the same rows as post_transfers.
create function bench_transfer(
  p_id uuid, p_account_id uuid, p_from uuid, p_to uuid, p_amount bigint, p_currency text, p_event_id uuid, p_topic text,
  p_key uuid, p_fingerprint uuid, p_bucket int, p_created timestamptz
) returns text
language plpgsql
as $$
declare
  source ledger_account;
  target ledger_account;
begin
  if exists (select from transfer where bucket = p_bucket and key = p_key) then
    return 'replayed';
  end if;
  perform from ledger_account where bucket = p_bucket and id in (p_from, p_to) order by id for no key update;
  select * into source from ledger_account where bucket = p_bucket and id = p_from;
  select * into target from ledger_account where bucket = p_bucket and id = p_to;
  if source.id is null or target.id is null or source.removed is not null or target.removed is not null then
    return 'not_found';
  elsif source.account_id <> p_account_id or target.account_id <> p_account_id then
    return 'forbidden';
  elsif source.customer_id <> target.customer_id or source.frozen or source.currency <> p_currency or target.currency <> p_currency then
    return 'invalid';
  elsif source.balance < p_amount then
    return 'insufficient';
  end if;
  p_created := greatest(p_created, source.latest, target.latest);
  update ledger_account
    set balance = balance - p_amount, version = version + 1, reallocations_out = reallocations_out + 1, latest = p_created
    where bucket = p_bucket and id = p_from
    returning * into source;
  update ledger_account
    set balance = balance + p_amount, version = version + 1, latest = p_created
    where bucket = p_bucket and id = p_to
    returning * into target;
  insert into transfer (bucket, id, customer_id, kind, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount,
      currency, created, key, fingerprint)
    values (p_bucket, p_id, source.customer_id, 'reallocation', p_from, p_to, source.version, target.version, source.balance,
      target.balance, p_amount, p_currency, p_created, p_key, p_fingerprint);
  insert into event_outbox (bucket, ids, account_id, topic, created)
    values (outbox_bucket(p_bucket), array[[p_event_id], [source.customer_id], [p_id]], p_account_id, p_topic, p_created);
  return 'posted';
end
$$;
