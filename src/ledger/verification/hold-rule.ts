// The rule of holds: what is held is the sum of the pending holds, is there, and was captured by transfers.
import type { Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach, type Range } from '../breach.ts';
import { between, type Part, within } from './parts.ts';

/** Whether a hold has expired is decided by the last entry of its account: nobody can have spent its money before. */
export async function findHoldBreaches(sql: Sql, { first, last }: Range): Promise<Breach[]> {
  return sql<Breach>`
    select bucket, id, 'held ' || coalesce(held::text, 'of no account') || ', holds of ' || coalesce(total, 0) as detail
    from (
      select bucket, id, held, held_until from ledger_account
      where bucket between ${first} and ${last} and created > '-infinity'
    ) a
    full join (
      select bucket, ledger_account_id as id, sum(amount - captured) as total, min(expires) as expires
      from hold where bucket between ${first} and ${last} and created > '-infinity' and status = 'pending'
      group by bucket, ledger_account_id
    ) h using (bucket, id)
    where held is distinct from coalesce(total, 0) or held_until is distinct from expires
    union all
    select h.bucket, h.ledger_account_id, 'holds of ' || sum(h.amount - h.captured) || ' on a balance of ' || a.balance
    from hold h
    join ledger_account a on a.bucket = h.bucket and a.id = h.ledger_account_id
    where h.bucket between ${first} and ${last} and h.created > '-infinity' and h.status = 'pending' and h.expires > a.latest
    group by h.bucket, h.ledger_account_id, a.balance
    having sum(h.amount - h.captured) > a.balance
    limit ${BREACHES_MAX}`;
}

export async function findCaptureBreaches(sql: Sql, part: Part): Promise<Breach[]> {
  return sql<Breach>`
    select bucket, id, 'captured ' || coalesce(captured::text, 'no hold') || ', transfers of ' || coalesce(moved, 0) as detail
    from (
      select bucket, id, ledger_account_id as from_id, captured from hold
      where ${between(part, ['bucket', 'id'])} and created > '-infinity'
    ) h
    full join (
      select bucket, hold_id as id, from_id, sum(amount) as moved from transfer
      where ${within(part, 'captures')}
      group by bucket, hold_id, from_id
    ) t using (bucket, id, from_id)
    where coalesce(captured, 0) <> coalesce(moved, 0) or captured is null
    limit ${BREACHES_MAX}`;
}
