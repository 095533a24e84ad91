// The history of a document and the other documents of the person.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { Document } from '../../../resources/documents/document.ts';
import { describe } from '../../../resources/documents/reason.ts';
import type { Review, Reviewer } from '../../../resources/documents/review.ts';
import { auditHref, LOOK } from '../audit-href.ts';
import { REVIEW } from './address.ts';
import type { Shown } from './shown.ts';
import { TYPE_NAMES } from './type-name.ts';

const TONES = { accepted: 'good', rejected: 'bad', undecided: 'neutral', pending: 'warn' } as const;

/** The second reviewer does not see the decision of the first before deciding. */
export function history(
  { document, reviews, opinion, isOwnOpinion, others }: Shown,
  { mayReadLog }: { mayReadLog: boolean },
): Html {
  const isHidden = (review: Review) => review === opinion && !isOwnOpinion;
  return html`${
    reviews.length > 0 &&
    card({ title: 'History' }, html`<ol class="history">${reviews.map((review) => entryOf(review, isHidden(review)))}</ol>`)
  }
  ${others.length > 0 && card({ title: 'Other documents of this person' }, html`<ol class="history">${others.map(otherOf)}</ol>`)}
  ${mayReadLog && html`<p class="small"><a href=${auditHref({ about: document.id, action: LOOK })}>Who looked at this document</a></p>`}`;
}

function entryOf({ reviewer, decision, reasons, note, effective, created }: Review, isHidden: boolean): Html {
  if (isHidden) return html`<li><p>${badge('first review', 'accent')} <span class="muted small">${time(created)}</span></p></li>`;
  const isUnconfirmed = !effective && decision !== 'undecided';
  return html`<li>
    <p>
      ${badge(decision, TONES[decision])} ${isUnconfirmed && badge('not confirmed')}
      <span class="muted small"> ${reviewerName(reviewer)}, ${time(created)}</span>
    </p>
    ${reasons.map((reason) => html`<p class="small">${describe(reason).description}</p>`)}
    ${note !== null && html`<p class="small history-note">${note}</p>`}
  </li>`;
}

function otherOf({ id, type, status, reasons, created }: Document): Html {
  return html`<li>
    <p>
      ${badge(status, TONES[status])} <a href=${`${REVIEW}/${id}`}>${TYPE_NAMES[type]}</a>
      <span class="muted small"> ${time(created)}</span>
    </p>
    ${reasons?.map((reason) => html`<p class="small">${describe(reason).description}</p>`)}
  </li>`;
}

export function reviewerName(reviewer: Reviewer): string {
  if (reviewer.kind === 'checker') return `checker ${reviewer.name}`;
  return reviewer.kind === 'application' ? 'an application' : reviewer.name;
}
