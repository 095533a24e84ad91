// The forms about a person: name, roles, sign-in link, and disabling.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, field, icon } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { NAME_LENGTH, type Operator } from '../../../resources/operators/operator.ts';
import { ROLE_ABOUT, ROLES, type Role } from '../../../resources/operators/role.ts';

export function statusBadge({ disabled, roles }: Operator): Html {
  if (disabled) return badge('disabled', 'bad');
  return roles.length > 0 ? badge('may sign in', 'good') : badge('without a role', 'warn');
}

export function newPersonForm(): Html {
  return card(
    { title: 'Person' },
    html`<form method="post" action="/console/people">
      ${field(
        { id: 'name', label: 'Name', hint: 'Shown in the audit log and with each decision.' },
        html`<input
          class="input"
          id="name"
          name="name"
          required
          maxlength=${NAME_LENGTH}
          autocomplete="off"
          aria-describedby="name-hint"
        />`,
      )}
      ${roleChoices([])}
      <div class="buttons">
        <button class="button button-primary" type="submit">Add</button>
        <a class="button" href="/console/people">Cancel</a>
      </div>
    </form>`,
  );
}

/** `isOwn`: whether the page is about the person who looks at it. `isKnown`: whether the person has signed in before. */
type Standing = { isOwn: boolean; passkeys: number; isKnown: boolean };

export function personForms(operator: Operator, standing: Standing): Html {
  const { id, issuer, created, roles } = operator;
  return html`${card(
    { title: 'Roles', lead: 'A change signs the person out.' },
    html`<form method="post" action=${`/console/people/${id}/roles`}>
      ${roleChoices(roles)}
      <button class="button button-primary" type="submit">Save the roles</button>
    </form>`,
  )}
  ${card(
    { title: 'Sign-in' },
    html`<dl class="facts">
        <dt>Added</dt>
        <dd>${time(created)}</dd>
        <dt>Identity provider</dt>
        <dd>${issuer ?? 'none: signs in by passkey or link'}</dd>
        <dt>Passkeys</dt>
        <dd>${standing.passkeys}</dd>
        <dt>Activity</dt>
        <dd><a href=${`/console/audit-log?person=${id}`}>Entries in the audit log</a></dd>
      </dl>
      <div class="buttons form-end">${linkForm(operator, standing)} ${removeForm(operator, standing)} ${disableForm(operator, standing)}</div>`,
  )}`;
}

/** The roles that a form has chosen. */
export function rolesIn(form: URLSearchParams): Role[] {
  const given = form.getAll('role');
  return ROLES.filter((role) => given.includes(role));
}

/** A link that replaces something is asked for first. */
function linkForm({ id, disabled, issuer }: Operator, { isKnown }: Standing): Html {
  if (disabled || issuer) return undefined;
  if (isKnown)
    return html`<a class="button" href=${`/console/people/${id}/new-link`}>${icon('link', 'small')}Make a new sign-in link…</a>`;
  return html`<form method="post" action=${`/console/people/${id}/link`}>
    <button class="button" type="submit">${icon('link', 'small')}Make a sign-in link</button>
  </form>`;
}

function removeForm({ id }: Operator, { passkeys }: Standing): Html {
  return passkeys > 0 && html`<a class="button" href=${`/console/people/${id}/remove-passkeys`}>Remove all passkeys…</a>`;
}

function disableForm({ id, disabled }: Operator, { isOwn }: Standing): Html {
  if (isOwn) return undefined;
  if (!disabled) return html`<a class="button button-danger" href=${`/console/people/${id}/disable`}>Disable…</a>`;
  return html`<form method="post" action=${`/console/people/${id}/enable`}>
    <button class="button" type="submit">Enable</button>
  </form>`;
}

function roleChoices(current: readonly Role[]): Html {
  return html`<fieldset>
    <legend>Roles</legend>
    ${ROLES.map(
      (role) => html`<label class="choice">
        <input type="checkbox" name="role" value=${role} checked=${current.includes(role)} />
        <span><b>${role}</b> <span class="muted">${ROLE_ABOUT[role]}</span></span>
      </label>`,
    )}
  </fieldset>`;
}
