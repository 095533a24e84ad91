// Statistics of the review queue: number and age of the documents that wait for a reviewer.
import type { Sql } from '../db/sql.ts';

type ReviewQueue = {
  /** Counted up to `PENDING_MAX`. */
  pending: number;
  /** When the oldest pending document was submitted. */
  oldest: Date | undefined;
};

const PENDING_MAX = 10_000;

export async function reviewQueue(sql: Sql): Promise<ReviewQueue> {
  // Ids are UUIDv7 and sort by creation time.
  const [row] = await sql<{ pending: bigint; oldest: Date | null }>`
    select (select count(*) from (select 1 from document where status = 'pending' or opinion_id is not null limit ${PENDING_MAX}) d) as pending,
      (select created from document where status = 'pending' or opinion_id is not null order by id limit 1) as oldest`;
  return { pending: Number(row?.pending), oldest: row?.oldest ?? undefined };
}
