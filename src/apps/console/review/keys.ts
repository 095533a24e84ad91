// The keys of the review, as the page lists them.
import { type Html, html } from '../../../platform/pages/html.ts';

const KEYS = [
  ['a', 'accept'],
  ['r', 'reject'],
  ['1–9', 'tick a reason'],
  ['x', 'untick all reasons'],
  ['n', 'write a note; Esc leaves it'],
  ['v', 'show hidden values'],
  ['z', 'zoom; or turn the wheel, and drag'],
  ['t', 'turn the picture'],
  ['c', 'contrast'],
  ['j', 'next document'],
  ['k', 'previous document'],
  ['u', 'take the last decision back'],
  ['Ctrl K', 'find anything'],
  ['?', 'show these keys'],
] as const;

/** The button that opens the list, which needs a script, as the keys do. */
export function keyList(): Html {
  return html`<button class="button button-quiet needs-script" type="button" data-keys aria-keyshortcuts="?">Keys <kbd>?</kbd></button>
    <dialog class="keys" data-key-list aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl class="facts">${KEYS.map(([key, about]) => html`<dt><kbd>${key}</kbd></dt><dd>${about}</dd>`)}</dl>
      <form method="dialog"><button class="button" type="submit">Close</button></form>
    </dialog>`;
}
