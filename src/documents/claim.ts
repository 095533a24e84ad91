// Claims of reviewers: a document is reviewed by one reviewer at a time. A claim coordinates people; a decision does not need one.
import type { Sql } from '../db/sql.ts';
import type { Document } from './document.ts';

/** `by`: the id of an operator or application. */
export type Claim = { by: string; until: Date };

type Row = { claimedBy: string | null; claimedUntil: Date | null };

/** Longer than a decision takes, short enough that a forgotten document is soon free. */
const CLAIM_MS = 10 * 60_000;

/** Takes or renews a document for a reviewer, and frees any other that they have taken. Returns the claim that is in force afterwards: theirs, or the one that came first. */
export async function claimDocument(
  sql: Sql,
  { bucket, id }: Pick<Document, 'bucket' | 'id'>,
  claimant: string,
  now: Date,
): Promise<Claim | undefined> {
  const until = new Date(now.getTime() + CLAIM_MS);
  const taken = await sql`
    update document set claimed_by = ${claimant}, claimed_until = ${until}
    where bucket = ${bucket} and id = ${id} and (claimed_by is null or claimed_by = ${claimant} or claimed_until <= ${now})
    returning id`;
  await sql`
    update document set claimed_by = null, claimed_until = null
    where claimed_by = ${claimant} and id <> ${id}`;
  if (taken.length > 0) return { by: claimant, until };
  return findClaim(sql, { bucket, id }, now);
}

/** The claim of a document that has not lapsed. */
export async function findClaim(
  sql: Sql,
  { bucket, id }: Pick<Document, 'bucket' | 'id'>,
  now: Date,
): Promise<Claim | undefined> {
  const [row] = await sql<Row>`
    select claimed_by, claimed_until from document where bucket = ${bucket} and id = ${id} and claimed_until > ${now}`;
  return row?.claimedBy && row.claimedUntil ? { by: row.claimedBy, until: row.claimedUntil } : undefined;
}

/** Frees a document that the reviewer has taken. */
export async function releaseDocument(
  sql: Sql,
  { bucket, id }: Pick<Document, 'bucket' | 'id'>,
  claimant: string,
): Promise<void> {
  await sql`
    update document set claimed_by = null, claimed_until = null
    where bucket = ${bucket} and id = ${id} and claimed_by = ${claimant}`;
}
