// Decides on a document: writes the review, the new status of document and subject, and the events.
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import { type Actor, writeAudit } from '../../ledger/audit/audit.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type Claim, findClaim, takenUntil } from './claim.ts';
import type { Document } from './document.ts';
import { byPrecedence, isReasonFor, type Reason } from './reason.ts';
import { isSameReviewer, type Reviewer, writeReview } from './review.ts';
import { lockSubject, verifySubject, withdrawSubject, writeDocumentEvent } from './subject.ts';

/** `basis`: what a checker decided by. */
export type Judgement = { decision: 'accepted' | 'rejected'; reasons?: Reason[]; note?: string; basis?: object };
type Decided = { reviewId: string; outcome: 'decided' | 'waits' | 'disagreed' };

/** What a document is before a review. `opinion`: the review that waits for the agreement of a second reviewer. */
type ReviewState = {
  status: Document['status'];
  isErased: boolean;
  claim: Claim | undefined;
  opinion: Opinion | null;
  /** A decision that can still be taken back. */
  isPending: boolean;
};
type Opinion = { reviewer: Reviewer; decision: Judgement['decision']; reasons: Reason[] };
type Nullable<T> = { [Member in keyof T]: T[Member] | null };

/**
 * Reviews a document. The decision applies at once, unless REVIEW_FOUR_EYES asks for a second reviewer: `outcome` says which. A review
 * with a note can change an earlier decision; owner or customer follow. Refuses with ValidationError when reasons are missing or do
 * not apply to the document, Conflict when another reviewer has claimed it, InvalidResourceState when it is already decided (one of two
 * concurrent reviewers wins), erased, or waits for another reviewer, and NotFound when a reset has deleted it.
 */
export async function decide(
  tx: Sql,
  config: Pick<Config, 'foreignPassports' | 'reviewFourEyes'>,
  document: Document,
  reviewer: Reviewer,
  judgement: Judgement,
  now: Date,
): Promise<Decided> {
  const { given, opinion, status } = await requireDecidable(tx, config, document, reviewer, judgement, now);
  const { decision, note, basis } = judgement;
  const isChecker = reviewer.kind === 'checker';
  const disagrees = !isChecker && opinion !== null && opinion.decision !== decision;
  const waits = !isChecker && opinion === null && config.reviewFourEyes;
  const effective = !disagrees && !waits;
  const reviewId = await writeReview(tx, document, { reviewer, decision, reasons: given, note, effective, basis }, now);
  if (!effective) {
    await tx`
      update document set opinion_id = ${waits ? reviewId : null}, claimed_by = null, claimed_until = null, check_at = null
      where bucket = ${document.bucket} and id = ${document.id}`;
    return { reviewId, outcome: waits ? 'waits' : 'disagreed' };
  }
  const reasons = byPrecedence([...given, ...(!isChecker && opinion ? opinion.reasons : [])]);
  await tx`
    update document set status = ${decision}, reasons = ${reasons.length === 0 ? null : reasons}, decided = ${now}, check_at = null,
      opinion_id = null, claimed_by = null, claimed_until = null
    where bucket = ${document.bucket} and id = ${document.id}`;
  await writeDocumentEvent(tx, document, document.id, decision === 'accepted' ? 'approved' : 'failed', now);
  if (decision === 'accepted') await verifySubject(tx, document, now);
  else if (status === 'accepted') await withdrawSubject(tx, document, now);
  return { reviewId, outcome: 'decided' };
}

/** Reviews a document as `decide` does, for a person, with an entry in the audit log. */
export async function decideAudited(
  tx: Sql,
  config: Pick<Config, 'foreignPassports' | 'reviewFourEyes'>,
  document: Document,
  { reviewer, actor }: { reviewer: Reviewer; actor: Actor },
  judgement: Judgement,
  now: Date,
): Promise<Decided> {
  const decided = await decide(tx, config, document, reviewer, judgement, now);
  const detail = { decision: judgement.decision, reasons: judgement.reasons ?? [], ...decided };
  await writeAudit(tx, actor, { action: 'review_document', resource: { type: 'document', id: document.id }, detail });
  return decided;
}

