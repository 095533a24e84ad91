// Change requests: changes that wait for a second person, for a day. Queries.
import { newId } from '../../core/ids.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { Change, Line } from './change.ts';

export type ChangeRequest = {
  id: string;
  askedBy: string;
  /** The name of the one who asked. */
  asker: string;
  wanted: Change;
  title: string;
  lines: Line[];
  created: Date;
  expires: Date;
  decided: Date | null;
  /** The name of the one who decided. */
  decider: string | null;
  /** Why the ledger refused to carry it out. */
  refusal: string | null;
  /** The transfer that was made, or the hold that was captured. */
  result: string | null;
  /** `approved`: the one who asked has not collected the secret yet, or the money has not moved yet. `failed`: the ledger refused it. */
  state: 'waits' | 'approved' | 'done' | 'failed' | 'refused' | 'withdrawn' | 'expired';
};

export type Decision = 'approved' | 'refused' | 'withdrawn';

/** From the question to the decision, and from the approval to the collection of a secret. */
export const REQUEST_HOURS = 24;
/** How long requests are kept after their end. The audit log stays. */
const KEPT_DAYS = 30;
const BUCKET = 0;

const state = fragment`
  case when r.performed is not null then 'done' when r.refusal is not null then 'failed' when r.decision in ('refused', 'withdrawn') then r.decision
    when r.expires <= now() then 'expired' when r.decision is not null then r.decision else 'waits' end`;
const columns = fragment`
  r.id, r.asked_by, o.name as asker, r.wanted, r.title, r.lines, r.created, r.expires, r.decided, r.decider, r.refusal, r.result, ${state} as state`;

/** Stores a change that waits, and returns its id. `key`: of the form, if sending it again must not ask again. */
export async function storeRequest(
  tx: Sql,
  { askedBy, wanted, title, lines, key }: Pick<ChangeRequest, 'askedBy' | 'wanted' | 'title' | 'lines'> & { key?: string },
): Promise<string> {
  const id = newId(BUCKET);
  await tx`delete from change_request where expires < now() - make_interval(days => ${KEPT_DAYS})`;
  await tx`
    insert into change_request (id, asked_by, wanted, title, lines, key, created, expires)
    values (${id}, ${askedBy}, ${wanted}, ${title}, ${JSON.stringify(lines)}, ${key ?? null}, now(), now() + make_interval(hours => ${REQUEST_HOURS}))`;
  return id;
}

export async function findRequest(sql: Sql, id: string): Promise<ChangeRequest | undefined> {
  const [request] = await sql<ChangeRequest>`
    select ${columns} from change_request r join operator o on o.id = r.asked_by where r.id = ${id}`;
  return request;
}

/** The request that the form with a key has made; undefined if it made none. */
export async function findRequestByKey(sql: Sql, key: string): Promise<ChangeRequest | undefined> {
  const [request] = await sql<ChangeRequest>`
    select ${columns} from change_request r join operator o on o.id = r.asked_by where r.key = ${key}`;
  return request;
}

/** Lists the requests that wait for a second person or for the collection of a secret, oldest first. */
export async function listOpenRequests(sql: Sql): Promise<ChangeRequest[]> {
  return sql<ChangeRequest>`
    select ${columns} from change_request r join operator o on o.id = r.asked_by
    where r.performed is null and r.refusal is null and r.decision is distinct from 'refused' and r.decision is distinct from 'withdrawn' and r.expires > now()
    order by r.id`;
}

/** Notes the decision; an approval starts the time for the collection. `by`: null on the command line. */
export async function noteDecision(
  tx: Sql,
  id: string,
  { decision, by, name }: { decision: Decision; by: string | null; name: string },
): Promise<void> {
  await tx`
    update change_request set decision = ${decision}, decided = now(), decided_by = ${by}, decider = ${name},
      expires = case when ${decision} = 'approved' then now() + make_interval(hours => ${REQUEST_HOURS}) else expires end
    where id = ${id}`;
}

export async function notePerformed(tx: Sql, id: string): Promise<void> {
  await tx`update change_request set performed = now() where id = ${id}`;
}

/** Notes what the ledger did, unless it is noted: money that moved is stronger than a refusal of another attempt. Returns whether it was noted now. */
export async function noteCarriedOut(tx: Sql, id: string, outcome: { result: string } | { refusal: string }): Promise<boolean> {
  const rows =
    'result' in outcome
      ? await tx`
          update change_request set performed = now(), result = ${outcome.result}, refusal = null
          where id = ${id} and performed is null returning 1`
      : await tx`
          update change_request set refusal = ${outcome.refusal}
          where id = ${id} and performed is null and refusal is null returning 1`;
  return rows.length > 0;
}
