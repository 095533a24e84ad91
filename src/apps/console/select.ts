// A list of choices in a form.
import { type Html, html } from '../../platform/pages/html.ts';
import { field } from '../../platform/pages/parts.ts';
import { shortId } from './short-id.ts';

/** `name`: what a field shows and takes where a list would be too long; without it the text. */
export type Choice = { value: string; text: string; name?: string };

/** The field of a form that says for which account it is. */
export function selectAccount(accounts: { id: string; name: string }[], current?: string): Html {
  const choices = accounts.map(({ id, name }) => ({ value: id, text: `${name} (${shortId(id)})` }));
  return select({ id: 'account', label: 'Account' }, choices, current);
}

export type Labelled = { id: string; label: string; hint?: string };

export function select({ id, label, hint }: Labelled, choices: Choice[], chosen: string | undefined = undefined): Html {
  return field(
    { id, label, hint },
    html`<select class="input" id=${id} name=${id} aria-describedby=${hint && `${id}-hint`}>
      ${choices.map(({ value, text }) => html`<option value=${value} selected=${value === chosen}>${text}</option>`)}
    </select>`,
  );
}
