// The events that transfers and created resources must have, and which of them are missing from feed and outbox.
import { bucketOf } from '../../core/ids.ts';
import { type Fragment, fragment } from '../../platform/db/sql.ts';
import type { Range } from '../breach.ts';
import type { Declared } from './declared.ts';

/** An event that is missing. `id`: of the row that it reports. `what`: names that row. */
export type MissingEvent = {
  bucket: number;
  id: string;
  what: string;
  accountId: string;
  customerId: string;
  created: Date;
  topic: string;
  resourceId: string;
};

/** Rows by id, and the resources that their events name. Without them: all of a range. */
export type Only = { ids: string[]; resourceIds: string[] };

const TRANSFERS = fragment`transfer t`;

/** The transfers without an event. */
export function transfersWithoutEvents(range: Range, declared: Declared, only?: Only): Fragment {
  const kinds = only
    ? reportedTransfers(fragment`true`, declared, named(only.ids))
    : reportedTransfers(fragment`t.bucket between ${range.first} and ${range.last} and t.from_sequence > 0`, declared);
  return without(range, [kinds], only);
}

/** Transfers with what their events must say. */
export function reportedTransfers(condition: Fragment, { topicOfKind }: Declared, transfers = TRANSFERS): Fragment {
  return fragment`
    select t.bucket, t.id, t.kind as what, a.account_id, t.customer_id, t.created, case t.kind ${topicOfKind} end as topic,
      case when t.kind not in ('label', 'allocation', 'recovery') then t.id
        else overlay(t.id::text placing case a.kind when 'label' then '1' else '2' end from 36)::uuid end as resource_id
    from ${transfers}
    join ledger_account a on a.bucket = t.bucket and a.id = t.from_id
    where ${condition}`;
}

/** The resources whose creation has no event. */
export function creationsWithoutEvents(range: Range, declared: Declared, only?: Only): Fragment {
  return without(range, reportedCreations(whereOf(range, only), declared), only);
}

/** Resources with what the events of their creation must say, a query for each type. */
export function reportedCreations(condition: Fragment, { creations }: Declared): Fragment[] {
  return creations.map(
    ({ topic, resource, rows }) => fragment`
      select bucket, id, ${resource} as what, account_id, customer_id, created, ${topic} as topic, id as resource_id
      from (${rows}) made where ${condition}`,
  );
}

function whereOf({ first, last }: Range, only?: Only): Fragment {
  const inRange = fragment`bucket between ${first} and ${last}`;
  return only ? fragment`${inRange} and id = any(${only.ids}::uuid[])` : inRange;
}

/** Transfers by their primary key. */
function named(ids: string[]): Fragment {
  return fragment`unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[]) as w (bucket, id)
    join transfer t on t.bucket = w.bucket and t.id = w.id`;
}

/**
 * Grouped instead of joined: without statistics, the planner would scan all events for each row. Retention may have deleted events before
 * `pruned`. Each kind of rows is joined by itself: a cluster does not join a union of tables on its workers with one on the coordinator.
 */
function without(range: Range, kinds: Fragment[], only?: Only): Fragment {
  const rows = kinds.map(
    (kind) => fragment`
      select r.bucket, r.id, r.what, r.account_id, r.customer_id, r.created, r.topic, r.resource_id
      from (${kind}) r
      left join event_head h on h.account_id = r.account_id
      where h.pruned is null or r.created >= h.pruned`,
  );
  return fragment`
    select bucket, max(id::text)::uuid as id, max(what) as what, account_id, customer_id, created, topic, resource_id
    from (
      ${rows.reduce((all, one) => fragment`${all} union all ${one}`)}
      union all
      select bucket, null, null, account_id, customer_id, created, topic, resource_id
      from (${eventsBetween(range, only?.resourceIds)}) event
    ) row_or_event
    group by bucket, account_id, customer_id, created, topic, resource_id
    having bool_and(id is not null)`;
}

/**
 * The events of a range of buckets, settled or not, about all resources or some. On a cluster, an event may be in the feed and still in the
 * outbox.
 */
export function eventsBetween({ first, last }: Range, resourceIds?: string[]): Fragment {
  // The fence keeps the planner from reading all events of the buckets.
  const events = resourceIds
    ? fragment`(
        select e.* from unnest(${resourceIds}::uuid[]) as named (id)
        cross join lateral (select * from event where event.resource_id = named.id offset 0) e
      ) e`
    : fragment`event e`;
  const about = resourceIds ? fragment`and w.resource_id = any(${resourceIds}::uuid[])` : fragment``;
  return fragment`
    select e.bucket, e.id, e.account_id, e.customer_id, e.created, t.topic, e.resource_id
    from ${events} join event_topic t on t.account_id = e.account_id and t.number = e.topic
    where e.bucket between ${first} and ${last}
    union
    select w.*
    from (
      select ('x' || substr(ids[1][nth]::text, 16, 3))::bit(12)::int as bucket, ids[1][nth] as id,
        coalesce(ids[4][nth], account_id) as account_id, ids[2][nth] as customer_id, coalesce(times[nth], created) as created,
        coalesce(topics[nth], topic) as topic, ids[3][nth] as resource_id
      from (select *, generate_subscripts(ids, 2) as nth from event_outbox) o
    ) w
    where w.bucket between ${first} and ${last} ${about}`;
}
