// Changes the scopes of an application: a choice, and a question that says what it gets and loses.
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, notice, pageHeader } from '../../../platform/pages/parts.ts';
import { makeChange } from '../../../resources/change-requests/make-change.ts';
import type { ApplicationReport } from '../../../resources/oauth/application.ts';
import { SCOPE_ABOUT, scopesOf } from '../../../resources/oauth/role-scopes.ts';
import { SCOPES, type Scope } from '../../../resources/oauth/scope.ts';
import type { Service } from '../../service/service.ts';
import { question } from '../question.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import type { Pages } from '../screen.ts';
import { scopeChoices } from './application-parts.ts';
import { findApplication, useOf } from './application-state.ts';

const HREF = '/console/applications';

export function addScopes(pages: Pages, service: Service): void {
  const path = `${HREF}/:id/scopes`;
  pages.page(path, 'manageApplications', async ({ params, query, person }) => {
    const report = await findApplication(service, params.id!);
    if (!report) return undefined;
    const own = scopesOf(person.roles);
    const wanted = chosen(report, query, own);
    if (!query.has('asked') || wanted.length === 0 || !isChanged(report, wanted))
      return form(report, { own, wanted: query.has('asked') ? wanted : report.scopes, isAsked: query.has('asked') });
    const { id, name, scopes } = report;
    const [gets, loses] = [wanted.filter((one) => !scopes.includes(one)), scopes.filter((one) => !wanted.includes(one))];
    return question({
      title: `Change the scopes of ${name}?`,
      back: { href: `${HREF}/${id}`, label: name },
      effect: effectOf(gets, loses),
      facts: [['Gets', wordsOf(gets)], ['Loses', wordsOf(loses)], ['Has then', wanted.join(' ')], ...(await useOf(service, id))],
      action: `${HREF}/${id}/scopes`,
      hidden: { scopes: wanted.join(' ') },
      verb: 'Change the scopes',
      isStart: loses.length === 0,
    });
  });
  pages.action(path, 'manageApplications', async (visit, given) => {
    const names = (given.get('scopes') ?? '').split(' ');
    const scopes = SCOPES.filter((scope) => names.includes(scope));
    if (scopes.length !== names.length) throw refuse('badRequest', { message: 'Choose at least one scope.' });
    const made = await makeChange(service, actorOf(visit), { kind: 'change_scopes', applicationId: visit.params.id!, scopes });
    return made.waits === undefined ? `${HREF}/${made.id}?done=scopes-changed` : requestHref(made.waits);
  });
}

/** What was ticked. A scope that the person may not give stays as it is unless they take it away, which anybody may. */
function chosen({ scopes }: ApplicationReport, query: URLSearchParams, own: readonly Scope[]): Scope[] {
  const ticked = query.getAll('scope');
  return SCOPES.filter((scope) => ticked.includes(scope) && (own.includes(scope) || scopes.includes(scope)));
}

function isChanged({ scopes }: ApplicationReport, wanted: Scope[]): boolean {
  return wanted.length !== scopes.length || wanted.some((scope) => !scopes.includes(scope));
}

function effectOf(gets: Scope[], loses: Scope[]): string {
  const added = gets.length > 0 ? 'New tokens can have what it gets; those that are out do not change.' : '';
  const taken = loses.length > 0 ? 'All its tokens lose what it loses within a second, also those that are out.' : '';
  return [added, taken].filter(Boolean).join(' ');
}

function wordsOf(scopes: Scope[]): string {
  return scopes.map((scope) => `${scope} (${SCOPE_ABOUT[scope]})`).join('; ') || 'nothing';
}

type Choice = { own: readonly Scope[]; wanted: readonly Scope[]; isAsked: boolean };

function form(report: ApplicationReport, { own, wanted, isAsked }: Choice) {
  const { id, name, scopes } = report;
  const fault = wanted.length === 0 ? 'Choose at least one scope. Disable the application to stop it.' : 'Nothing would change.';
  const main: Html = html`${pageHeader({ title: `Scopes of ${name}`, back: { href: `${HREF}/${id}`, label: name } })}
    <div class="narrow">
      ${isAsked && notice(html`<p>${fault}</p>`, 'bad')}
      ${card(
        { title: 'What it may do' },
        html`<form method="get" action=${`${HREF}/${id}/scopes`}>
          <input type="hidden" name="asked" value="yes" />
          ${scopeChoices({ wanted, possible: [...own, ...scopes] })}
          <div class="buttons">
            <button class="button button-primary" type="submit">Continue…</button>
            <a class="button" href=${`${HREF}/${id}`}>Cancel</a>
          </div>
        </form>`,
      )}
    </div>`;
  return { title: `Scopes of ${name}`, main };
}
