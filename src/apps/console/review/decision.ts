// Decides on a document, and leaves it to others.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { claimDocument, releaseDocument } from '../../../resources/documents/claim.ts';
import { decideAudited, type Judgement } from '../../../resources/documents/decide.ts';
import { findDocument } from '../../../resources/documents/document.ts';
import { deferDecision, takeBack } from '../../../resources/documents/pending-decision.ts';
import { findNext } from '../../../resources/documents/queue.ts';
import { REASONS, type Reason } from '../../../resources/documents/reason.ts';
import { NOTE_LENGTH } from '../../../resources/documents/review.ts';
import type { SentForm } from '../../../resources/operators/kept.ts';
import type { Service } from '../../service/service.ts';
import type { Pages, Visit } from '../screen.ts';
import { REVIEW } from './address.ts';

export function addDecision(pages: Pages, service: Service): void {
  const { database } = service;
  const decideOn = async (visit: Visit, form: URLSearchParams) => {
    const document = await requireDocument(service, visit);
    const { id } = visit.person;
    // Somebody else decided since the page was shown: this would change their decision.
    if (form.get('seen') !== document.status) throw refuse('documentDecided');
    await review(service, visit, { document, judgement: readJudgement(form) });
    const next = await takeNext(service, { person: id, decided: document.id });
    return `${REVIEW}${next ? `/${next}` : ''}?last=${document.id}`;
  };
  pages.action(`${REVIEW}/:id/decide`, 'reviewDocuments', decideOn, { from: `${REVIEW}/:id` });
  addTakeBack(pages, service);
  pages.action(`${REVIEW}/:id/release`, 'reviewDocuments', async (visit) => {
    await releaseDocument(database.sql, await requireDocument(service, visit), visit.person.id);
    return REVIEW;
  });
}

/**
 * Takes the oldest free document for a person, so that two who decide at once are not sent to the same one. After a disagreement the
 * decided one waits again: for somebody else first.
 */
async function takeNext(
  { database: { sql }, clock }: Pick<Service, 'database' | 'clock'>,
  { person, decided }: { person: string; decided: string },
) {
  for (;;) {
    const now = clock.now();
    const oldest = await findNext(sql, { person, now });
    const next = oldest?.id === decided ? await findNext(sql, { person, now }, { after: decided }) : oldest;
    if (!next) return undefined;
    const claim = await claimDocument(sql, next, { kind: 'person', id: person }, clock.now(next.accountId));
    if (claim?.by === person) return next.id;
  }
}

async function requireDocument({ database }: Pick<Service, 'database'>, { params }: Visit) {
  const document = isId(params.id!) ? await findDocument(database.sql, params.id!) : undefined;
  if (!document) throw refuse('notFound');
  return document;
}

type Wanted = { document: Awaited<ReturnType<typeof requireDocument>>; judgement: Judgement };

/** Stores the decision until it cannot be taken back any more; without such a time it applies at once. */
async function review(
  { database, config, clock }: Service,
  { person, place }: Visit,
  { document, judgement }: Wanted,
): Promise<void> {
  const reviewer = { kind: 'person', id: person.id, name: person.name, place } as const;
  const now = clock.now(document.accountId);
  const seconds = config.reviewUndoSeconds;
  await database.transaction(async (tx) => {
    if (seconds > 0) return deferDecision(tx, config, document, { reviewer, judgement, now, seconds });
    const actor = { operatorId: person.id, name: person.name, place };
    await decideAudited(tx, config, document, { reviewer, actor }, judgement, now);
  });
}

/** Takes a decision back, and shows the document again with what was chosen. */
function addTakeBack(pages: Pages, service: Service): void {
  pages.action(`${REVIEW}/:id/take-back`, 'reviewDocuments', async (visit) => {
    const document = await requireDocument(service, visit);
    const page = `${REVIEW}/${document.id}`;
    const judgement = await service.database.transaction(async (tx) => {
      const taken = await takeBack(tx, document, visit.person.id);
      const detail = { decision: taken.decision, reasons: taken.reasons ?? [] };
      await visit.audit({ action: 'take_back_review', resource: { type: 'document', id: document.id }, detail }, tx);
      return taken;
    });
    return { to: `${page}?taken=back`, form: { action: `${page}/decide`, page, fields: fieldsOf(judgement) } };
  });
}

function fieldsOf({ reasons = [], note = '' }: Judgement): SentForm['fields'] {
  return [...reasons.map((reason): [string, string] => ['reason', reason]), ['note', note]];
}

function readJudgement(form: URLSearchParams): Judgement {
  const decision = form.get('decision');
  if (decision !== 'accepted' && decision !== 'rejected')
    throw refuse('badRequest', { message: 'Accept or reject the document.' });
  const reasons = form.getAll('reason').filter((reason): reason is Reason => (REASONS as readonly string[]).includes(reason));
  const note = (form.get('note') ?? '').trim().slice(0, NOTE_LENGTH);
  if (decision === 'rejected' && reasons.length === 0)
    throw refuse('badRequest', { message: 'Choose at least one reason to reject.' });
  if (decision === 'accepted' && reasons.length > 0) {
    throw refuse('badRequest', { message: 'You chose reasons to reject. Remove them to accept the document.' });
  }
  return { decision, reasons, ...(note && { note }) };
}
