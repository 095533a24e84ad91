// Decided documents of all accounts, for the people who review them.
import { bucketOf } from '../../core/ids.ts';
import type { Period } from '../../ledger/transfers/past.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { DocumentType, Reason } from './reason.ts';
import { decided, type Reviewer } from './review.ts';

/** A decided document with the person whom it had to show, and the review that decided. */
export type Decided = {
  id: string;
  type: DocumentType;
  status: 'accepted' | 'rejected';
  reasons: Reason[] | null;
  decided: Date;
  firstName: string;
  lastName: string;
  businessName: string | null;
  customerId: string;
  reviewer: Reviewer | undefined;
};

/** `name`, `reviewer`: parts, without regard to case. `period`: of the decision. `after`: the last document of the page before. */
type Search = Period & {
  name: string;
  reviewer: string;
  status: 'accepted' | 'rejected' | undefined;
  after: { id: string; decided: Date } | undefined;
  limit: number;
};

/** A page, the latest decision first. It costs what the period has: give one. */
export async function listDecided(sql: Sql, { from, before, name, reviewer, status, after, limit }: Search): Promise<Decided[]> {
  const none = fragment``;
  const rows = await sql<Omit<Decided, 'reviewer' | 'decided'> & { decided: Date | null }>`
    select d.id, d.type, d.status, d.reasons, d.decided, coalesce(o.first_name, c.first_name) as first_name,
      coalesce(o.last_name, c.last_name) as last_name, c.profile ->> 'businessName' as business_name, d.customer_id
    from document d
    join customer c on c.bucket = d.bucket and c.id = d.customer_id
    left join beneficial_owner o on o.bucket = d.bucket and o.id = d.owner_id
    where d.decided is not null
      ${from ? fragment`and d.decided >= ${from}` : none}
      ${before ? fragment`and d.decided < ${before}` : none}
      ${after ? fragment`and (d.decided, d.id) < (${after.decided}, ${after.id})` : none}
      ${status ? fragment`and d.status = ${status}` : none}
      ${
        name === ''
          ? none
          : fragment`and position(lower(${name}) in lower(concat_ws(' ', coalesce(o.first_name, c.first_name),
              coalesce(o.last_name, c.last_name), c.profile ->> 'businessName'))) > 0`
      }
      ${
        reviewer === ''
          ? none
          : fragment`and exists (
              select 1 from document_review r
              where r.bucket = d.bucket and r.document_id = d.id and ${decided}
                and position(lower(${reviewer}) in lower(r.reviewer ->> 'name')) > 0)`
      }
    order by d.decided desc, d.id desc
    limit ${limit}`;
  const reviewers = await findReviewers(
    sql,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, decided: row.decided!, reviewer: reviewers.get(row.id) }));
}

/** Who decided: the last effective review of each document. */
async function findReviewers(sql: Sql, ids: string[]): Promise<Map<string, Reviewer>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<{ documentId: string; reviewer: Reviewer }>`
    select document_id, reviewer from document_review
    where bucket = any(${ids.map(bucketOf)}) and document_id = any(${ids}) and effective
    order by id`;
  return new Map(rows.map(({ documentId, reviewer }) => [documentId, reviewer]));
}
