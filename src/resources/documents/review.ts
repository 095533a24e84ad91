// Reviews of documents: schema, queries and representation. Each decision, and each undecided verdict of a checker, is a review.
import type { Static } from 'typebox';
import { bucketOf, newId } from '../../core/ids.ts';
import { CHECKED_LATER, NO_NUL, STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { listSamePerson } from '../operators/four-eyes.ts';
import type { Document } from './document.ts';
import { REASONS, type Reason } from './reason.ts';
import { ReasonSchema } from './reason-schema.ts';

type Decision = 'accepted' | 'rejected' | 'undecided';
export type Reviewer = Static<typeof ReviewerSchema>;
export type ReviewRequest = Static<typeof ReviewRequest>;

export type Review = {
  id: string;
  documentId: string;
  accountId: string;
  reviewer: Reviewer;
  decision: Decision;
  reasons: Reason[];
  note: string | null;
  /** Whether the review decided on the document, alone or with the next one, which agreed. */
  effective: boolean;
  created: Date;
};

export const NOTE_LENGTH = 1000;

/** An application, a person who used the CLI on a host or the console from an address (`place`), or a checker with the data it looked at. */
const ReviewerSchema = Type.Union(
  [
    Type.Object({ kind: Type.Literal('application'), id: Type.String() }),
    Type.Object({
      kind: Type.Literal('person'),
      name: Type.String(),
      place: Type.String(),
      id: Type.Optional(Type.String({ description: 'Only of a person of the console.' })),
    }),
    Type.Object({
      kind: Type.Literal('checker'),
      name: Type.String(),
      version: Type.String(),
      lookedAt: Type.Array(Type.String()),
    }),
  ],
  { title: 'Reviewer' },
);

export const ReviewRequest = Type.Object(
  {
    decision: Type.Enum(['accepted', 'rejected']),
    reasons: Type.Optional(
      Type.Array(ReasonSchema, {
        maxItems: REASONS.length,
        description: 'At least one if rejected, in any order; none if accepted. Business reasons apply only to the type other.',
      }),
    ),
    note: Type.Optional(
      Type.String({
        maxLength: NOTE_LENGTH,
        [CHECKED_LATER]: { pattern: NO_NUL },
        description: 'Required to change the decision on a document.',
      }),
    ),
  },
  { title: 'ReviewRequest', ...STRICT },
);

export const ReviewSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, document: LinkSchema }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    reviewer: ReviewerSchema,
    decision: Type.Enum(['accepted', 'rejected', 'undecided']),
    reasons: Type.Array(ReasonSchema),
    note: Type.Optional(Type.String()),
    effective: Type.Boolean({
      description:
        'Whether the review decided on the document, alone or with others that agree. False if it is undecided, or if it waits for a second reviewer or was not confirmed by one.',
    }),
  },
  { title: 'Review' },
);

export const ReviewList = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, document: LinkSchema }),
    _embedded: Type.Object({ reviews: Type.Array(ReviewSchema) }),
    total: Type.Integer({ minimum: 0 }),
  },
  { title: 'ReviewList' },
);

/**
 * Whether two reviews count as those of one person: of one application or person, or of two of which one could act as the other
 * (operators/four-eyes.ts). On the command line, where people have no ids, the name counts.
 */
export async function isSameReviewer(sql: Sql, one: Reviewer, other: Reviewer): Promise<boolean> {
  if (one.kind === 'checker' || other.kind === 'checker') return false;
  if (one.id !== undefined && other.id !== undefined) return (await listSamePerson(sql, one.id)).includes(other.id);
  return one.kind === 'person' && other.kind === 'person' && (one.id ?? one.name) === (other.id ?? other.name);
}

/** Inserts a review and returns its id. */
export async function writeReview(
  tx: Sql,
  document: Document,
  review: Pick<Review, 'reviewer' | 'decision' | 'reasons' | 'effective'> & {
    note: string | undefined;
    basis?: object | undefined;
  },
  now: Date,
): Promise<string> {
  const { bucket, accountId } = document;
  const id = newId(bucket);
  await tx`
    insert into document_review (bucket, id, document_id, account_id, reviewer, decision, reasons, note, effective, basis, created)
    values (${bucket}, ${id}, ${document.id}, ${accountId}, ${review.reviewer}, ${review.decision}, ${review.reasons}, ${review.note},
      ${review.effective}, ${review.basis ?? null}, ${now})`;
  return id;
}

/** Whether the `document_review r` decided. The first of two that agree is stored as one that did not: reviews are append-only. */
export const decided = fragment`(r.effective or exists (
    select 1 from document_review n
    where n.bucket = r.bucket and n.document_id = r.document_id and n.id > r.id and n.effective and n.decision = r.decision
      and not exists (
        select 1 from document_review b
        where b.bucket = r.bucket and b.document_id = r.document_id and b.id > r.id and b.id < n.id and b.decision <> 'undecided')))`;

const columns = fragment`r.id, r.document_id, r.account_id, r.reviewer, r.decision, r.reasons, r.note, ${decided} as effective, r.created`;

/** Returns a review of the caller's account. Refuses as requireOwned does. */
export async function requireReview(sql: Sql, caller: { accountId: string }, id: string): Promise<Review> {
  const [review] = await sql<Review>`
    select ${columns} from document_review r
    where r.bucket = ${bucketOf(id)} and r.id = ${id}`;
  return requireOwned(review, caller);
}

/** Lists the reviews of a document, newest first. */
export async function listReviews(sql: Sql, document: Document): Promise<Review[]> {
  return sql<Review>`
    select ${columns} from document_review r
    where r.bucket = ${document.bucket} and r.document_id = ${document.id}
    order by r.id desc`;
}

export function representReview(links: Links, review: Review): Static<typeof ReviewSchema> {
  const { id, reviewer, decision, reasons, note, effective } = review;
  return {
    _links: { self: links.to('review', id), document: links.to('document', review.documentId) },
    id,
    created: review.created.toISOString(),
    reviewer,
    decision,
    reasons,
    ...(note !== null && { note }),
    effective,
  };
}
