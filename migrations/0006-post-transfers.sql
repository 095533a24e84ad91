-- Posts a batch of transfers in the given order, in the caller's transaction. No other code moves money.
--
-- The names in double braces are slots: a single server has them as they are, and each group of shards of a cluster has a copy with
-- the names of its shards (src/platform/db/cluster/posting.ts).

-- The answers to requests with an idempotency key that made a transfer.
create view transfer_answer as
select t.bucket, t.key, t.fingerprint, 201::smallint as status,
  case t.kind when 'reallocation' then 'label-reallocation' when 'label' then 'ledger-entry' else t.kind end as resource_type,
  case when t.kind <> 'label' then t.id
    else overlay(t.id::text placing case a.kind when 'label' then '1' else '2' end from 36)::uuid end as resource_id,
  t.id as transfer_id, t.created
from {{transfer}} t
join {{ledger_account}} a on a.bucket = t.bucket and a.id = t.from_id
where t.key is not null;

-- The contract of post_transfers:
--
-- p_account_* lists each ledger account once, sorted by (bucket, id), the order in which they are locked. p_from and p_to are
-- indexes into that list. Returns a row for each transfer that was NOT posted, with the reason. A refusal is a row and not an
-- exception, so that it does not abort the other transfers of the batch.
--
--   replayed      the idempotency key was used for the same request; status and resource_* are those of the first answer
--   conflict      the idempotency key was used for another request
--   not_found     an account does not exist, or a side of a reallocation is not a label
--   forbidden     an account belongs to another account of the API
--   invalid       amount is null: the caller found the values invalid, and only the checks before that apply
--   customers     the accounts belong to different customers
--   frozen        the customer may not move money now (what the bank has done already, deposits and returns, is still recorded)
--   currency      the transfer's currency differs from the accounts'
--   limit         a balance would exceed 18 digits
--   insufficient  the source has less than the amount; available is its balance without what is held, owed what the customer owes
--
--   reversed      the original has nothing left to reverse or return, or is itself a reversal
--   exceeds       a reversal or return of more than is left of the original; available is that rest
--   duplicate     the customer has a transfer of this kind with this external id; resource_id is that transfer
--   skipped       an allocation or repayment that does not apply: its deposit was not posted, its label is gone or full, nothing is owed or
--                 left
--   aborted       another transfer of its group was refused
--
-- An amount of 0 is everything: what the source has available, or what the original of a reversal has left.
-- p_groups: transfers in a row with the same number are posted all or none. Deciding goes on after a refusal as if the refused one were
-- not there, so that each refusal is reported.
-- p_accounts: the calling account of each transfer. p_reverses: the reallocation that this one reverses, or the deposit or withdrawal that
-- it returns. p_parents: the index of the deposit of an allocation or a repayment, which comes before it.
-- p_holds: the hold that a transfer captures. The caller has taken the amount off what is held, in this transaction.
-- p_returns: the return of a deposit that the transfer takes money for. p_reasons: of returns.
-- p_at_most: the amount of a reversal is lowered to what the source has available.
-- p_evidence: of requests that were signed.
-- p_fill_up_to: the balance up to which an allocation fills its label, or a repayment what is owed. p_references, p_correlations and the
-- arrays from p_groups on are null when no transfer needs them.
-- p_keys_since: the idempotency keys of transfers made before have expired.
-- p_is_retry: an earlier attempt at this batch may have been committed; transfers that exist are skipped.
create function {{post_transfers}}(
  p_is_retry boolean,
  p_created timestamptz,
  p_keys_since timestamptz,
  p_account_buckets int[],
  p_account_ids uuid[],
  p_ids uuid[],
  p_kinds text[],
  p_accounts uuid[],
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
  p_fill_up_to bigint[],
  p_rules uuid[],
  p_external_ids text[],
  p_metadata text[],
  p_request_ids uuid[],
  p_holds uuid[],
  p_returns uuid[],
  p_reasons text[],
  p_at_most boolean[],
  p_evidence text[]
) returns table (
  item int, outcome text, available bigint, held bigint, owed bigint, status smallint, resource_type text, resource_id uuid
)
language plpgsql
-- Cached plans must suit large tables although they are made while tables are small: index scans only, and each row is looked up by its
-- whole key in a lateral subquery, whose limit keeps the planner from beginning with the table. Generic plans, because planning each call
-- takes half the time of a batch of one.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
-- Few expressions run for each transfer, because PL/pgSQL prepares each of them again in every transaction: some 2 µs.
declare
  balance_max constant bigint := 999999999999999999;
  -- Events of a row of the outbox beside the first: as many as fit into a page.
  more constant int := 47;
  -- by account, in lock order
  places bigint[];
  accounts uuid[];
  customers uuid[];
  kinds text[];
  currencies text[];
  balances bigint[];
  versions bigint[];
  sent bigint[];
  frozens boolean[];
  latests timestamptz[];
  helds bigint[];
  -- Some hold may have expired.
  is_due boolean;
  -- by transfer; null unless an account is missing
  buckets int[];
  n constant int := cardinality(p_ids);
  -- Some transfer needs more than two accounts, an amount, texts and a key. Other batches skip what only such transfers need.
  is_special constant boolean :=
    num_nonnulls(p_groups, p_reverses, p_parents, p_external_ids, p_metadata, p_at_most, p_evidence) > 0;
  settled int[] := '{}';
  -- by transfer: null unless it is posted
  from_sequences bigint[];
  from_balances bigint[];
  to_sequences bigint[];
  to_balances bigint[];
  times timestamptz[];
  owners uuid[];
  event_times timestamptz[];
  -- of the originals that items reverse: what is not reversed yet; null for one that cannot be reversed
  originals uuid[];
  unreversed bigint[];
  original int;
  -- external ids in use, with their transfers
  taken text[];
  taken_ids uuid[];
  name text;
  -- by deposit: what its allocations have left
  remaining bigint[];
  -- the current group: its first item, whether an item was refused, and the state before it
  first int;
  failed boolean := false;
  saved record;
  f int;
  t int;
  a bigint;
  known record;
