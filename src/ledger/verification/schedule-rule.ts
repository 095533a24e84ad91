// The rule of schedules: an occurrence that ran has exactly its one reallocation, and no occurrence has two results.
import type { Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach, type Range } from '../breach.ts';

/** The id of a result is a hash of schedule and time, and its reallocation has it too: keys allow each once. */
export async function findScheduleBreaches(sql: Sql, { first, last }: Range): Promise<Breach[]> {
  return sql<Breach>`
    select o.bucket, o.id, 'occurrence ' || o.status || ' with ' || coalesce(o.amount::text, 'no amount') || ', reallocation of '
      || coalesce(t.amount::text, 'nothing') as detail
    from schedule_occurrence o
    left join transfer t on t.bucket = o.bucket and t.id = o.id
    left join schedule s on s.bucket = o.bucket and s.id = o.schedule_id and s.customer_id = o.customer_id
      and s.account_id = o.account_id and s.currency = o.currency
    where o.bucket between ${first} and ${last} and (
      s.id is null or o.amount is distinct from t.amount
      or o.status = 'ran' and (t.kind, t.customer_id, t.from_id, t.to_id, t.currency)
        is distinct from ('reallocation', o.customer_id, s.from_id, s.to_id, o.currency))
    union all
    select bucket, id, 'id of another schedule or time than ' || schedule_id || ' at ' || at as detail
    from (
      select bucket, id, schedule_id, at, (extract(epoch from at) * 1000)::bigint as ms from schedule_occurrence
      where bucket between ${first} and ${last}
    ) o
    where left(replace(id::text, '-', ''), 12) <> lpad(to_hex(ms), 12, '0')
      or left(right(id::text, 12), 11) <> substr(encode(sha256(convert_to(schedule_id || ' ' || ms, 'UTF8')), 'hex'), 5, 11)
    union all
    select s.bucket, s.id, 'next occurrence ' || s.next || ' is not after ' || o.at as detail
    from schedule s
    join (
      select bucket, schedule_id, max(at) as at from schedule_occurrence
      where bucket between ${first} and ${last} group by bucket, schedule_id
    ) o on o.bucket = s.bucket and o.schedule_id = s.id
    where s.bucket between ${first} and ${last} and s.next <= o.at
    limit ${BREACHES_MAX}`;
}
