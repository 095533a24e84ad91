// The rule of returns: what they took is theirs, and only debts and repayments change what is owed.
import type { Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach } from '../breach.ts';
import { type Part, within } from './parts.ts';

/** Labels give money to the available balance, from which the return takes all of it. */
export async function findTakenBreaches(sql: Sql, part: Part): Promise<Breach[]> {
  return sql<Breach>`
    select p.bucket, p.return_id as id, 'took ' || sum(p.amount) || ' for ' || coalesce(min(r.amount)::text, 'no return') as detail
    from transfer p
    left join transfer r on r.bucket = p.bucket and r.id = p.return_id and r.kind = 'deposit-return' and r.from_id = p.to_id
    where ${within(part, 'returns', 'p')}
    group by p.bucket, p.return_id
    having sum(p.amount) > min(r.amount) or count(r.id) < count(*)
    limit ${BREACHES_MAX}`;
}

/** Outer joins: the planner might begin with the accounts of a bucket otherwise. */
export async function findOwedBreaches(sql: Sql, part: Part): Promise<Breach[]> {
  return sql<Breach>`
    select t.bucket, t.id, t.kind || ' between ' || f.kind || ' and ' || g.kind as detail
    from transfer t
    left join ledger_account f on f.bucket = t.bucket and f.id = t.from_id
    left join ledger_account g on g.bucket = t.bucket and g.id = t.to_id
    where ${within(part, 'transfers', 't')}
      and case t.kind when 'debt' then f.kind <> 'owed' or g.kind <> 'available'
        when 'repayment' then f.kind <> 'available' or g.kind <> 'owed'
        when 'recovery' then f.kind <> 'label' or g.kind <> 'available'
        else f.kind = 'owed' or g.kind = 'owed' end
    limit ${BREACHES_MAX}`;
}
