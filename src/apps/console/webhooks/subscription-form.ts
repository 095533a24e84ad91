// The form of a webhook subscription: its account, where it is delivered to, and which topics.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field } from '../../../platform/pages/parts.ts';
import { TOPICS } from '../../../resources/events/event.ts';
import { topics as MANIFEST } from '../../../resources/topics.ts';
import { selectAccount } from '../select.ts';

export const URL_LENGTH = 2048;

type Fields = { url: string; topics: readonly string[] | null };
/** `accounts`: of a new subscription; an existing one keeps its own. */
type Options = { action: string; back: string; verb: string; accounts?: { id: string; name: string }[] };

export function subscriptionForm({ url, topics }: Fields, { action, back, verb, accounts }: Options): Html {
  return card(
    { title: 'Receiver' },
    html`<form method="post" action=${action}>
      ${accounts && selectAccount(accounts)}
      ${field(
        { id: 'url', label: 'URL', hint: 'Gets each event as a POST, signed with the secret of the subscription.' },
        html`<input class="input" type="url" id="url" name="url" value=${url} required maxlength=${URL_LENGTH} placeholder="https://" autocomplete="off" spellcheck="false" aria-describedby="url-hint" />`,
      )}
      <fieldset>
        <legend>Events</legend>
        <label class="choice">
          <input type="checkbox" name="all" value="yes" checked=${topics === null} />
          <span><b>All of them</b> <span class="muted">also those of later versions</span></span>
        </label>
        <details open=${topics !== null}><summary>Only some of them</summary><p class="muted small">These ticks count when “All of them” is not ticked.</p>
        ${TOPICS.map(
          (topic) => html`<label class="choice">
            <input type="checkbox" name="topic" value=${topic} checked=${topics?.includes(topic) ?? false} />
            <span><code class="break">${topic}</code> <span class="muted">${MANIFEST[topic].about}</span></span>
          </label>`,
        )}</details>
      </fieldset>
      <div class="buttons">
        <button class="button button-primary" type="submit">${verb}</button>
        <a class="button" href=${back}>Cancel</a>
      </div>
    </form>`,
  );
}
