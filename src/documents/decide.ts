// Decides on a document: the review, the state of document and subject, and the events that tell it, in one transaction.
import type { Config } from '../config.ts';
import type { Sql } from '../db/sql.ts';
import { type Fault, invalid, refuse } from '../problems.ts';
import { type Document, findDocument } from './document.ts';
import { inOrder, isReasonFor, type Reason } from './reason.ts';
import { type Reviewer, writeReview } from './review.ts';
import { holdSubject, tell, verifySubject } from './subject.ts';

export type Judgement = { decision: 'accepted' | 'rejected'; reasons?: Reason[]; note?: string };

/**
 * Decides on a document and returns the id of the review. ValidationError for reasons that are missing, or not for this document;
 * InvalidResourceState when it has been decided: of two reviewers at once, one. NotFound where a reset has deleted it.
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
  await holdSubject(tx, document);
  const decided = await tx`
    update document set status = ${decision}, reasons = ${reasons.length === 0 ? null : reasons}, decided = ${now}, check_at = null
    where bucket = ${bucket} and id = ${id} and status = 'pending'
    returning id`;
  if (decided.length === 0) throw refuse((await findDocument(tx, id)) ? 'documentDecided' : 'notFound');
  const reviewId = await writeReview(tx, document, { reviewer, decision, reasons, note }, now);
  await tell(tx, document, id, decision === 'accepted' ? 'approved' : 'failed', now);
  if (decision === 'accepted') await verifySubject(tx, document, now);
  return reviewId;
}

/** The reasons in order. One or more when rejected, none when accepted, each once and for a document of this type. */
function requireReasons({ type }: Document, config: Pick<Config, 'foreignPassports'>, judgement: Judgement): Reason[] {
  const { decision, reasons = [] } = judgement;
  const path = '/reasons';
  if (decision === 'accepted' && reasons.length > 0) {
    throw invalid({ code: 'NotAllowed', message: 'An accepted document has no reasons.', path });
  }
  if (decision === 'rejected' && reasons.length === 0) {
    throw invalid({ code: 'Required', message: 'A rejected document needs a reason.', path });
  }
  const [first, ...rest] = reasons.flatMap((reason, place): Fault[] => {
    const at = `${path}/${place}`;
    if (reasons.indexOf(reason) < place) return [{ code: 'Duplicate', message: `${reason} is named twice.`, path: at }];
    if (isReasonFor(reason, type, config)) return [];
    return [{ code: 'NotAllowed', message: `${reason} is no reason for a document of the type ${type} here.`, path: at }];
  });
  if (first) throw invalid(first, ...rest);
  return inOrder(reasons);
}
