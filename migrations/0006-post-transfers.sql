-- Posts a batch of transfers in the given order, in the caller's transaction. No other code moves money.
--
-- p_account_* lists each ledger account once, sorted by (bucket, id), the order in which they are locked. p_from and p_to are
-- indexes into that list. Returns a row for each transfer that was NOT posted, with the reason. A refusal is a row and not an
-- exception, so that it does not abort the other transfers of the batch.
--
--   replayed      the idempotency key was used for the same request; status and resource_* are those of the first answer
--   conflict      the idempotency key was used for another request
--   not_found     an account does not exist, or a side of a reallocation is not a label
--   forbidden     an account belongs to another platform
--   invalid       amount is null: the caller found the values invalid, and only the checks before that apply
--   customers     the accounts belong to different customers
--   frozen        the customer may not move money now (a deposit, which is already received, is still recorded)
--   currency      the transfer's currency differs from the accounts'
--   limit         a balance would exceed 18 digits
--   insufficient  the source's balance is less than the amount; available is that balance
--
-- p_again: an earlier attempt at this batch may have been committed; transfers that exist are skipped.
create function post_transfers(
  p_again boolean,
  p_created timestamptz,
  p_account_buckets int[],
  p_account_ids uuid[],
  p_ids uuid[],
  p_kinds text[],
  p_platforms uuid[],
  p_from int[],
  p_to int[],
  p_amounts bigint[],
  p_currencies text[],
  p_references text[],
  p_correlations text[],
  p_event_ids uuid[],
  p_topics text[],
  p_resource_types text[],
  p_resource_ids uuid[],
  p_keys uuid[],
  p_fingerprints uuid[]
) returns table (item int, outcome text, available bigint, status smallint, resource_type text, resource_id uuid)
language plpgsql
-- Cached plans must suit large tables although they are made while tables are small: index scans only. Generic plans, because
-- planning each call takes half the time of a batch of one.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  balance_max constant bigint := 999999999999999999;
  -- by account, in lock order
  places bigint[];
  platforms uuid[];
  customers uuid[];
  kinds text[];
  currencies text[];
  balances bigint[];
  versions bigint[];
  sent bigint[];
  frozens boolean[];
  latests timestamptz[];
  -- by transfer; null unless an account is missing
  buckets int[];
  n constant int := cardinality(p_ids);
  settled int[] := '{}';
  -- by transfer: null unless it is posted
  from_sequences bigint[] := array_fill(null::bigint, array[n]);
  from_balances bigint[] := from_sequences;
  to_sequences bigint[] := from_sequences;
  to_balances bigint[] := from_sequences;
  times timestamptz[] := array_fill(null::timestamptz, array[n]);
  -- by account: its index if a transfer changed it, else null
  touched int[] := array_fill(null::int, array[cardinality(p_account_ids)]);
  posted int := 0;
  f int;
  t int;
  a bigint;
  known record;
