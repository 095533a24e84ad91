// Applications: the OAuth clients of all accounts, and creating one.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, icon, notice, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { listAccounts } from '../../../resources/accounts/account.ts';
import { listOpenRequests } from '../../../resources/change-requests/change-request.ts';
import { makeChange, permissionOf } from '../../../resources/change-requests/make-change.ts';
import { type ApplicationReport, reportApplications } from '../../../resources/oauth/application.ts';
import { type CallReport, reportCalls } from '../../../resources/oauth/calls.ts';
import { scopesOf } from '../../../resources/oauth/role-scopes.ts';
import { SCOPES } from '../../../resources/oauth/scope.ts';
import type { Service } from '../../service/service.ts';
import { APPLICATIONS as HREF } from '../addresses.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import { requestsCard } from '../requests/requests-card.ts';
import type { Pages, Screen, Visit } from '../screen.ts';
import { addApplication } from './application-page.ts';
import { newApplicationForm, readWay, stateBadge } from './application-parts.ts';
import { addScopes } from './application-scopes.ts';
import { isPrivateField } from './key-fields.ts';

export const applications: Screen = {
  href: HREF,
  label: 'Applications',
  icon: 'key',
  group: 'Run',
  permission: 'manageApplications',
  done: {
    disabled: 'The application is disabled. Its tokens and secrets are refused within a second.',
    enabled: 'The application is enabled again.',
    created: 'The application is created. It has no secret: its client id is here.',
    'scopes-changed': 'The scopes are changed. Tokens lose what is taken within a second.',
    'keys-changed': 'The keys are changed. The application can use the new ones now.',
    'key-removed': 'Removed. What it signed is refused within a second.',
    'secret-refused': 'The secret is refused within a second.',
    'secret-accepted': 'The secret is accepted again.',
    'binding-changed': 'What its tokens must be bound to is changed.',
  },
  add(pages, service) {
    pages.page(HREF, 'manageApplications', async () => {
      const { sql } = service.database;
      const [reports, accounts, calls, requests] = await Promise.all([
        reportApplications(sql, {}),
        listAccounts(sql),
        reportCalls(sql),
        listOpenRequests(sql),
      ]);
      const own = requests.filter(({ wanted }) => permissionOf(wanted) === 'manageApplications');
      const names = new Map(accounts.map(({ id, name }) => [id, name]));
      return {
        title: 'Applications',
        main: html`${pageHeader({
          title: 'Applications',
          lead: 'Programs that call the API, each with its own secret or key.',
          actions: html`<a class="button button-primary" href=${`${HREF}/new`}>${icon('plus', 'small')}Create an application</a>`,
        })}
        ${requestsCard(own)}
        ${card({ title: `${reports.length} in all`, isBare: true }, listOf(reports, { names, calls }))}`,
      };
    });
    addCreate(pages, service);
    addApplication(pages, service);
    addScopes(pages, service);
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

function addCreate(pages: Pages, service: Service): void {
  pages.page(`${HREF}/new`, 'manageApplications', async ({ person }) => {
    const accounts = await listAccounts(service.database.sql);
    const isPossible = accounts.length > 0;
    const own = scopesOf(person.roles);
    return {
      title: 'Create an application',
      main: html`${pageHeader({ title: 'Create an application', back: { href: HREF, label: 'Applications' } })}
        <div class="narrow">
          ${isPossible && own.length > 0 && newApplicationForm(accounts, own)}
          ${!isPossible && notice(html`<p>There is no account yet. <code>earmark account create</code> makes one.</p>`)}
          ${own.length === 0 && notice(html`<p>You can give the scopes that your own roles have, and they have none. Ask an administrator.</p>`)}
        </div>`,
    };
  });
  const create = async (visit: Visit, form: URLSearchParams) => {
    const scopes = SCOPES.filter((scope) => form.getAll('scope').includes(scope));
    const terms = readWay(form);
    const wanted = { accountId: form.get('account') ?? '', name: form.get('name') ?? '', scopes, ...(terms && { terms }) };
    const made = await makeChange(service, actorOf(visit), { kind: 'create_application', ...wanted });
    if (made.waits !== undefined) return requestHref(made.waits);
    return made.shown ? { to: `${HREF}/${made.id}/secret`, shown: made.shown } : `${HREF}/${made.id}?done=created`;
  };
  pages.action(`${HREF}/new`, 'manageApplications', create, { from: `${HREF}/new`, isPrivate: isPrivateField });
}
