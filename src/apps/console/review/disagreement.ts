// A disagreement of two reviewers: what the other one decided, for the first.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { Document } from '../../../resources/documents/document.ts';
import { describe } from '../../../resources/documents/reason.ts';
import type { Review } from '../../../resources/documents/review.ts';
import { REVIEW } from './address.ts';

type Disagreement = { own: Review; other: Review };

/** The two newest reviews of a document that waits, when they contradict each other and this person made the first one. */
export function disagreementOf({ status }: Document, reviews: Review[], personId: string): Disagreement | undefined {
  if (status !== 'pending') return undefined;
  const [other, own] = reviews.filter(({ decision }) => decision !== 'undecided');
  if (!own || !other || own.effective || other.effective || own.decision === other.decision) return undefined;
  return own.reviewer.kind === 'person' && own.reviewer.id === personId ? { own, other } : undefined;
}

/** Why the document is back in the queue. */
export function disagreementCard(documentId: string, { own, other }: Disagreement): Html {
  const name = other.reviewer.kind === 'person' ? other.reviewer.name : 'An application';
  return card(
    {
      title: `${name} disagreed with you`,
      lead: html`${time(other.created)}. Two reviewers have to decide again.`,
      actions: html`<a class="button" href=${`${REVIEW}/${documentId}?again=yes`}>Review it again</a>`,
    },
    html`<p>You: ${verdictOf(own)}</p>
      <p>${name}: ${verdictOf(other)}</p>`,
  );
}

function verdictOf({ decision, reasons, note }: Review): Html {
  return html`${badge(decision, decision === 'accepted' ? 'good' : 'bad')}
  ${reasons.map((reason) => describe(reason).description).join('; ')} ${note !== null && html`<span class="history-note small">${note}</span>`}`;
}
