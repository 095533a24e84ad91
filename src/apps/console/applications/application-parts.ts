// Parts of the pages of applications: the form of a new one, its state, and its calls in words.
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, field } from '../../../platform/pages/parts.ts';
import type { ApplicationReport } from '../../../resources/oauth/application.ts';
import type { NewTerms } from '../../../resources/oauth/application-key.ts';
import type { Counts } from '../../../resources/oauth/calls.ts';
import { SCOPE_ABOUT } from '../../../resources/oauth/role-scopes.ts';
import { SCOPES, type Scope } from '../../../resources/oauth/scope.ts';
import { APPLICATIONS as HREF } from '../addresses.ts';
import { selectAccount } from '../select.ts';
import { hasKeys } from './access-card.ts';
import { addressField, keysField, readAddressField, readKeysField, readTrustFields, trustFields } from './key-fields.ts';

/** How a new application authenticates. The fields of a way are shown when it is chosen. */
const WAYS = [
  { way: 'secret', label: 'A secret', about: 'made here, and shown once', fields: undefined },
  { way: 'keys', label: 'A public key', about: 'the program keeps the private one', fields: keysField() },
  { way: 'address', label: 'Keys at an address', about: 'the program publishes its own key set', fields: addressField() },
  { way: 'trust', label: 'A workload identity', about: 'tokens of Kubernetes, GitHub or a cloud', fields: trustFields() },
];

export function stateBadge(report: ApplicationReport): Html {
  const { disabled, secrets, isSecretForbidden } = report;
  if (disabled) return badge('disabled', 'bad');
  const hasSecret = secrets.length > 0 && !isSecretForbidden;
  return hasSecret || hasKeys(report) ? badge('enabled', 'good') : badge('cannot authenticate', 'warn');
}

/** What a new application has instead of a secret; undefined for one with a secret. */
export function readWay(form: URLSearchParams): NewTerms | undefined {
  switch (form.get('way') ?? 'secret') {
    case 'secret':
      return undefined;
    case 'keys':
      return { keys: readKeysField(form) };
    case 'address':
      return { jwksUri: readAddressField(form) };
    case 'trust':
      return { trust: readTrustFields(form) };
    default:
      throw refuse('badRequest', { message: 'Choose how it authenticates.' });
  }
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
      ${selectAccount(accounts)}
      <fieldset class="ways">
        <legend>It authenticates with</legend>
        ${WAYS.map(
          ({ way, label, about, fields }) => html`<div class="way">
            <label class="choice">
              <input type="radio" name="way" value=${way} checked=${way === 'secret'} />
              <span><b>${label}</b> <span class="muted">${about}</span></span>
            </label>
            ${fields && html`<div class="way-fields">${fields}</div>`}
          </div>`,
        )}
      </fieldset>
      ${scopeChoices({ wanted: own.includes('read') ? ['read'] : [], possible: own })}
      <div class="buttons">
        <button class="button button-primary" type="submit">Create</button>
        <a class="button" href=${HREF}>Cancel</a>
      </div>
    </form>`,
  );
}

/** `possible`: the scopes that the person may give, and those that the application has. */
export function scopeChoices({ wanted, possible }: { wanted: readonly Scope[]; possible: readonly Scope[] }): Html {
  const isSome = SCOPES.some((scope) => !possible.includes(scope));
  return html`<fieldset>
    <legend>Scopes</legend>
    ${SCOPES.map(
      (scope) => html`<label class="choice">
        <input type="checkbox" name="scope" value=${scope} checked=${wanted.includes(scope)} disabled=${!possible.includes(scope)} />
        <span><b>${scope}</b> <span class="muted">${SCOPE_ABOUT[scope]}</span></span>
      </label>`,
    )}
    ${isSome && html`<p class="muted small">You can give the scopes that your own roles have.</p>`}
  </fieldset>`;
}