begin
  -- Lock the accounts in order. No other transaction can change their balances from here on.
  select array_agg(l.place), array_agg(l.account_id), array_agg(l.customer_id), array_agg(case when l.removed is null then l.kind end),
    array_agg(l.currency), array_agg(l.balance), array_agg(l.version), array_agg(l.reallocations_out), array_agg(l.frozen),
    array_agg(l.latest)
  into places, platforms, customers, kinds, currencies, balances, versions, sent, frozens, latests
  from (
    select w.place, held.*
    from unnest(p_account_buckets, p_account_ids) with ordinality as w (bucket, id, place)
    join ledger_account held on held.bucket = w.bucket and held.id = w.id
    order by w.place
    for no key update of held
  ) l;
  if cardinality(places) is distinct from cardinality(p_account_ids) then
    -- Some do not exist: renumber the others. A missing account's index becomes null.
    select array_agg(p_account_buckets[p_from[i]] order by i), array_agg(array_position(places, p_from[i]) order by i),
      array_agg(array_position(places, p_to[i]) order by i)
    into buckets, p_from, p_to from generate_series(1, n) as i;
    select array_agg(p_account_buckets[place] order by place), array_agg(p_account_ids[place] order by place)
    into p_account_buckets, p_account_ids from unnest(places) as place;
  end if;

  -- Transfers that an earlier attempt posted, or whose idempotency key was used before.
  if p_again then
    select coalesce(array_agg(i), '{}') into settled
    from generate_series(1, n) as i
    join transfer x on x.bucket = p_account_buckets[p_from[i]] and x.id = p_ids[i];
  end if;
  for known in
    select i, k.fingerprint = p_fingerprints[i] as same, k.status, k.resource_type, k.resource_id
    from generate_series(1, n) as i
    join idempotency_key k on k.bucket = coalesce(buckets[i], p_account_buckets[p_from[i]]) and k.key = p_keys[i]
  loop
    if known.i <> all (settled) then
      settled := settled || known.i;
      return query select known.i, case when known.same then 'replayed' else 'conflict' end, null::bigint,
        known.status, known.resource_type, known.resource_id;
    end if;
  end loop;

  for i in 1 .. n loop
    continue when i = any (settled);
    f := p_from[i];
    t := p_to[i];
    a := p_amounts[i];
    outcome := case
      when kinds[f] is null or kinds[t] is null then 'not_found'
      when p_kinds[i] = 'reallocation' and (kinds[f] <> 'label' or kinds[t] <> 'label') then 'not_found'
      when platforms[f] <> p_platforms[i] or platforms[t] <> p_platforms[i] then 'forbidden'
      when a is null then 'invalid'
      when customers[f] <> customers[t] then 'customers'
      when frozens[f] and p_kinds[i] <> 'deposit' then 'frozen'
      when currencies[f] <> p_currencies[i] or currencies[t] <> p_currencies[i] then 'currency'
      when kinds[f] <> 'external' and balances[f] < a then 'insufficient'
      when a > balance_max or balances[f] - a < -balance_max or balances[t] + a > balance_max then 'limit'
    end;
    if outcome is not null then
      item := i;
      available := balances[f];
      return next;
      continue;
    end if;
    balances[f] := balances[f] - a;
    balances[t] := balances[t] + a;
    versions[f] := versions[f] + 1;
    versions[t] := versions[t] + 1;
    if p_kinds[i] = 'reallocation' then
      sent[f] := sent[f] + 1;
    end if;
    posted := posted + 1;
    -- Along an account the time never decreases, whatever the clocks of the processes say.
    times[i] := greatest(p_created, latests[f], latests[t]);
    latests[f] := times[i];
    latests[t] := times[i];
    touched[f] := f;
    touched[t] := t;
    from_sequences[i] := versions[f];
    from_balances[i] := balances[f];
    to_sequences[i] := versions[t];
    to_balances[i] := balances[t];
  end loop;
  if posted = 0 then
    return;
  end if;

  -- One statement, because the fixed cost of a statement exceeds that of a row. The CTE reads the arrays once.
  with posted as materialized (
    select i, p_account_buckets[p_from[i]] as bucket, p_ids[i] as id, p_platforms[i] as platform, customers[p_from[i]] as customer,
      p_account_ids[p_from[i]] as from_id, from_sequences[i] as from_sequence, from_balances[i] as from_balance,
      p_account_ids[p_to[i]] as to_id, to_sequences[i] as to_sequence, to_balances[i] as to_balance, p_amounts[i] as amount,
      times[i] as created
    from generate_series(1, n) as i
    where from_sequences[i] is not null
  ), balance as (
    update ledger_account held
    set balance = balances[place], version = versions[place], reallocations_out = sent[place], latest = latests[place]
    from unnest(touched) as place
    where held.bucket = p_account_buckets[place] and held.id = p_account_ids[place]
  ), moved as (
    insert into transfer (bucket, id, customer_id, kind, from_id, to_id, from_sequence, to_sequence, amount, currency, reference,
      correlation_id, created)
    select bucket, id, customer, p_kinds[i], from_id, to_id, from_sequence, to_sequence, amount, p_currencies[i], p_references[i],
      p_correlations[i], created
    from posted
  ), entries as (
    insert into ledger_entry (bucket, ledger_account_id, transfer_id, sequence, amount, balance)
    select bucket, from_id, id, from_sequence, -amount, from_balance from posted
    union all
    select bucket, to_id, id, to_sequence, amount, to_balance from posted
  ), told as (
    insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created)
    select bucket, p_event_ids[i], platform, customer, p_topics[i], p_resource_ids[i], created from posted
  )
  insert into idempotency_key (key, account_id, bucket, fingerprint, status, resource_type, resource_id, created)
  select p_keys[i], platform, bucket, p_fingerprints[i], 201, p_resource_types[i], p_resource_ids[i], p_created
  from posted
  where p_keys[i] is not null;
end
$$;
