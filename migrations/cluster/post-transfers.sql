-- post_transfers for a Citus cluster. The contract is that of ../0006-post-transfers.sql; all accounts of a batch are in one group.
-- There are three functions: this one for transactions on any server, one for each group of shards that is like that of a single server
-- (src/platform/db/posting.ts), and post_transfers, which chooses.
create or replace function post_transfers_anywhere(
  p_again boolean,
  p_created timestamptz,
  p_keys_since timestamptz,
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
  p_resource_ids uuid[],
  p_keys uuid[],
  p_fingerprints uuid[],
  p_groups int[],
  p_reverses uuid[],
  p_parents int[],
  p_untils bigint[],
  p_rules uuid[],
  p_external_ids text[],
  p_metadata text[],
  p_request_ids uuid[]
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
  -- Events of a row of the outbox beside the first: as many as fit into a page.
  more constant int := 47;
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
  owners uuid[] := array_fill(null::uuid, array[n]);
  -- by account: its index if a transfer changed it, else null
  touched int[] := array_fill(null::int, array[cardinality(p_account_ids)]);
  posted int := 0;
  -- of the originals that items reverse: what is not reversed yet; null for one that cannot be reversed
  originals uuid[];
  rests bigint[];
  original int;
  -- external ids in use, with their transfers
  taken text[] := '{}';
  taken_ids uuid[] := '{}';
  name text;
  -- by deposit: what its allocations have left
  lefts bigint[];
  -- the current group: its first item, whether an item was refused, and the state before it
  first int;
  failed boolean := false;
  was record;
  wrote timestamptz;
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
    select w.i::int as i, k.fingerprint = w.fingerprint as same, k.status, k.resource_type, k.resource_id, k.bucket, null::uuid as expired_id
    from unnest(buckets, p_keys, p_fingerprints) with ordinality as w (bucket, key, fingerprint, i)
    join idempotency_key k on k.bucket = w.bucket and k.key = w.key
    where k.bucket = any (batch_buckets)
    union all
    select w.i::int, k.fingerprint = w.fingerprint, k.status, k.resource_type, k.resource_id, k.bucket,
      case when k.created < p_keys_since then k.transfer_id end
    from unnest(buckets, p_keys, p_fingerprints) with ordinality as w (bucket, key, fingerprint, i)
    join transfer_answer k on k.bucket = w.bucket and k.key = w.key
    where k.bucket = any (batch_buckets)
  loop
    if known.expired_id is not null then
      -- Frees the key, which this batch stores with another transfer.
      update transfer x set key = null, fingerprint = null where x.bucket = known.bucket and x.id = known.expired_id;
    elsif known.i <> all (settled) then
      settled := settled || known.i;
      return query select known.i, case when known.same then 'replayed' else 'conflict' end, null::bigint,
        known.status, known.resource_type, known.resource_id;
    end if;
  end loop;

  if p_reverses is not null then
    select array_agg(o.id), array_agg(o.rest) into originals, rests
    from (
      select x.id, case when x.kind = 'reallocation' and x.reverses is null then x.amount - coalesce((
        select sum(r.amount) from transfer r where r.bucket = x.bucket and r.reverses = x.id), 0) end as rest
      from (select distinct w.bucket, w.id from unnest(buckets, p_reverses) as w (bucket, id)) w
      join transfer x on x.bucket = w.bucket and x.id = w.id
      where x.bucket = any (batch_buckets)
    ) o;
  end if;
  if p_external_ids is not null then
    select coalesce(array_agg(concat_ws(' ', x.customer_id, x.kind, x.external_id)), '{}'), coalesce(array_agg(x.id), '{}')
    into taken, taken_ids
    from (
      select distinct p_account_buckets[p_from[i]] as bucket, customers[p_from[i]] as customer, p_kinds[i] as kind,
        p_external_ids[i] as external_id
      from generate_series(1, n) as i where p_external_ids[i] is not null
    ) w
    join transfer x on x.bucket = w.bucket and x.customer_id = w.customer and x.kind = w.kind and x.external_id = w.external_id
    where x.bucket = any (batch_buckets);
  end if;

  for i in 1 .. n loop
    if p_groups[i] is not null and (i = 1 or p_groups[i - 1] is distinct from p_groups[i]) then
      first := i;
      failed := false;
      select balances, versions, sent, latests, touched, posted, rests, taken, taken_ids into was;
    end if;

    <<decide>>
    begin
      exit decide when i = any (settled);
      f := p_from[i];
      t := p_to[i];
      a := p_amounts[i];
      original := case when p_reverses[i] is not null then coalesce(array_position(originals, p_reverses[i]), 0) end;
      if a = 0 then
        a := coalesce(rests[original], balances[f]);
      elsif p_kinds[i] = 'allocation' then
        a := least(a, lefts[p_parents[i]], p_untils[i] - balances[t]);
      end if;
      outcome := case
        when p_kinds[i] = 'allocation' and (from_sequences[p_parents[i]] is null or kinds[t] is distinct from 'label' or frozens[f]
          or a <= 0 or currencies[t] <> p_currencies[i] or balances[t] + a > balance_max) then 'skipped'
        when kinds[f] is null or kinds[t] is null then 'not_found'
        when p_kinds[i] = 'reallocation' and (kinds[f] <> 'label' or kinds[t] <> 'label') then 'not_found'
        when platforms[f] <> p_platforms[i] or platforms[t] <> p_platforms[i] then 'forbidden'
        when original is not null and coalesce(rests[original], 0) = 0 then 'reversed'
        when a is null then 'invalid'
        when customers[f] <> customers[t] then 'customers'
        when frozens[f] and p_kinds[i] <> 'deposit' then 'frozen'
        when currencies[f] <> p_currencies[i] or currencies[t] <> p_currencies[i] then 'currency'
        when a > rests[original] then 'exceeds'
        when a <= 0 or (kinds[f] <> 'external' and balances[f] < a) then 'insufficient'
        when a > balance_max or balances[f] - a < -balance_max or balances[t] + a > balance_max then 'limit'
      end;
      if outcome is null and p_external_ids[i] is not null then
        name := concat_ws(' ', customers[f], p_kinds[i], p_external_ids[i]);
        resource_id := taken_ids[array_position(taken, name)];
        if resource_id is not null then
          outcome := 'duplicate';
        else
          taken := taken || name;
          taken_ids := taken_ids || p_ids[i];
        end if;
      end if;
      if outcome is not null then
        item := i;
        available := case outcome when 'exceeds' then rests[original] else balances[f] end;
        failed := true;
        return next;
        resource_id := null;
        exit decide;
      end if;
      balances[f] := balances[f] - a;
      balances[t] := balances[t] + a;
      versions[f] := versions[f] + 1;
      versions[t] := versions[t] + 1;
      if p_kinds[i] = 'reallocation' then
        sent[f] := sent[f] + 1;
      end if;
      if original is not null then
        rests[original] := rests[original] - a;
      end if;
      if p_parents is not null then
        lefts[i] := a;
        if p_parents[i] is not null then
          lefts[p_parents[i]] := lefts[p_parents[i]] - a;
        end if;
      end if;
      if a <> p_amounts[i] then
        p_amounts[i] := a;
      end if;
      posted := posted + 1;
      -- Along an account the time never decreases, whatever the clocks of the processes say.
      times[i] := greatest(p_created, latests[f], latests[t]);
      owners[i] := customers[f];
      latests[f] := times[i];
      latests[t] := times[i];
      touched[f] := f;
      touched[t] := t;
      from_sequences[i] := versions[f];
      from_balances[i] := balances[f];
      to_sequences[i] := versions[t];
      to_balances[i] := balances[t];
    end;

    if failed and p_groups[i] is not null and (i = n or p_groups[i + 1] is distinct from p_groups[i]) then
      balances := was.balances;
      versions := was.versions;
      sent := was.sent;
      latests := was.latests;
      touched := was.touched;
      posted := was.posted;
      rests := was.rests;
      taken := was.taken;
      taken_ids := was.taken_ids;
      for j in first .. i loop
        continue when from_sequences[j] is null;
        from_sequences[j] := null;
        item := j;
        outcome := 'aborted';
        return next;
      end loop;
    end if;
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

  insert into transfer (bucket, id, customer_id, kind, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount,
    currency, reference, correlation_id, created, key, fingerprint, reverses, deposit_id, rule_id, external_id, metadata,
    request_id)
  select p_account_buckets[p_from[i]], p_ids[i], customers[p_from[i]], p_kinds[i], p_account_ids[p_from[i]], p_account_ids[p_to[i]],
    from_sequences[i], to_sequences[i], from_balances[i], to_balances[i], p_amounts[i], p_currencies[i], p_references[i],
    p_correlations[i], times[i], p_keys[i], p_fingerprints[i], p_reverses[i], p_ids[p_parents[i]], p_rules[i], p_external_ids[i],
    p_metadata[i]::jsonb, p_request_ids[i]
  from generate_series(1, n) as i where from_sequences[i] is not null;

  if posted < n then
    -- Leaves out the events of refused transfers.
    select array_agg(p_platforms[i] order by i), array_agg(p_event_ids[i] order by i), array_agg(owners[i] order by i),
      array_agg(p_resource_ids[i] order by i), array_agg(p_topics[i] order by i), array_agg(times[i] order by i)
    into p_platforms, p_event_ids, owners, p_resource_ids, p_topics, times
    from generate_series(1, n) as i where from_sequences[i] is not null;
  end if;
  -- By the clock of the server that holds the rows, which orders the events of a customer. In the order of the batch.
  select clock_timestamp() into wrote from ledger_account where bucket = p_account_buckets[1] and id = p_account_ids[1];
  insert into event_outbox (bucket, account_id, topic, created, ids, topics, times, written)
  select ('x' || substr(p_event_ids[s]::text, 16, 3))::bit(12)::int, p_platforms[s], p_topics[s], times[s],
    array[p_event_ids[s:s + more], owners[s:s + more], p_resource_ids[s:s + more]]
      || case when p_platforms[s] <> any (p_platforms) then array[p_platforms[s:s + more]] end,
    case when p_topics[s] <> any (p_topics) then p_topics[s:s + more] end,
    case when times[s] <> any (times) then times[s:s + more] end,
    wrote + s * interval '1 microsecond'
  from generate_series(1, cardinality(p_event_ids), more + 1) as s;
end
$$;

-- Calls the function of the group if this server holds it, as it does for lanes: planning its statements through Citus takes longer than
-- running them. A group does not move between the check and the commit.
create or replace function post_transfers(
  p_again boolean,
  p_created timestamptz,
  p_keys_since timestamptz,
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
  p_resource_ids uuid[],
  p_keys uuid[],
  p_fingerprints uuid[],
  p_groups int[],
  p_reverses uuid[],
  p_parents int[],
  p_untils bigint[],
  p_rules uuid[],
  p_external_ids text[],
  p_metadata text[],
  p_request_ids uuid[]
) returns table (item int, outcome text, available bigint, status smallint, resource_type text, resource_id uuid)
language plpgsql
as $$
declare
  arguments constant text := '$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27';
  shard bigint;
begin
  if not citus_is_coordinator() and cardinality(p_account_buckets) > 0 then
    shard := get_shard_id_for_distribution_column('ledger_account', p_account_buckets[1]);
    if hold_group(shard) then
      return query execute format('select * from post_transfers_%s(' || arguments || ')', shard)
        using p_again, p_created, p_keys_since, p_account_buckets, p_account_ids, p_ids, p_kinds, p_platforms, p_from, p_to, p_amounts,
          p_currencies, p_references, p_correlations, p_event_ids, p_topics, p_resource_ids, p_keys, p_fingerprints, p_groups,
          p_reverses, p_parents, p_untils, p_rules, p_external_ids, p_metadata, p_request_ids;
      return;
    end if;
  end if;
  return query select * from post_transfers_anywhere(
    p_again, p_created, p_keys_since, p_account_buckets, p_account_ids, p_ids, p_kinds, p_platforms, p_from, p_to, p_amounts,
    p_currencies, p_references, p_correlations, p_event_ids, p_topics, p_resource_ids, p_keys, p_fingerprints, p_groups,
    p_reverses, p_parents, p_untils, p_rules, p_external_ids, p_metadata, p_request_ids);
end
$$;
