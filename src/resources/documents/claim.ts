// Claims of reviewers: one reviewer works on a document at a time. Schema, queries and representation.
import type { Static } from 'typebox';
import { later } from '../../core/clock.ts';
import { type Refusal, refuse } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { type Document, waits } from './document.ts';

/** `by`: the id of an operator or application. */
export type Claim = { by: string; until: Date };
type Claimant = { kind: 'person' | 'application'; id: string };
type Located = Pick<Document, 'bucket' | 'id'>;

/** Longer than a decision takes, short enough that a forgotten document is soon free. */
const CLAIM_MS = 10 * 60_000;

export const ClaimSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, document: LinkSchema }),
    claimedBy: Type.Object(
      { kind: Type.Enum(['application', 'person']), id: Type.String() },
      { title: 'Claimant', description: 'An application of the account, or a person of the console, without a name.' },
    ),
    until: Type.String({ format: 'date-time', description: 'When the claim lapses, unless it is renewed before.' }),
  },
  { title: 'DocumentClaim' },
);

/**
 * Takes or renews a document that waits for a reviewer. A person holds one document at a time: any other is freed. An application may
 * hold many, because several people may work with it. Returns the claim in force afterwards, theirs or the one that came first, or
 * undefined if the document does not wait. `now`, here and below, is by the clock of the account.
 */
export async function claimDocument(
  sql: Sql,
  { bucket, id }: Located,
  claimant: Claimant,
  now: Date,
): Promise<Claim | undefined> {
  const until = later(now, CLAIM_MS);
  const isFree = fragment`claimed_by is null or claimed_by = ${claimant.id} or claimed_until <= ${now}`;
  const [claim] = await sql<Claim>`
    update document d set claimed_by = case when ${isFree} then ${claimant.id}::uuid else claimed_by end,
      claimed_until = case when ${isFree} then ${until}::timestamptz else claimed_until end
    where bucket = ${bucket} and id = ${id} and ${waits}
    returning claimed_by as by, claimed_until as until`;
  if (claimant.kind === 'person')
    await sql`
      update document set claimed_by = null, claimed_until = null
      where claimed_by = ${claimant.id} and id <> ${id}`;
  return claim;
}

/** The claim of a document that has not lapsed. */
export async function findClaim(sql: Sql, { bucket, id }: Located, now: Date): Promise<Claim | undefined> {
  const [claim] = await sql<Claim>`
    select claimed_by as by, claimed_until as until from document
    where bucket = ${bucket} and id = ${id} and claimed_until > ${now}`;
  return claim;
}

/** Frees a document that the reviewer has taken. */
export async function releaseDocument(sql: Sql, { bucket, id }: Located, claimantId: string): Promise<void> {
  await sql`
    update document set claimed_by = null, claimed_until = null
    where bucket = ${bucket} and id = ${id} and claimed_by = ${claimantId}`;
}

/** The refusal of a document that somebody else has taken. */
export function takenUntil({ until }: Claim): Refusal {
  return refuse('documentClaimed', { message: `Another reviewer has taken the document until ${until.toISOString()}.` });
}

/** Claims of applications are of the document's account. */
export async function representClaim(
  { links, sql }: { links: Links; sql: Sql },
  documentId: string,
  { by, until }: Claim,
): Promise<Static<typeof ClaimSchema>> {
  const isApplication = (await sql`select 1 from application where id = ${by}`).length > 0;
  return {
    _links: {
      self: links.link(`/documents/${documentId}/claim`, 'document-claim'),
      document: links.to('document', documentId),
    },
    claimedBy: { kind: isApplication ? 'application' : 'person', id: by },
    until: until.toISOString(),
  };
}
