// Parts of the pages of applications: the form of a new one, its state, and its calls in words.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, field } from '../../../platform/pages/parts.ts';
import type { ApplicationReport } from '../../../resources/oauth/application.ts';
import type { Counts } from '../../../resources/oauth/calls.ts';
import { SCOPE_ABOUT } from '../../../resources/oauth/role-scopes.ts';
import { SCOPES, type Scope } from '../../../resources/oauth/scope.ts';

const HREF = '/console/applications';

export function stateBadge({ disabled, secrets }: Pick<ApplicationReport, 'disabled' | 'secrets'>): Html {
  if (disabled) return badge('disabled', 'bad');
  return secrets.length === 0 ? badge('without a secret', 'warn') : badge('enabled', 'good');
}

export function countText({ calls, refusals }: Counts): string {
  return `${calls.toLocaleString('en')} calls, ${refusals.toLocaleString('en')} of them refused`;
}

/** `own`: the scopes that the person has, and may give. */
export function newApplicationForm(accounts: { id: string; name: string }[], own: readonly Scope[]): Html {
  return card(
    { title: 'Application' },
    html`<form method="post" action=${`${HREF}/new`}>
      ${field(
        { id: 'name', label: 'Name', hint: 'Of the program that will use it.' },
        html`<input class="input" id="name" name="name" required maxlength="255" autocomplete="off" aria-describedby="name-hint" />`,
      )}
      ${field(
        { id: 'account', label: 'Account' },
        html`<select class="input" id="account" name="account">
          ${accounts.map(({ id, name }) => html`<option value=${id}>${name} (…${id.slice(-8)})</option>`)}
        </select>`,
      )}
      <fieldset>
        <legend>Scopes</legend>
        ${SCOPES.map(
          (scope) => html`<label class="choice">
            <input type="checkbox" name="scope" value=${scope} checked=${scope === 'read' && own.includes(scope)} disabled=${!own.includes(scope)} />
            <span><b>${scope}</b> <span class="muted">${SCOPE_ABOUT[scope]}</span></span>
          </label>`,
        )}
        ${own.length < SCOPES.length && html`<p class="muted small">You can give the scopes that your own roles have.</p>`}
      </fieldset>
      <div class="buttons">
        <button class="button button-primary" type="submit">Create</button>
        <a class="button" href=${HREF}>Cancel</a>
      </div>
    </form>`,
  );
}
