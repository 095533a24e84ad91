-- post_transfers for a Citus cluster. The contract is that of ../0006-post-transfers.sql; all accounts of a batch are in one group of shards.
create or replace function post_transfers(
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
-- Index scans only, as on one server. No generic plans: Citus cannot choose a shard for one.
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
  -- by transfer
  buckets constant int[] := array(select p_account_buckets[place] from unnest(p_from) with ordinality as w (place, i) order by i);
  -- For Citus, which chooses the shard by them. The type keeps the condition out of index scans, which would sort the list for each row.
  batch_buckets constant oid[] := array(select distinct bucket from unnest(p_account_buckets) as bucket);
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
  -- Lock the accounts in order, and name the columns: Citus plans each one. No other transaction can change their balances from here on.
  select array_agg(l.place), array_agg(l.account_id), array_agg(l.customer_id), array_agg(case when l.removed is null then l.kind end),
    array_agg(l.currency), array_agg(l.balance), array_agg(l.version), array_agg(l.reallocations_out), array_agg(l.frozen),
    array_agg(l.latest)
  into places, platforms, customers, kinds, currencies, balances, versions, sent, frozens, latests
  from (
    select w.place, held.account_id, held.customer_id, held.removed, held.kind, held.currency, held.balance, held.version,
      held.reallocations_out, held.frozen, held.latest
    from unnest(p_account_buckets, p_account_ids) with ordinality as w (bucket, id, place)
    join ledger_account held on held.bucket = w.bucket and held.id = w.id
    where held.bucket = any (batch_buckets)
    order by w.place
    for no key update of held
  ) l;
  if cardinality(places) is distinct from cardinality(p_account_ids) then
    -- Some do not exist: renumber the others. A missing account's index becomes null.
    select array_agg(array_position(places, p_from[i]) order by i), array_agg(array_position(places, p_to[i]) order by i)
    into p_from, p_to from generate_series(1, n) as i;
    select array_agg(p_account_buckets[place] order by place), array_agg(p_account_ids[place] order by place)
    into p_account_buckets, p_account_ids from unnest(places) as place;
  end if;

  -- Transfers that an earlier attempt posted, or whose idempotency key was used before.
  if p_again then
    select coalesce(array_agg(w.i::int), '{}') into settled
    from unnest(buckets, p_ids) with ordinality as w (bucket, id, i)
    join transfer x on x.bucket = w.bucket and x.id = w.id
    where x.bucket = any (batch_buckets);
  end if;
  for known in
    select w.i::int as i, k.fingerprint = w.fingerprint as same, k.status, k.resource_type, k.resource_id
    from unnest(buckets, p_keys, p_fingerprints) with ordinality as w (bucket, key, fingerprint, i)
    join idempotency_key k on k.bucket = w.bucket and k.key = w.key
    where k.bucket = any (batch_buckets)
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

  -- Separate statements, each on the shards of one group: Citus does not run a chain of writes in one statement.
  update ledger_account held
  set balance = w.balance, version = w.version, reallocations_out = w.sent, latest = w.latest
  from unnest(touched, p_account_buckets, p_account_ids, balances, versions, sent, latests)
    as w (place, bucket, id, balance, version, sent, latest)
  where held.bucket = any (batch_buckets) and held.bucket = w.bucket and held.id = w.id and w.place is not null;

  insert into transfer (bucket, id, customer_id, kind, from_id, to_id, from_sequence, to_sequence, amount, currency, reference,
    correlation_id, created)
  select p_account_buckets[p_from[i]], p_ids[i], customers[p_from[i]], p_kinds[i], p_account_ids[p_from[i]], p_account_ids[p_to[i]],
    from_sequences[i], to_sequences[i], p_amounts[i], p_currencies[i], p_references[i], p_correlations[i], times[i]
  from generate_series(1, n) as i where from_sequences[i] is not null;

  insert into ledger_entry (bucket, ledger_account_id, transfer_id, sequence, amount, balance)
  select p_account_buckets[p_from[i]], p_account_ids[case leg when 1 then p_from[i] else p_to[i] end], p_ids[i],
    case leg when 1 then from_sequences[i] else to_sequences[i] end, case leg when 1 then -p_amounts[i] else p_amounts[i] end,
    case leg when 1 then from_balances[i] else to_balances[i] end
  from generate_series(1, n) as i cross join generate_series(1, 2) as leg where from_sequences[i] is not null;

  insert into event_outbox (bucket, id, account_id, customer_id, topic, resource_id, created)
  select p_account_buckets[p_from[i]], p_event_ids[i], p_platforms[i], customers[p_from[i]], p_topics[i], p_resource_ids[i], times[i]
  from generate_series(1, n) as i where from_sequences[i] is not null;

  if cardinality(array_remove(p_keys, null)) > 0 then
    insert into idempotency_key (key, account_id, bucket, fingerprint, status, resource_type, resource_id, created)
    select p_keys[i], p_platforms[i], p_account_buckets[p_from[i]], p_fingerprints[i], 201, p_resource_types[i], p_resource_ids[i], p_created
    from generate_series(1, n) as i where from_sequences[i] is not null and p_keys[i] is not null;
  end if;
end
$$;
