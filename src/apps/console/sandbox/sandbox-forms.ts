// The forms of the screen Sandbox.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field } from '../../../platform/pages/parts.ts';
import { SANDBOX as HREF } from '../addresses.ts';
import { DOCUMENT_SCRIPTS, SCRIPTS } from './scripts.ts';

/** Documents that are added at once. */
export const DOCUMENTS_MAX = 20;
/** Enough to get used to the keyboard. */
const DOCUMENTS_ASKED = 10;

/** Steps of the clock, in seconds: a retry, a token, and the retention of keys and events. */
export const STEPS = [
  { seconds: 900, label: '15 minutes' },
  { seconds: 3_600, label: '1 hour' },
  { seconds: 86_400, label: '1 day' },
  { seconds: 7 * 86_400, label: '1 week' },
  { seconds: 31 * 86_400, label: '31 days' },
];

/** What a planned fault does. */
export const FAULTS = {
  503: { label: 'answers 503', request: { status: 503 } },
  500: { label: 'answers 500', request: { status: 500 } },
  429: { label: 'answers 429', request: { status: 429 } },
  401: { label: 'answers 401: the token has expired', request: { status: 401 } },
  cut: { label: 'closes the connection', request: { cut: true } },
  lost: { label: 'is carried out, and the answer is lost', request: { cut: true, effect: true } },
  slow: { label: 'answers after 10 seconds', request: { delayMs: 10_000 } },
} as const;

export function clockForm(accountId: string): Html {
  return html`<form method="post" action=${`${HREF}/clock`}>
    <input type="hidden" name="account" value=${accountId} />
    <p>Advance by</p>
    <div class="buttons">
      ${STEPS.map(({ seconds, label }) => html`<button class="button button-small" type="submit" name="seconds" value=${seconds}>${label}</button>`)}
    </div>
  </form>`;
}

export function scriptForm(accountId: string): Html {
  return card(
    { title: 'Scripted customers', lead: 'Names select what happens, as in the API' },
    html`<form method="post" action=${`${HREF}/customers`}>
      <input type="hidden" name="account" value=${accountId} />
      ${field(
        { id: 'script', label: 'Outcome' },
        html`<select class="input" id="script" name="script">
          ${Object.entries(SCRIPTS).map(([name, { label }]) => html`<option value=${name}>${label}</option>`)}
        </select>`,
      )}
      <button class="button" type="submit">Add the customer</button>
    </form>`,
  );
}

export function documentForm(accountId: string): Html {
  return card(
    { title: 'Scripted documents', lead: 'Passports of invented people' },
    html`<form method="post" action=${`${HREF}/documents`}>
      <input type="hidden" name="account" value=${accountId} />
      ${field(
        { id: 'verdict', label: 'Each document' },
        html`<select class="input" id="verdict" name="script">
          ${Object.entries(DOCUMENT_SCRIPTS).map(([name, { label }]) => html`<option value=${name}>${label}</option>`)}
        </select>`,
      )}
      ${field(
        { id: 'documents', label: 'How many' },
        html`<input class="input input-short" type="number" id="documents" name="count" value=${DOCUMENTS_ASKED} min="1" max=${DOCUMENTS_MAX} required />`,
      )}
      <button class="button" type="submit">Add the documents</button>
    </form>`,
  );
}

export function faultForm(accountId: string, operations: string[]): Html {
  return card(
    { title: 'Plan a fault' },
    html`<form method="post" action=${`${HREF}/faults`}>
      <input type="hidden" name="account" value=${accountId} />
      ${field(
        { id: 'operation', label: 'The next requests of' },
        html`<select class="input" id="operation" name="operation">
          <option value="deliverWebhook">deliverWebhook: webhook deliveries</option>
          ${operations.map((name) => html`<option value=${name} selected=${name === 'createLabelReallocation'}>${name}</option>`)}
        </select>`,
      )}
      ${field(
        { id: 'fault', label: 'What happens' },
        html`<select class="input" id="fault" name="fault">
          ${Object.entries(FAULTS).map(([name, { label }]) => html`<option value=${name}>${label}</option>`)}
        </select>`,
      )}
      ${field(
        { id: 'times', label: 'How many requests' },
        html`<input class="input input-short" type="number" id="times" name="times" value="1" min="1" max="10000" required />`,
      )}
      <button class="button" type="submit">Plan the fault</button>
    </form>`,
  );
}

export function resetForm({ id, name }: { id: string; name: string }): Html {
  return card(
    { title: 'Reset' },
    html`<form method="post" action=${`${HREF}/reset`}>
      <input type="hidden" name="account" value=${id} />
      <p>Deletes all customers of ${name} with their money, events, subscriptions and faults, and sets the clock to real time.
        If <code>earmark sandbox env</code> names one of them, the next start of the service makes a new one.</p>
      <label class="choice">
        <input type="checkbox" name="sure" value="yes" required />
        <span>Delete everything of this account</span>
      </label>
      <div class="buttons form-end">
        <button class="button button-danger" type="submit">Reset the account</button>
      </div>
    </form>`,
  );
}
