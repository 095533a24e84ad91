// Applications: the OAuth clients of all accounts, and creating one.
import { listAccounts } from '../../accounts/account.ts';
import { isId } from '../../ids.ts';
import { type ApplicationReport, createApplication, reportApplications, SCOPES } from '../../oauth/application.ts';
import { type CallReport, reportCalls } from '../../oauth/calls.ts';
import { type Html, html } from '../../pages/html.ts';
import { card, emptyState, icon, notice, pageHeader, table, time } from '../../pages/parts.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import type { Pages, Screen, Visit } from '../screen.ts';
import { addApplication } from './application-page.ts';
import { newApplicationForm, stateBadge } from './application-parts.ts';

const HREF = '/console/applications';
const NAME_MAX = 255;

export const applications: Screen = {
  href: HREF,
  label: 'Applications',
  icon: 'key',
  group: 'Run',
  permission: 'manageApplications',
  done: {
    disabled: 'The application is disabled. Its tokens and secrets are refused within a second.',
    enabled: 'The application is enabled again.',
  },
  add(pages, service) {
    pages.page(HREF, 'manageApplications', async () => {
      const { sql } = service.database;
      const [reports, accounts, calls] = await Promise.all([reportApplications(sql, {}), listAccounts(sql), reportCalls(sql)]);
      const names = new Map(accounts.map(({ id, name }) => [id, name]));
      return {
        title: 'Applications',
        main: html`${pageHeader({
          title: 'Applications',
          lead: 'Programs that call the API, each with its own secret.',
          actions: html`<a class="button button-primary" href=${`${HREF}/new`}>${icon('plus', 'small')}Create an application</a>`,
        })}
        ${card({ title: `${reports.length} in all`, isBare: true }, listOf(reports, { names, calls }))}`,
      };
    });
    addCreate(pages, service);
    addApplication(pages, service);
  },
};

type About = { names: Map<string, string>; calls: Map<string, CallReport> };

function listOf(reports: ApplicationReport[], { names, calls }: About): Html {
  if (reports.length === 0) {
    return emptyState({ icon: 'key', title: 'No applications', text: 'Create one for each program that calls the API.' });
  }
  const columns = [
    { label: 'Name' },
    { label: 'Account' },
    { label: 'Scopes' },
    { label: 'Last used' },
    { label: 'Calls in 24 hours', isNumber: true },
    { label: 'Refused', isNumber: true },
    { label: 'State' },
  ];
  const rows = reports.map((report) => [
    html`<a href=${`${HREF}/${report.id}`}>${report.name}</a>`,
    names.get(report.accountId) ?? '',
    report.scopes.join(' '),
    report.lastUsed ? time(report.lastUsed) : html`<span class="muted">never</span>`,
    (calls.get(report.id)?.day.calls ?? 0n).toLocaleString('en'),
    (calls.get(report.id)?.day.refusals ?? 0n).toLocaleString('en'),
    stateBadge(report),
  ]);
  return table({ caption: 'Applications', columns, rows });
}

function addCreate(pages: Pages, { database, sealer }: Service): void {
  pages.page(`${HREF}/new`, 'manageApplications', async () => {
    const accounts = await listAccounts(database.sql);
    const isPossible = accounts.length > 0;
    return {
      title: 'Create an application',
      main: html`${pageHeader({ title: 'Create an application', back: { href: HREF, label: 'Applications' } })}
        <div class="narrow">
          ${isPossible ? newApplicationForm(accounts) : notice(html`<p>There is no account yet. <code>earmark account create</code> makes one.</p>`)}
        </div>`,
    };
  });
  const create = async ({ audit }: Visit, form: URLSearchParams) => {
    const name = (form.get('name') ?? '').trim();
    const accountId = form.get('account') ?? '';
    const scopes = SCOPES.filter((scope) => form.getAll('scope').includes(scope));
    if (name === '' || [...name].length > NAME_MAX || /\p{Cc}/u.test(name)) {
      throw refuse('badRequest', { message: `A name has 1 to ${NAME_MAX} characters.` });
    }
    if (scopes.length === 0) throw refuse('badRequest', { message: 'Choose at least one scope.' });
    const accounts = await listAccounts(database.sql);
    if (!isId(accountId) || !accounts.some(({ id }) => id === accountId)) {
      throw refuse('badRequest', { message: 'Choose an account.' });
    }
    const made = await database.transaction(async (tx) => {
      const made = await createApplication(tx, sealer, { accountId, name, scopes });
      const resource = { type: 'application', id: made.client_id };
      await audit({ action: 'create_application', resource, detail: { name, scopes, account: accountId } }, tx);
      return made;
    });
    return { to: `${HREF}/${made.client_id}/secret`, shown: { secret: made.client_secret } };
  };
  pages.action(`${HREF}/new`, 'manageApplications', create, { from: `${HREF}/new` });
}
