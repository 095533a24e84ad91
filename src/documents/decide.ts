// Decides on a document: writes the review, the new status of document and subject, and the events.
import type { Config } from '../config.ts';
import type { Sql } from '../db/sql.ts';
import { type Fault, invalid, refuse } from '../problems.ts';
import { type Document, findDocument } from './document.ts';
import { byPrecedence, isReasonFor, type Reason } from './reason.ts';
import { type Reviewer, writeReview } from './review.ts';
import { lockSubject, verifySubject, writeDocumentEvent } from './subject.ts';

export type Judgement = { decision: 'accepted' | 'rejected'; reasons?: Reason[]; note?: string };

/**
 * Decides on a document and returns the id of the review. Refuses with ValidationError when reasons are missing or do not apply
 * to the document, InvalidResourceState when it is already decided (one of two concurrent reviewers wins), and NotFound when a
 * reset has deleted it.
 */
export async function decide(
  tx: Sql,
  config: Pick<Config, 'foreignPassports'>,
  document: Document,
  reviewer: Reviewer,
  judgement: Judgement,
  now: Date,
): Promise<string> {
  const { bucket, id } = document;
  const reasons = requireReasons(document, config, judgement);
  const { decision, note } = judgement;
  await lockSubject(tx, document);
  const decided = await tx`
    update document set status = ${decision}, reasons = ${reasons.length === 0 ? null : reasons}, decided = ${now}, check_at = null
    where bucket = ${bucket} and id = ${id} and status = 'pending'
    returning id`;
  if (decided.length === 0) throw refuse((await findDocument(tx, id)) ? 'documentDecided' : 'notFound');
  const reviewId = await writeReview(tx, document, { reviewer, decision, reasons, note }, now);
  await writeDocumentEvent(tx, document, id, decision === 'accepted' ? 'approved' : 'failed', now);
  if (decision === 'accepted') await verifySubject(tx, document, now);
  return reviewId;
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
