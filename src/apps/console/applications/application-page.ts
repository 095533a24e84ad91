// The page of one application: scopes, calls, keys and secrets.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, notice, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findAccount } from '../../../resources/accounts/account.ts';
import type { ApplicationReport } from '../../../resources/oauth/application.ts';
import { NO_CALLS, reportCalls } from '../../../resources/oauth/calls.ts';
import { scopesOf } from '../../../resources/oauth/role-scopes.ts';
import type { Service } from '../../service/service.ts';
import { APPLICATIONS as HREF } from '../addresses.ts';
import type { Pages } from '../screen.ts';
import { accessCard, hasKeys, keysCard } from './access-card.ts';
import { addKeyChanges } from './application-keys.ts';
import { countText, stateBadge } from './application-parts.ts';
import { addRules } from './application-rules.ts';
import { addSecret, OVERLAPS } from './application-secret.ts';
import { addStateChanges, findApplication } from './application-state.ts';

export function addApplication(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id`, 'manageApplications', async ({ params, person }) => {
    const report = await findApplication(service, params.id!);
    if (!report) return undefined;
    const { sql } = service.database;
    const [account, calls] = await Promise.all([findAccount(sql, report.accountId), reportCalls(sql, report.id)]);
    const { hour, day } = calls.get(report.id) ?? NO_CALLS;
    const { id, name, scopes, created, lastUsed } = report;
    const own = scopesOf(person.roles);
    const lacking = scopes.filter((scope) => !own.includes(scope));
    return {
      title: name,
      main: html`${pageHeader({ title: name, lead: stateBadge(report), back: { href: HREF, label: 'Applications' } })}
        ${lacking.length > 0 && notice(html`<p>Your own roles lack ${lacking.join(', ')}. Somebody who has them, such as an administrator, adds keys and secrets here.</p>`)}
        <div class="columns">
          ${card(
            { title: 'Application' },
            html`<dl class="facts">
              <dt>Client id</dt>
              <dd class="mono small">${id}</dd>
              <dt>Account</dt>
              <dd>${account?.name}</dd>
              <dt>Scopes</dt>
              <dd>${scopes.join(' ')} <a class="button button-small" href=${`${HREF}/${id}/scopes`}>Change…</a></dd>
              <dt>Created</dt>
              <dd>${time(created)}</dd>
              <dt>Last used</dt>
              <dd>${lastUsed ? time(lastUsed) : 'never'}</dd>
              <dt>Last hour</dt>
              <dd>${countText(hour)}</dd>
              <dt>Last 24 hours</dt>
              <dd>${countText(day)}</dd>
            </dl>`,
          )}
          <div>${accessCard(report)} ${stateCard(report)}</div>
        </div>
        ${keysCard(report)}
        <div class="columns">${secretCard(report)} ${rotateCard(report)}</div>`,
    };
  });
  addKeyChanges(pages, service);
  addRules(pages, service);
  addSecret(pages, service);
  addStateChanges(pages, service);
}

function secretCard(report: ApplicationReport): Html {
  const { secrets, isSecretForbidden } = report;
  if (secrets.length === 0) {
    const text = hasKeys(report) ? 'It has a key, and needs none.' : 'Make a new one, or add a key.';
    return card({ title: 'Secrets' }, emptyState({ icon: 'key', title: 'No secret works', text }));
  }
  const lead = isSecretForbidden && 'Refused: the application must use its key.';
  const columns = ['Created', 'Works until', 'Last used'].map((label) => ({ label }));
  const rows = secrets.map(({ created, expires, lastUsed }) => [
    time(created),
    expires ? time(expires) : 'a new one replaces it',
    lastUsed ? time(lastUsed) : html`<span class="muted">never</span>`,
  ]);
  return card({ title: 'Secrets', ...(lead && { lead }), isBare: true }, table({ caption: 'Secrets', columns, rows }));
}

function rotateCard({ id }: ApplicationReport): Html {
  return card(
    { title: 'New secret' },
    html`<form method="get" action=${`${HREF}/${id}/new-secret`}>
      ${field(
        { id: 'overlap', label: 'The present secret works' },
        html`<select class="input" id="overlap" name="overlap">
          ${OVERLAPS.map(({ hours, label }) => html`<option value=${hours}>${label}</option>`)}
        </select>`,
      )}
      <button class="button" type="submit">Make a new secret…</button>
    </form>`,
  );
}

function stateCard({ id, disabled }: ApplicationReport): Html {
  if (!disabled) {
    return card(
      { title: 'Disable' },
      html`<p>All its requests are refused until it is enabled again.</p>
        <a class="button button-danger" href=${`${HREF}/${id}/disable`}>Disable…</a>`,
    );
  }
  return card(
    { title: 'Enable' },
    html`<form method="post" action=${`${HREF}/${id}/enable`}>
      <p>Its secrets and unexpired tokens work again.</p>
      <button class="button" type="submit">Enable</button>
    </form>`,
  );
}
