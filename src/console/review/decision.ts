// The form that decides on a document, and the actions behind it.
import type { Config } from '../../config.ts';
import { claimDocument, releaseDocument } from '../../documents/claim.ts';
import { decide, type Judgement } from '../../documents/decide.ts';
import { findDocument } from '../../documents/document.ts';
import { findNext } from '../../documents/queue.ts';
import { describe, isReasonFor, REASONS, type Reason } from '../../documents/reason.ts';
import { NOTE_LENGTH } from '../../documents/review.ts';
import { isId } from '../../ids.ts';
import { type Html, html } from '../../pages/html.ts';
import { card, field, icon } from '../../pages/parts.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import type { Pages, Visit } from '../screen.ts';
import { REVIEW } from './path.ts';
import type { Shown } from './shown.ts';

/** Reasons that have a key, 1 to 9. */
const KEYS = 9;

export function addDecision(pages: Pages, service: Service): void {
  const { database } = service;
  pages.action(`${REVIEW}/:id/decide`, 'reviewDocuments', async (visit, form) => {
    const document = await requireDocument(service, visit);
    const { id } = visit.person;
    // Somebody else decided since the page was shown: this would change their decision.
    if (form.get('seen') !== document.status) throw refuse('documentDecided');
    await review(service, visit, { document, judgement: readJudgement(form) });
    const next = await takeNext(service, id);
    return `${REVIEW}${next ? `/${next}` : ''}?last=${document.id}`;
  });
  pages.action(`${REVIEW}/:id/release`, 'reviewDocuments', async (visit) => {
    await releaseDocument(database.sql, await requireDocument(service, visit), visit.person.id);
    return REVIEW;
  });
}

/** Takes the oldest free document for a person, so that two who decide at once are not sent to the same one. */
async function takeNext({ database: { sql }, clock }: Pick<Service, 'database' | 'clock'>, person: string) {
  for (;;) {
    const next = await findNext(sql, { person, now: clock.now() });
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

async function review(
  { database, config, clock }: Service,
  { person, place, audit }: Visit,
  { document, judgement }: Wanted,
): Promise<void> {
  const reviewer = { kind: 'person', id: person.id, name: person.name, place } as const;
  await database.transaction(async (tx) => {
    const { reviewId, outcome } = await decide(tx, config, document, reviewer, judgement, clock.now(document.accountId));
    const detail = { decision: judgement.decision, reasons: judgement.reasons ?? [], reviewId, outcome };
    await audit({ action: 'review_document', resource: { type: 'document', id: document.id }, detail }, tx);
  });
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

/** A decided document can be reviewed again, with a note, to the contrary. */
export function decisionForm(config: Pick<Config, 'foreignPassports'>, { document, opinion }: Shown): Html {
  const { id, status, type } = document;
  const isAgain = status !== 'pending';
  const may = (decision: Judgement['decision']) => !isAgain || opinion !== undefined || status !== decision;
  const reasons = REASONS.filter((reason) => isReasonFor(reason, type, config));
  const hint = isAgain
    ? 'Required: why the decision changes. Not shown to the customer.'
    : 'Optional. Not shown to the customer.';
  return card(
    {
      title: isAgain ? 'Review again' : 'Decision',
      ...(isAgain && { lead: `This document is ${status}. A new review is added to its history.` }),
      ...(!isAgain && { actions: releaseButton(id) }),
    },
    html`<form method="post" action=${`${REVIEW}/${id}/decide`} data-decision>
      <input type="hidden" name="seen" value=${status} />
      ${may('rejected') && reasonList(reasons)}
      ${field(
        { id: 'note', label: 'Note for colleagues', hint },
        html`<textarea class="input" id="note" name="note" maxlength=${NOTE_LENGTH} required=${isAgain} aria-describedby="note-hint"></textarea>`,
      )}
      <p class="error-text" role="alert" data-message hidden></p>
      <div class="review-verdict">
        ${may('accepted') && verdictButton('accepted')} ${may('rejected') && verdictButton('rejected')}
      </div>
    </form>`,
  );
}

function releaseButton(id: string): Html {
  return html`<form method="post" action=${`${REVIEW}/${id}/release`}>
    <button class="button button-small" type="submit">Leave it to others</button>
  </form>`;
}

function verdictButton(decision: Judgement['decision']): Html {
  const [tone, key, sign, label] =
    decision === 'accepted' ? (['primary', 'a', 'check', 'Accept'] as const) : (['danger', 'r', 'x-mark', 'Reject'] as const);
  return html`<button class=${`button button-${tone}`} type="submit" name="decision" value=${decision} data-key=${key} aria-keyshortcuts=${key}>
    ${icon(sign, 'small')}${label} <kbd>${key}</kbd>
  </button>`;
}

function reasonList(reasons: Reason[]): Html {
  return html`<fieldset class="reasons">
    <legend>Reasons to reject, as the customer reads them</legend>
    ${reasons.map((reason, index) => {
      const key = index < KEYS ? String(index + 1) : undefined;
      return html`<label class="choice" for=${`reason-${reason}`}>
        <input type="checkbox" id=${`reason-${reason}`} name="reason" value=${reason} data-key=${key} aria-keyshortcuts=${key} />
        <span>${describe(reason).description}</span>
        ${key && html`<kbd>${key}</kbd>`}
      </label>`;
    })}
  </fieldset>`;
}