/** Locks the subject and refuses a review as `decide` does. Returns the state before it. */
export async function requireDecidable(
  tx: Sql,
  config: Pick<Config, 'foreignPassports'>,
  document: Document,
  reviewer: Reviewer,
  judgement: Judgement,
  now: Date,
): Promise<Pick<ReviewState, 'opinion' | 'status'> & { given: Reason[] }> {
  const given = requireReasons(document, config, judgement);
  await lockSubject(tx, document);
  const standing = await findReviewState(tx, document, now);
  requireOpen(standing, reviewer, judgement);
  const { opinion, status } = standing;
  if (opinion && (await isSameReviewer(tx, opinion.reviewer, reviewer))) throw refuse('needsSecondReviewer');
  return { given, opinion, status };
}

/** The subject must be locked: each review locks it. */
async function findReviewState(tx: Sql, document: Document, now: Date): Promise<ReviewState> {
  const { bucket, id } = document;
  const [row] = await tx<Omit<ReviewState, 'opinion' | 'claim'> & Nullable<Opinion>>`
    select d.status, d.erased is not null as is_erased, d.pending_until is not null as is_pending, o.reviewer, o.decision, o.reasons
    from document d
    left join document_review o on o.bucket = d.bucket and o.id = d.opinion_id
    where d.bucket = ${bucket} and d.id = ${id}`;
  if (!row) throw refuse('notFound');
  const { status, isErased, isPending, reviewer, decision, reasons } = row;
  const opinion = reviewer && decision && reasons && { reviewer, decision, reasons };
  return { status, isErased, isPending, opinion, claim: await findClaim(tx, document, now) };
}

/** Refuses a review that the standing does not allow. A change of a decision needs a note. */
function requireOpen(
  { status, isErased, isPending, claim, opinion }: ReviewState,
  reviewer: Reviewer,
  { decision, note }: Judgement,
): void {
  if (isPending)
    throw refuse('documentDecided', { message: 'A reviewer has just decided, and can take the decision back for some seconds.' });
  // Checkers and the command line have no claims, and go ahead of them.
  const reviewerId = reviewer.kind === 'checker' ? undefined : reviewer.id;
  if (claim && reviewerId !== undefined && claim.by !== reviewerId) throw takenUntil(claim);
  if (status !== 'pending') {
    const isConfirmed = decision === status && opinion === null;
    if (reviewer.kind === 'checker' || isConfirmed || !note?.trim()) throw refuse('documentDecided');
    if (isErased) throw refuse('documentErased');
  }
}

/** Returns the reasons by precedence: at least one if rejected, none if accepted, no duplicates, all valid for the document type. */
function requireReasons({ type }: Document, config: Pick<Config, 'foreignPassports'>, judgement: Judgement): Reason[] {
  const { decision, reasons = [] } = judgement;
  const path = '/reasons';
  if (decision === 'accepted' && reasons.length > 0) {
    throw invalid({ code: 'NotAllowed', message: 'An accepted document has no reasons.', path });
  }
  if (decision === 'rejected' && reasons.length === 0) {
    throw invalid({ code: 'Required', message: 'A rejected document needs a reason.', path });
  }
  const [first, ...rest] = reasons.flatMap((reason, index): Fault[] => {
    const at = `${path}/${index}`;
    if (reasons.indexOf(reason) < index) return [{ code: 'Duplicate', message: `${reason} is listed twice.`, path: at }];
    if (isReasonFor(reason, type, config)) return [];
    return [{ code: 'NotAllowed', message: `${reason} does not apply to documents of type ${type}.`, path: at }];
  });
  if (first) throw invalid(first, ...rest);
  return byPrecedence(reasons);
}
