// People: who may use the console, with which roles.
import { html } from '../../../platform/pages/html.ts';
import { card, icon, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { listOpenRequests } from '../../../resources/change-requests/change-request.ts';
import { makeChange } from '../../../resources/change-requests/make-change.ts';
import { listOperators, type OperatorReport } from '../../../resources/operators/operator.ts';
import type { Service } from '../../service/service.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import { requestsCard } from '../requests/requests-card.ts';
import type { Pages, Screen, Visit } from '../screen.ts';
import { addPerson } from './person.ts';
import { newPersonForm, rolesIn, statusBadge } from './person-forms.ts';
import { addRequests } from './requests.ts';

const HREF = '/console/people';

export const people: Screen = {
  href: HREF,
  label: 'People',
  icon: 'users',
  group: 'Access',
  permission: 'managePeople',
  async count({ database }) {
    const waiting = (await listOpenRequests(database.sql)).filter(({ state }) => state === 'waits').length;
    return waiting > 0 ? String(waiting) : undefined;
  },
  done: {
    roles: 'The roles are changed. The person signs in again.',
    disabled: 'The person is disabled and signed out everywhere.',
    enabled: 'The person may sign in again.',
    passkeys: 'The passkeys are removed, and the sessions that they opened have ended.',
    asked: 'Nothing has changed yet. The change waits for a second person.',
    approved: 'The change is approved.',
    moved: 'It is approved and carried out.',
    refused: 'The change is refused.',
    withdrawn: 'The change is withdrawn.',
  },
  add(pages, service) {
    addList(pages, service);
    addCreate(pages, service);
    addRequests(pages, service);
    addPerson(pages, service);
  },
};

function addList(pages: Pages, { database }: Service): void {
  pages.page(HREF, 'managePeople', async () => {
    const [operators, requests] = await Promise.all([listOperators(database.sql), listOpenRequests(database.sql)]);
    const columns = [
      { label: 'Name' },
      { label: 'Roles' },
      { label: 'Signs in with' },
      { label: 'Last sign-in' },
      { label: 'State' },
    ];
    const rows = operators.map((person) => [
      html`<a href=${`${HREF}/${person.id}`}>${person.name}</a>`,
      person.roles.join(', ') || html`<span class="muted">none</span>`,
      meansOf(person),
      person.lastSignIn ? time(person.lastSignIn) : html`<span class="muted">never</span>`,
      statusBadge(person),
    ]);
    return {
      title: 'People',
      main: html`${pageHeader({
        title: 'People',
        lead: 'Who may use the console, and for what.',
        actions: html`<a class="button button-primary" href="/console/people/new">${icon('user-plus', 'small')}Add a person</a>`,
      })}
      ${requestsCard(requests)}
      ${card({ title: `${operators.length} ${operators.length === 1 ? 'person' : 'people'}`, isBare: true }, table({ caption: 'People', columns, rows }))}`,
    };
  });
}

function meansOf({ issuer, passkeys }: OperatorReport): string {
  if (issuer) return 'OpenID Connect';
  return passkeys === 0 ? 'one-time link' : passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`;
}

function addCreate(pages: Pages, service: Service): void {
  pages.page(`${HREF}/new`, 'managePeople', async () => ({
    title: 'Add a person',
    main: html`${pageHeader({ title: 'Add a person', back: { href: HREF, label: 'People' } })}
      <div class="narrow">${newPersonForm()}</div>`,
  }));
  const create = async (visit: Visit, form: URLSearchParams) => {
    const wanted = { kind: 'create_operator', name: form.get('name') ?? '', roles: rolesIn(form) } as const;
    const made = await makeChange(service, actorOf(visit), wanted);
    return made.waits === undefined ? `${HREF}/${made.id}` : requestHref(made.waits);
  };
  pages.action(HREF, 'managePeople', create, { from: `${HREF}/new` });
}
