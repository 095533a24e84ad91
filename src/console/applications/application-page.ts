// The page of one application: scopes, secrets, a new secret, disabling and enabling.
import { findAccount } from '../../accounts/account.ts';
import { isId } from '../../ids.ts';
import {
  type ApplicationReport,
  disableApplication,
  enableApplication,
  reportApplications,
  rotateSecret,
} from '../../oauth/application.ts';
import { reportCalls } from '../../oauth/calls.ts';
import { type Html, html } from '../../pages/html.ts';
import { card, emptyState, field, pageHeader, table, time } from '../../pages/parts.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import type { Pages } from '../screen.ts';
import { secretShown, stateBadge } from './application-parts.ts';

const HREF = '/console/applications';
const HOUR_MS = 3_600_000;
/** How long the previous secret works, in hours. */
const OVERLAPS = [
  { hours: 24, label: 'for 24 hours' },
  { hours: 168, label: 'for a week' },
  { hours: 0, label: 'not any more, because it has leaked' },
];

export function addApplication(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id`, 'manageApplications', async ({ params }) => {
    const report = await find(service, params.id!);
    if (!report) return undefined;
    const { sql } = service.database;
    const [account, calls] = await Promise.all([findAccount(sql, report.accountId), reportCalls(sql)]);
    const day = calls.get(report.id) ?? { calls: 0n, refusals: 0n };
    const { id, name, scopes, created, lastUsed } = report;
    return {
      title: name,
      main: html`${pageHeader({ title: name, lead: stateBadge(report), back: { href: HREF, label: 'Applications' } })}
        <div class="columns">
          ${card(
            { title: 'Application' },
            html`<dl class="facts">
              <dt>Client id</dt>
              <dd class="mono small">${id}</dd>
              <dt>Account</dt>
              <dd>${account?.name}</dd>
              <dt>Scopes</dt>
              <dd>${scopes.join(' ')}</dd>
              <dt>Created</dt>
              <dd>${time(created)}</dd>
              <dt>Last used</dt>
              <dd>${lastUsed ? time(lastUsed) : 'never'}</dd>
              <dt>Last 24 hours</dt>
              <dd>${day.calls.toLocaleString('en')} calls, ${day.refusals.toLocaleString('en')} of them refused</dd>
            </dl>`,
          )}
          <div>${secretCard(report)} ${rotateCard(report)} ${stateCard(report)}</div>
        </div>`,
    };
  });
  addRotate(pages, service);
  addStateChanges(pages, service);
}

function addRotate(pages: Pages, service: Service): void {
  pages.reveal(`${HREF}/:id/secret`, 'manageApplications', async ({ params, audit }, form) => {
    const report = await find(service, params.id!);
    const overlap = OVERLAPS.find(({ hours }) => String(hours) === form.get('overlap'));
    if (!report) throw refuse('notFound');
    if (!overlap) throw refuse('badRequest', { message: 'Choose how long the previous secret works.' });
    const { id, name } = report;
    const secret = await service.database.transaction(async (tx) => {
      const detail = { overlapHours: overlap.hours };
      await audit({ action: 'rotate_secret', resource: { type: 'application', id }, detail }, tx);
      return rotateSecret(tx, service.sealer, id, { overlapMs: overlap.hours * HOUR_MS });
    });
    if (secret === undefined) throw refuse('notFound');
    return secretShown({ id, secret, title: `A new secret of ${name}` });
  });
}

function addStateChanges(pages: Pages, service: Service): void {
  for (const { path, change, action, done } of [
    { path: 'disable', change: disableApplication, action: 'disable_application', done: 'disabled' },
    { path: 'enable', change: enableApplication, action: 'enable_application', done: 'enabled' },
  ] as const) {
    pages.action(`${HREF}/:id/${path}`, 'manageApplications', async ({ params, audit }) => {
      const report = await find(service, params.id!);
      if (!report) throw refuse('notFound');
      await service.database.transaction(async (tx) => {
        await change(tx, report.id);
        await audit({ action, resource: { type: 'application', id: report.id } }, tx);
      });
      return `${HREF}/${report.id}?done=${done}`;
    });
  }
}

async function find({ database }: Pick<Service, 'database'>, id: string): Promise<ApplicationReport | undefined> {
  return isId(id) ? (await reportApplications(database.sql, { id }))[0] : undefined;
}

function secretCard({ secrets }: ApplicationReport): Html {
  if (secrets.length === 0) {
    return card({ title: 'Secrets' }, emptyState({ icon: 'key', title: 'No secret works', text: 'Make a new one.' }));
  }
  const columns = ['Created', 'Works until', 'Last used'].map((label) => ({ label }));
  const rows = secrets.map(({ created, expires, lastUsed }) => [
    time(created),
    expires ? time(expires) : 'a new one replaces it',
    lastUsed ? time(lastUsed) : html`<span class="muted">never</span>`,
  ]);
  return card({ title: 'Secrets', isBare: true }, table({ caption: 'Secrets', columns, rows }));
}

function rotateCard({ id }: ApplicationReport): Html {
  return card(
    { title: 'New secret' },
    html`<form method="post" action=${`${HREF}/${id}/secret`}>
      ${field(
        { id: 'overlap', label: 'The present secret works' },
        html`<select class="input" id="overlap" name="overlap">
          ${OVERLAPS.map(({ hours, label }) => html`<option value=${hours}>${label}</option>`)}
        </select>`,
      )}
      <button class="button" type="submit">Make a new secret</button>
    </form>`,
  );
}

function stateCard({ id, disabled }: ApplicationReport): Html {
  const path = disabled ? 'enable' : 'disable';
  const effect = disabled
    ? 'Its secrets and unexpired tokens work again.'
    : 'All its requests are refused until it is enabled again.';
  return card(
    { title: disabled ? 'Enable' : 'Disable' },
    html`<form method="post" action=${`${HREF}/${id}/${path}`}>
      <p>${effect}</p>
      <button class=${disabled ? 'button' : 'button button-danger'} type="submit">${disabled ? 'Enable' : 'Disable'}</button>
    </form>`,
  );
}
