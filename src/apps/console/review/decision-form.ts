// The form that decides on a document: reasons, a note, and a bar that always shows the buttons and what is wrong.
import type { Config } from '../../../platform/config/config.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { icon } from '../../../platform/pages/parts.ts';
import type { Judgement } from '../../../resources/documents/decide.ts';
import { describe, isReasonFor, REASONS, type Reason } from '../../../resources/documents/reason.ts';
import { NOTE_LENGTH } from '../../../resources/documents/review.ts';
import { REVIEW } from './address.ts';
import type { Shown } from './shown.ts';

/** Reasons that have a key, 1 to 9. */
const KEYS = 9;
/** The id of the form: the buttons of the bar stand outside it. */
const FORM = 'decision';

type Rules = Pick<Config, 'foreignPassports'>;

/** The reasons that checkers found are ticked. A decided document can be reviewed again, with a note, to the contrary. */
export function decisionForm(rules: Rules, shown: Shown): Html {
  const { id, status } = shown.document;
  const { mayReject, reasons, isAgain } = choicesOf(rules, shown);
  const found = isAgain ? [] : foundReasons(shown);
  return html`<section class="card review-form" aria-label="Reasons and note">
    <form id=${FORM} method="post" action=${`${REVIEW}/${id}/decide`} data-decision>
      <input type="hidden" name="seen" value=${status} />
      ${isAgain && html`<p class="small muted">Review again: this document is ${status}. A new review is added to its history.</p>`}
      ${mayReject && reasonList(reasons, found)}
      <div class="review-note">
        <label class="label" for="note">Note for colleagues <kbd>n</kbd></label>
        <textarea
          class="input"
          id="note"
          name="note"
          rows="1"
          maxlength=${NOTE_LENGTH}
          required=${isAgain}
          placeholder=${isAgain ? 'Required: why the decision changes' : 'Not shown to the customer'}
        ></textarea>
      </div>
    </form>
  </section>`;
}

/** Stays at the bottom of the window. A style shows each reason while its box is ticked, so it needs no script. */
export function decisionBar(rules: Rules, shown: Shown, message: string | undefined): Html {
  const { mayAccept, mayReject, reasons, isAgain } = choicesOf(rules, shown);
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
    ${!isAgain && releaseButton(shown.document.id)}
  </section>`;
}

function choicesOf({ foreignPassports }: Rules, { document: { status, type }, opinion }: Pick<Shown, 'document' | 'opinion'>) {
  const isAgain = status !== 'pending';
  const may = (decision: Judgement['decision']) => !isAgain || opinion !== undefined || status !== decision;
  const reasons = REASONS.filter((reason) => isReasonFor(reason, type, { foreignPassports }));
  return { isAgain, mayAccept: may('accepted'), mayReject: may('rejected'), reasons };
}

function foundReasons({ results }: Shown): Reason[] {
  return results.flatMap(({ proposal, reasons }) => (proposal === 'rejected' ? reasons : []));
}

function releaseButton(id: string): Html {
  return html`<form class="review-release" method="post" action=${`${REVIEW}/${id}/release`}>
    <button class="button button-quiet button-small" type="submit">Leave to others</button>
  </form>`;
}

function verdictButton(decision: Judgement['decision']): Html {
  const [tone, key, sign, label] =
    decision === 'accepted' ? (['primary', 'a', 'check', 'Accept'] as const) : (['danger', 'r', 'x-mark', 'Reject'] as const);
  return html`<button class=${`button button-${tone}`} type="submit" form=${FORM} name="decision" value=${decision} data-key=${key} aria-keyshortcuts=${key}>
    ${icon(sign, 'small')}${label} <kbd>${key}</kbd>
  </button>`;
}

function reasonList(reasons: Reason[], found: Reason[]): Html {
  return html`<fieldset class="reasons">
    <legend>Reasons to reject, as the customer reads them${found.length > 0 && ' (those that were found are ticked)'}</legend>
    ${reasons.map((reason, index) => {
      const key = index < KEYS ? String(index + 1) : undefined;
      return html`<label class="choice" for=${`reason-${reason}`}>
        <input
          type="checkbox"
          id=${`reason-${reason}`}
          name="reason"
          value=${reason}
          checked=${found.includes(reason)}
          data-key=${key}
          aria-keyshortcuts=${key}
        />
        ${key && html`<kbd>${key}</kbd>`}
        <span>${describe(reason).description}</span>
      </label>`;
    })}
  </fieldset>`;
}
