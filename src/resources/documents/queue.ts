// The review queue: number and age of the documents that wait for a reviewer, and the next ones for a person.
import { timeOf } from '../../core/ids.ts';
import { nowOfAccount } from '../../platform/db/account-clock.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { listSamePerson } from '../operators/four-eyes.ts';
import { type Document, waits } from './document.ts';
import type { DocumentType } from './reason.ts';

type ReviewQueue = {
  /** Counted up to `PENDING_MAX`. */
  pending: number;
  /** When the oldest pending document was submitted, by the clock of the machine. */
  oldest: Date | undefined;
};

/** A document that waits, with the person whom it has to show. */
export type Waiting = {
  id: string;
  customerId: string;
  type: DocumentType;
  created: Date;
  firstName: string;
  lastName: string;
  businessName: string | null;
  /** Whether a first reviewer has decided. */
  isSecond: boolean;
  /** The reviewer who has taken it. */
  claimedBy: string | null;
};

const PENDING_MAX = 10_000;

export async function reviewQueue(sql: Sql): Promise<ReviewQueue> {
  // Ids are UUIDv7 and sort by creation time.
  const [row] = await sql<{ pending: bigint; oldest: string | null }>`
    select (select count(*) from (select 1 from document d where ${waits} limit ${PENDING_MAX}) w) as pending,
      (select id from document d where ${waits} order by id limit 1) as oldest`;
  return { pending: Number(row?.pending), oldest: row?.oldest ? timeOf(row.oldest) : undefined };
}

/** The number of documents of an account that wait for a reviewer. */
export async function countWaiting(sql: Sql, accountId: string): Promise<number> {
  const [row] = await sql<{ total: bigint }>`
    select count(*) as total from document d where ${waits} and account_id = ${accountId}`;
  return Number(row?.total);
}

/** How many documents wait that were submitted after one, up to a number. */
export async function countArrived(sql: Sql, { after, most }: { after: string; most: number }): Promise<number> {
  const [row] = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from document d where ${waits} and id > ${after} limit ${most}) w`;
  return row!.count;
}

/** The id before the newest `size` documents of an account that wait. */
export async function findBeforeLast(sql: Sql, accountId: string, size: number): Promise<string | undefined> {
  const [row] = await sql<{ id: string }>`
    select id from document d where ${waits} and account_id = ${accountId}
    order by id desc limit 1 offset ${size}`;
  return row?.id;
}

/** Lists the documents that wait for a reviewer, oldest first. `after`: the id of the last one of the page before. */
export async function listQueue(
  sql: Sql,
  { now, limit, after }: { now: Date; limit: number; after?: string | undefined },
): Promise<Waiting[]> {
  return sql<Waiting>`
    select d.id, d.customer_id, d.type, d.created, coalesce(o.first_name, c.first_name) as first_name, coalesce(o.last_name, c.last_name) as last_name,
      c.profile ->> 'businessName' as business_name, d.opinion_id is not null as is_second,
      case when d.claimed_until > ${nowOfAccount(now)} then d.claimed_by end as claimed_by
    from document d
    left join account_clock clock on clock.account_id = d.account_id
    join customer c on c.bucket = d.bucket and c.id = d.customer_id
    left join beneficial_owner o on o.bucket = d.bucket and o.id = d.owner_id
    where ${waits} ${after === undefined ? fragment`` : fragment`and d.id > ${after}`}
    order by d.id
    limit ${limit}`;
}

/**
 * Finds the oldest document that a person can review: not claimed by somebody else, and not waiting for the agreement of another, whom
 * the first reviewer does not count as.
 * With `after` or `before`, the nearest to that document.
 */
export async function findNext(
  sql: Sql,
  { person, now }: { person: string; now: Date },
  { after, before }: { after?: string; before?: string } = {},
): Promise<Pick<Document, 'id' | 'bucket' | 'accountId'> | undefined> {
  const where = after ? fragment`d.id > ${after}` : before ? fragment`d.id < ${before}` : fragment`true`;
  const order = before ? fragment`d.id desc` : fragment`d.id`;
  const same = await listSamePerson(sql, person);
  const [found] = await sql<Pick<Document, 'id' | 'bucket' | 'accountId'>>`
    select d.id, d.bucket, d.account_id
    from document d
    left join account_clock clock on clock.account_id = d.account_id
    left join document_review o on o.bucket = d.bucket and o.id = d.opinion_id
    where ${waits} and ${where}
      and (d.claimed_until is null or d.claimed_until <= ${nowOfAccount(now)} or d.claimed_by = ${person})
      and (o.reviewer ->> 'id' = any(${same})) is not true
    order by ${order}
    limit 1`;
  return found;
}
