// The page of one document: its picture, the person on record, what was read, the history, and the form to decide.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, icon, notice } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { type Document, findDocument } from '../../../resources/documents/document.ts';
import { SPONSOR_DAYS } from '../../../resources/operators/four-eyes.ts';
import type { Service } from '../../service/service.ts';
import { nameOf } from '../customer-name.ts';
import type { Content, Pages, Visit } from '../screen.ts';
import { REVIEW } from './address.ts';
import { decisionBar, decisionForm } from './decision-form.ts';
import { disagreementCard } from './disagreement.ts';
import { evidence } from './evidence.ts';
import { history } from './history.ts';
import { keyList } from './keys.ts';
import { lastReviewed, takeBackBar } from './last-reviewed.ts';
import { addPicture, uprightTurn, viewer } from './picture.ts';
import { readDocument, type Shown } from './shown.ts';
import { TYPE_NAMES } from './type-name.ts';

const TONES = { accepted: 'good', rejected: 'bad', pending: 'warn' } as const;

export function addDocument(pages: Pages, service: Service): void {
  const find = async ({ params }: Visit) => (isId(params.id!) ? findDocument(service.database.sql, params.id!) : undefined);
  pages.page(`${REVIEW}/:id`, 'reviewDocuments', async (visit) => {
    const document = await find(visit);
    return document && showDocument(service, visit, document);
  });
  pages.action(`${REVIEW}/:id/reveal`, 'reviewDocuments', async (visit) => {
    const document = await find(visit);
    if (!document) throw refuse('notFound');
    await visit.audit({ action: 'reveal_record', resource: { type: 'document', id: document.id } });
    return { to: `${REVIEW}/${document.id}`, shown: { record: document.id } };
  });
  addPicture(pages, service);
}

async function showDocument(service: Service, visit: Visit, document: Document): Promise<Content> {
  const shown = await readDocument(service, visit, document);
  const { record, results, disagreement, pending } = shown;
  const isOwnPending = pending?.reviewer.id === visit.person.id;
  const reveal = visit.kept.shown?.record === document.id;
  const name = record ? nameOf({ firstName: record.firstName ?? '', lastName: record.lastName }) : 'Unknown person';
  const title = `${TYPE_NAMES[document.type]} of ${name}`;
  const mayDecide = shown.mayDecide && (!disagreement || visit.query.has('again'));
  return {
    title,
    scripts: ['review.js'],
    styles: ['review.css'],
    showsMessage: mayDecide || shown.taken !== undefined,
    main: html`<div class="review" data-document=${document.id}>
      <div class="review-top">
        ${headOf(shown, title)} ${isOwnPending ? takeBackBar(service.config, document, pending, title) : await lastReviewed(service, visit)}
        ${!isOwnPending && standingNotice(shown, visit.kept.message)} ${!mayDecide && unsentNote(visit.kept)}
        ${visit.query.has('taken') && notice(html`<p>You have taken the decision back. Nothing was sent.</p>`, 'good')}
        ${subjectNotice(shown)}
      </div>
      <div class="review-columns">
        ${viewer(document, uprightTurn(results))}
        <div class="review-side">
          ${disagreement && !mayDecide && disagreementCard(document.id, disagreement)} ${evidence(shown, { reveal })} ${history(shown, { mayReadLog: visit.may('readAuditLog') })}
        </div>
      </div>
      ${mayDecide && decisionForm(service.config, shown)} ${mayDecide && decisionBar(service.config, shown, visit.kept.message)}
    </div>`,
  };
}

function headOf({ document, isOwnerRemoved, customer, accountName, neighbours }: Shown, title: string): Html {
  const link = (id: string | undefined, options: { key: string; label: string; sign: 'chevron-left' | 'chevron-right' }) =>
    id &&
    html`<a class="button button-icon" href=${`${REVIEW}/${id}`} data-key=${options.key} aria-label=${options.label}>
      ${icon(options.sign)}
    </a>`;
  return html`<div class="page-header">
    <div>
      <div class="crumbs"><a href=${REVIEW}>${icon('chevron-left', 'small')}Review</a></div>
      <h1>${title}</h1>
      <p>${standingBadge(document)} ${document.ownerId && (isOwnerRemoved ? 'removed owner of ' : html`<a href=${`/console/customers/owners/${document.ownerId}`}>owner</a> of `)}${customer && html`<a href=${`/console/customers/${customer.id}`}>${nameOf({ ...customer, businessName: customer.profile.businessName })}</a>`} of ${accountName}</p>
    </div>
    <nav class="buttons" aria-label="Documents of the queue">
      ${keyList()} ${link(neighbours.before, { key: 'k', label: 'Previous document (k)', sign: 'chevron-left' })}
      ${link(neighbours.after, { key: 'j', label: 'Next document (j)', sign: 'chevron-right' })}
    </nav>
  </div>`;
}

function standingBadge({ status, opinionId }: Document): Html {
  return opinionId === null ? badge(status, TONES[status]) : badge('second review', 'accent');
}

/** Why a decision changes less than usual. */
function subjectNotice({ isOwnerRemoved, customer }: Shown): Html {
  if (isOwnerRemoved)
    return notice(html`<p>This owner was removed. A decision on the document changes nobody's status.</p>`, 'warn');
  if (customer && ['deactivated', 'suspended'].includes(customer.status))
    return notice(html`<p>This customer is ${customer.status}.</p>`, 'warn');
  return undefined;
}

/** What a person wrote who cannot send it any more. */
function unsentNote({ form }: Visit['kept']): Html {
  const note = new URLSearchParams(form?.fields).get('note');
  return note && notice(html`<p>Your note:</p><p class="history-note">${note}</p>`);
}

/** Why the person cannot decide now, or why a second decision is asked for. `message`: what was wrong with a decision that they sent. */
function standingNotice({ taken, isOwnOpinion, isSameOpinion, opinion, pending }: Shown, message: string | undefined): Html {
  if (pending) {
    return notice(
      html`<p>${pending.reviewer.name} has decided on this document a moment ago, and can still take the decision back.</p>`,
    );
  }
  if (isOwnOpinion) {
    return notice(html`<p>You have reviewed this document. Your decision counts when a second reviewer agrees.</p>`);
  }
  if (isSameOpinion) {
    return notice(
      html`<p>
        You count as the same person as the first reviewer: one of you made the application that decided, or in the last
        ${SPONSOR_DAYS} days one of you added the other or made them a sign-in link, or a third person did so for both. Somebody else has
        to decide.
      </p>`,
      'warn',
    );
  }
  if (taken)
    return notice(
      html`<p>
        ${message !== undefined && 'Your decision was not stored. '}${taken.name} is reviewing this document. It is free again when they
        decide, or on ${time(taken.until)} if they leave it.
      </p>`,
      'warn',
    );
  if (opinion) {
    return notice(html`<p>A first reviewer has decided. Decide on your own: what they chose is shown afterwards.</p>`);
  }
  return undefined;
}
