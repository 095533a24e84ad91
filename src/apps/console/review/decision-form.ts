// The form that decides on a document, and the bar that always shows the buttons, the chosen reasons and what is wrong.
import type { Config } from '../../../platform/config/config.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field, icon } from '../../../platform/pages/parts.ts';
import type { Judgement } from '../../../resources/documents/decide.ts';
import { describe, isReasonFor, REASONS, type Reason } from '../../../resources/documents/reason.ts';
import { NOTE_LENGTH } from '../../../resources/documents/review.ts';
import type { Shown } from './shown.ts';
import { REVIEW } from './type-name.ts';

/** Reasons that have a key, 1 to 9. */
const KEYS = 9;
/** The id of the form: the buttons of the bar stand outside it. */
const FORM = 'decision';

type Rules = Pick<Config, 'foreignPassports'>;

/** A decided document can be reviewed again, with a note, to the contrary. */
export function decisionForm(rules: Rules, { document, opinion }: Shown): Html {
  const { id, status } = document;
  const { mayReject, reasons, isAgain } = choicesOf(rules, { document, opinion });
  const hint = isAgain
    ? 'Required: why the decision changes. Not shown to the customer.'
    : 'Optional. Not shown to the customer.';
  return card(
    {
      title: isAgain ? 'Review again' : 'Decision',
      ...(isAgain && { lead: `This document is ${status}. A new review is added to its history.` }),
      ...(!isAgain && { actions: releaseButton(id) }),
    },
    html`<form id=${FORM} method="post" action=${`${REVIEW}/${id}/decide`} data-decision>
      <input type="hidden" name="seen" value=${status} />
      ${mayReject && reasonList(reasons)}
      ${field(
        { id: 'note', label: 'Note for colleagues', hint },
        html`<textarea class="input" id="note" name="note" maxlength=${NOTE_LENGTH} required=${isAgain} aria-describedby="note-hint"></textarea>`,
      )}
    </form>`,
  );
}

/** Stays at the bottom of the window. A style shows each reason while its box is ticked, so it needs no script. */
export function decisionBar(rules: Rules, { document, opinion }: Shown, message: string | undefined): Html {
  const { mayAccept, mayReject, reasons } = choicesOf(rules, { document, opinion });
  return html`<section class="review-bar" aria-label="Your decision" data-bar>
    <div class="review-chosen">
      <p class="error-text" role="alert" data-message hidden=${message === undefined}>${message}</p>
      ${
        mayReject &&
        html`<ul aria-label="Chosen reasons">
            ${reasons.map((reason) => html`<li>${describe(reason).description}</li>`)}
          </ul>
          <p class="muted small review-none">No reason to reject is chosen.</p>`
      }
    </div>
    <div class="review-verdict">
      ${mayAccept && verdictButton('accepted')} ${mayReject && verdictButton('rejected')}
    </div>
  </section>`;
}

function choicesOf({ foreignPassports }: Rules, { document: { status, type }, opinion }: Pick<Shown, 'document' | 'opinion'>) {
  const isAgain = status !== 'pending';
  const may = (decision: Judgement['decision']) => !isAgain || opinion !== undefined || status !== decision;
  const reasons = REASONS.filter((reason) => isReasonFor(reason, type, { foreignPassports }));
  return { isAgain, mayAccept: may('accepted'), mayReject: may('rejected'), reasons };
}

function releaseButton(id: string): Html {
  return html`<form method="post" action=${`${REVIEW}/${id}/release`}>
    <button class="button button-small" type="submit">Leave it to others</button>
  </form>`;
}

function verdictButton(decision: Judgement['decision']): Html {
  const [tone, key, sign, label] =
    decision === 'accepted' ? (['primary', 'a', 'check', 'Accept'] as const) : (['danger', 'r', 'x-mark', 'Reject'] as const);
  return html`<button class=${`button button-${tone}`} type="submit" form=${FORM} name="decision" value=${decision} data-key=${key} aria-keyshortcuts=${key}>
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