begin
  -- Lock the accounts in order. No other transaction can change their balances from here on.
  select array_agg(l.place), array_agg(l.account_id), array_agg(l.customer_id), array_agg(case when l.removed is null then l.kind end),
    array_agg(l.currency), array_agg(l.balance), array_agg(l.version), array_agg(l.reallocations_out), array_agg(l.frozen),
    array_agg(l.latest), array_agg(l.held), bool_or(l.held_until <= greatest(p_created, l.latest))
  into places, accounts, customers, kinds, currencies, balances, versions, sent, frozens, latests, helds, is_due
  from (
    select w.place, locked.*
    from unnest(p_account_buckets, p_account_ids) with ordinality as w (bucket, id, place)
    join {{ledger_account}} locked on locked.bucket = w.bucket and locked.id = w.id
    order by w.place
    for no key update of locked
  ) l;
  if cardinality(places) is distinct from cardinality(p_account_ids) then
    -- Some do not exist: renumber the others. A missing account's index becomes null.
    select array_agg(p_account_buckets[p_from[i]] order by i), array_agg(array_position(places, p_from[i]) order by i),
      array_agg(array_position(places, p_to[i]) order by i)
    into buckets, p_from, p_to from generate_series(1, n) as i;
    select array_agg(p_account_buckets[place] order by place), array_agg(p_account_ids[place] order by place)
    into p_account_buckets, p_account_ids from unnest(places) as place;
  end if;

  if is_due or p_is_retry then
    if is_due then
      -- What expires at a moment is available from then on. An account's time never goes back, whatever the clocks of the processes say.
      select array_agg((
        select coalesce(sum(h.amount - h.captured), 0) from {{hold}} h
        where h.bucket = p_account_buckets[i] and h.ledger_account_id = p_account_ids[i] and h.status = 'pending' and h.captured >= 0
          and h.expires > greatest(p_created, latests[i])
      ) order by i)
      into helds from generate_subscripts(helds, 1) as i;
    end if;
    if p_is_retry then
      -- Transfers that an earlier attempt posted.
      select coalesce(array_agg(i), '{}') into settled
      from generate_series(1, n) as i
      cross join lateral (select from {{transfer}} x where x.bucket = p_account_buckets[p_from[i]] and x.id = p_ids[i] limit 1) x;
    end if;
  end if;

  -- Transfers whose idempotency key was used before. Most batches have none, and whether there is one costs less than the answers.
  if exists (
    select from generate_series(1, n) as i
    cross join lateral (
      select from {{idempotency_key}} k
      where k.bucket = coalesce(buckets[i], p_account_buckets[p_from[i]]) and k.key = p_keys[i] limit 1
    ) k
    union all
    select from generate_series(1, n) as i
    cross join lateral (
      select from {{transfer}} k
      where k.bucket = coalesce(buckets[i], p_account_buckets[p_from[i]]) and k.key = p_keys[i] limit 1
    ) k
  ) then
    for known in
      select i, k.fingerprint = p_fingerprints[i] as same, k.status, k.resource_type, k.resource_id, k.bucket, null::uuid as expired_id
      from generate_series(1, n) as i
      cross join lateral (
        select * from {{idempotency_key}} k
        where k.bucket = coalesce(buckets[i], p_account_buckets[p_from[i]]) and k.key = p_keys[i] limit 1
      ) k
      union all
      select i, k.fingerprint = p_fingerprints[i], k.status, k.resource_type, k.resource_id, k.bucket,
        case when k.created < p_keys_since then k.transfer_id end
      from generate_series(1, n) as i
      cross join lateral (
        select * from {{transfer_answer}} k
        where k.bucket = coalesce(buckets[i], p_account_buckets[p_from[i]]) and k.key = p_keys[i] limit 1
      ) k
    loop
      if known.expired_id is not null then
        -- Frees the key, which this batch stores with another transfer.
        update {{transfer}} x set key = null, fingerprint = null where x.bucket = known.bucket and x.id = known.expired_id;
      elsif known.i <> all (settled) then
        settled := settled || known.i;
        return query select known.i, case when known.same then 'replayed' else 'conflict' end, null::bigint, null::bigint, null::bigint,
          known.status, known.resource_type, known.resource_id;
      end if;
    end loop;
  end if;

  if is_special then
    if p_reverses is not null then
      -- Every reversal of a reallocation, and every return, locks an account that the others of its original lock too: none is added from
      -- here on.
      select array_agg(o.id), array_agg(o.rest) into originals, unreversed
      from (
        select x.id, case when x.kind in ('reallocation', 'deposit', 'withdrawal') and x.reverses is null then x.amount - coalesce((
          select sum(r.amount) from {{transfer}} r where r.bucket = x.bucket and r.reverses = x.id), 0) end as rest
        from (select distinct p_account_buckets[p_from[i]] as bucket, p_reverses[i] as id from generate_series(1, n) as i) w
        cross join lateral (select * from {{transfer}} x where x.bucket = w.bucket and x.id = w.id limit 1) x
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
      cross join lateral (
        select * from {{transfer}} x
        where x.bucket = w.bucket and x.customer_id = w.customer and x.kind = w.kind and x.external_id = w.external_id limit 1
      ) x;
    end if;
  end if;

  for i in 1 .. n loop
    if is_special then
      original := case when p_reverses[i] is not null then coalesce(array_position(originals, p_reverses[i]), 0) end;
      if p_groups[i] is not null and (i = 1 or p_groups[i - 1] is distinct from p_groups[i]) then
        first := i;
        failed := false;
        select balances, versions, sent, latests, unreversed, taken, taken_ids into saved;
      end if;
    end if;

    <<decide>>
    begin
      exit decide when i = any (settled);
      f := p_from[i];
      t := p_to[i];
      a := p_amounts[i];
      if a = 0 or is_special then
        a := case
          when p_parents[i] is not null then least(a, remaining[p_parents[i]], p_fill_up_to[i] - balances[t])
          when a = 0 then coalesce(unreversed[original], balances[f] - helds[f])
          else a
        end;
        if p_at_most[i] and a <= unreversed[original] then
          a := least(a, balances[f] - helds[f]);
        end if;
      end if;
      outcome := case
        when p_parents[i] is not null and (from_sequences[p_parents[i]] is null or a <= 0
          or p_kinds[i] = 'allocation' and (kinds[t] is distinct from 'label' or frozens[f] or currencies[t] <> p_currencies[i]
            or balances[t] + a > balance_max)) then 'skipped'
        when kinds[f] is null or kinds[t] is null then 'not_found'
        when p_kinds[i] = 'reallocation' and (kinds[f] <> 'label' or kinds[t] <> 'label') then 'not_found'
        when accounts[f] <> p_accounts[i] or accounts[t] <> p_accounts[i] then 'forbidden'
        when original is not null and coalesce(unreversed[original], 0) = 0 then 'reversed'
        when a is null then 'invalid'
        when customers[f] <> customers[t] then 'customers'
        when frozens[f] and p_kinds[i] not in ('deposit', 'repayment', 'deposit-return', 'withdrawal-return', 'recovery', 'debt') then 'frozen'
        when currencies[f] <> p_currencies[i] or currencies[t] <> p_currencies[i] then 'currency'
        when a > unreversed[original] then 'exceeds'
        when a <= 0 or (balances[f] - helds[f] < a and kinds[f] not in ('external', 'owed')) then 'insufficient'
        when a > balance_max or balances[f] - a < -balance_max or balances[t] + a > balance_max then 'limit'
      end;
      if outcome is not null or is_special then
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
          available := case outcome when 'exceeds' then unreversed[original] else balances[f] - helds[f] end;
          held := helds[f];
          owed := null;
          if outcome = 'insufficient' then
            owed := coalesce((
              select -o.balance from {{ledger_account}} o
              where o.bucket = p_account_buckets[f] and o.customer_id = customers[f] and o.currency = currencies[f] and o.kind <> 'label'
                and o.kind = 'owed'), 0);
          end if;
          failed := true;
          return next;
          resource_id := null;
          exit decide;
        end if;
      end if;
      balances[f] := balances[f] - a;
      balances[t] := balances[t] + a;
      versions[f] := versions[f] + 1;
      versions[t] := versions[t] + 1;
      sent[f] := sent[f] + (p_kinds[i] = 'reallocation')::int;
      if is_special or a <> p_amounts[i] then
        p_amounts[i] := a;
        if original is not null then
          unreversed[original] := unreversed[original] - a;
        end if;
        if p_parents is not null then
          remaining[i] := a;
          if p_parents[i] is not null then
            remaining[p_parents[i]] := remaining[p_parents[i]] - a;
          end if;
        end if;
      end if;
      owners[i] := customers[f];
      -- Along an account the time never decreases, whatever the clocks of the processes say.
      times[i] := greatest(p_created, latests[f], latests[t]);
      latests[f] := times[i];
      latests[t] := times[i];
      from_sequences[i] := versions[f];
      from_balances[i] := balances[f];
      to_sequences[i] := versions[t];
      to_balances[i] := balances[t];
    end;

    if is_special and failed and p_groups[i] is not null and (i = n or p_groups[i + 1] is distinct from p_groups[i]) then
      balances := saved.balances;
      versions := saved.versions;
      sent := saved.sent;
      latests := saved.latests;
      unreversed := saved.unreversed;
      taken := saved.taken;
      taken_ids := saved.taken_ids;
      for j in first .. i loop
        continue when from_sequences[j] is null;
        from_sequences[j] := null;
        item := j;
        outcome := 'aborted';
        return next;
      end loop;
    end if;
  end loop;
  if cardinality(from_sequences) is distinct from n or array_position(from_sequences, null) is not null then
    if from_sequences is null then
      return;
    end if;
    -- Leaves out the events of refused transfers.
    select array_agg(p_accounts[i] order by i), array_agg(p_event_ids[i] order by i), array_agg(owners[i] order by i),
      array_agg(p_resource_ids[i] order by i), array_agg(p_topics[i] order by i), array_agg(times[i] order by i)
    into p_accounts, p_event_ids, owners, p_resource_ids, p_topics, event_times
    from generate_series(1, n) as i where from_sequences[i] is not null;
  end if;

  if is_special then
    if p_metadata is not null then
      insert into {{transfer_metadata}} (bucket, customer_id, pair, created, transfer_id)
      select p_account_buckets[p_from[i]], customers[p_from[i]], md5(pair.key || '=' || pair.value)::uuid, times[i], p_ids[i]
      from generate_series(1, n) as i
      cross join lateral jsonb_each_text(p_metadata[i]::jsonb) as pair
      where from_sequences[i] is not null;
    end if;

    if p_evidence is not null then
      insert into {{transfer_evidence}} (bucket, customer_id, transfer_id, evidence)
      select p_account_buckets[p_from[i]], customers[p_from[i]], p_ids[i], p_evidence[i]::jsonb
      from generate_series(1, n) as i
      where from_sequences[i] is not null and p_evidence[i] is not null;
    end if;
  end if;

  -- One statement, because the fixed cost of a statement exceeds that of a row. The CTE reads the arrays once.
  with posted as materialized (
    select i, p_account_buckets[p_from[i]] as bucket, p_ids[i] as id, customers[p_from[i]] as customer,
      p_account_ids[p_from[i]] as from_id, from_sequences[i] as from_sequence, from_balances[i] as from_balance,
      p_account_ids[p_to[i]] as to_id, to_sequences[i] as to_sequence, to_balances[i] as to_balance, p_amounts[i] as amount,
      times[i] as created
    from generate_series(1, n) as i
    where from_sequences[i] is not null
  ), balance as (
    update {{ledger_account}} locked
    set balance = balances[place], version = versions[place], reallocations_out = sent[place], latest = latests[place]
    from unnest(versions) with ordinality as changed (version, place)
    where locked.bucket = p_account_buckets[place] and locked.id = p_account_ids[place] and locked.version <> changed.version
  ), moved as (
    insert into {{transfer}} (bucket, id, customer_id, kind, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount,
      currency, reference, correlation_id, created, key, fingerprint, reverses, deposit_id, rule_id, external_id, metadata,
      request_id, hold_id, return_id, reason)
    select bucket, id, customer, p_kinds[i], from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount,
      p_currencies[i], p_references[i], p_correlations[i], created, p_keys[i], p_fingerprints[i], p_reverses[i], p_ids[p_parents[i]],
      p_rules[i], p_external_ids[i], p_metadata[i]::jsonb, p_request_ids[i], p_holds[i], p_returns[i],
      p_reasons[i]
    from posted
  )
  insert into {{event_outbox}} (bucket, account_id, topic, created, ids, topics, times, written)
  select outbox_bucket(('x' || substr(p_event_ids[s]::text, 16, 3))::bit(12)::int), p_accounts[s], p_topics[s], times[s],
    array[p_event_ids[s:s + more], owners[s:s + more], p_resource_ids[s:s + more]]
      || case when p_accounts[s] <> any (p_accounts) then array[p_accounts[s:s + more]] end,
    case when p_topics[s] <> any (p_topics) then p_topics[s:s + more] end,
    case when times[s] <> any (times) then times[s:s + more] end,
    -- Leaves a microsecond for each event, which split_outbox needs.
    clock_timestamp() + s * interval '1 microsecond'
  from (select generate_series(1, cardinality(p_event_ids), more + 1) as s, coalesce(event_times, times) as times) w;
end
$$;
