// The page of a person, and what an administrator does with them: roles, sign-in link, passkeys, disabling and enabling.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { html } from '../../../platform/pages/html.ts';
import { pageHeader } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { makeChange } from '../../../resources/change-requests/make-change.ts';
import { LINK_MINUTES } from '../../../resources/operators/link.ts';
import { findOperator, hasEntered, listOperators, type Operator } from '../../../resources/operators/operator.ts';
import { listPasskeys } from '../../../resources/operators/passkey.ts';
import type { Service } from '../../service/service.ts';
import { question, shownOnce } from '../question.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import type { Pages, Visit } from '../screen.ts';
import { personForms, rolesIn, statusBadge } from './person-forms.ts';

const HREF = '/console/people';

export function addPerson(pages: Pages, service: Service): void {
  const { sql } = service.database;
  pages.page(`${HREF}/:id`, 'managePeople', async ({ params, person }) => {
    const operator = await findById(service, params.id!);
    const { id, name } = operator;
    const [passkeys, isKnown] = await Promise.all([listPasskeys(sql, id), hasEntered(sql, id)]);
    return {
      title: name,
      main: html`${pageHeader({ title: name, lead: statusBadge(operator), back: { href: HREF, label: 'People' } })}
        <div class="narrow">${personForms(operator, { isOwn: id === person.id, passkeys: passkeys.length, isKnown })}</div>`,
    };
  });
  addLink(pages, service);
  addRoles(pages, service);
  addQuestions(pages, service);
  pages.action(`${HREF}/:id/enable`, 'managePeople', async (visit) => {
    const { id } = await findById(service, visit.params.id!);
    const made = await makeChange(service, actorOf(visit), { kind: 'enable_operator', operatorId: id });
    return made.waits === undefined ? `${HREF}/${id}?done=enabled` : requestHref(made.waits);
  });
}

function addLink(pages: Pages, service: Service): void {
  const make = async (visit: Visit) => {
    const { id } = await findById(service, visit.params.id!);
    const made = await makeChange(service, actorOf(visit), { kind: 'create_link', operatorId: id });
    return made.waits === undefined ? { to: `${HREF}/${id}/link`, shown: made.shown! } : requestHref(made.waits);
  };
  pages.page(`${HREF}/:id/new-link`, 'managePeople', async ({ params }) => {
    const { id, name } = await findById(service, params.id!);
    const passkeys = (await listPasskeys(service.database.sql, id)).length;
    return question({
      title: `Make a new sign-in link for ${name}?`,
      back: { href: `${HREF}/${id}`, label: name },
      effect: `Whoever opens the link is ${name} from then on. The passkeys that the person has are removed, and the sessions that they opened end.`,
      facts: [['Passkeys', String(passkeys)]],
      action: `${HREF}/${id}/link`,
      verb: 'Make a sign-in link',
    });
  });
  pages.action(`${HREF}/:id/link`, 'managePeople', make);
  pages.page(`${HREF}/:id/link`, 'managePeople', async ({ params, kept }) => {
    const { id, name } = await findById(service, params.id!);
    const link = kept.shown?.link;
    return shownOnce({
      title: `A link for ${name}`,
      back: { href: `${HREF}/${id}`, label: name },
      note: `It works once and for ${LINK_MINUTES} minutes. It is not shown again.`,
      values: link === undefined ? undefined : [['Sign-in link', link]],
      remedy: 'If it was not copied, make another.',
    });
  });
}

function addRoles(pages: Pages, service: Service): void {
  pages.action(`${HREF}/:id/roles`, 'managePeople', async (visit, form) => {
    const { id } = await findById(service, visit.params.id!);
    const made = await makeChange(service, actorOf(visit), { kind: 'change_roles', operatorId: id, roles: rolesIn(form) });
    return made.waits === undefined ? `${HREF}/${id}?done=roles` : requestHref(made.waits);
  });
}

function addQuestions(pages: Pages, service: Service): void {
  const { sql } = service.database;
  pages.page(`${HREF}/:id/disable`, 'managePeople', async ({ params }) => {
    const { id, name, roles } = await findById(service, params.id!);
    const lastSignIn = (await listOperators(sql)).find((person) => person.id === id)?.lastSignIn;
    return question({
      title: `Disable ${name}?`,
      back: { href: `${HREF}/${id}`, label: name },
      effect: 'The person is signed out everywhere at once. Their links and passkeys are refused until they are enabled again.',
      facts: [
        ['Roles', roles.join(', ') || 'none'],
        ['Last sign-in', lastSignIn ? time(lastSignIn) : 'never'],
      ],
      action: `${HREF}/${id}/disable`,
      verb: 'Disable the person',
    });
  });
  pages.page(`${HREF}/:id/remove-passkeys`, 'managePeople', async ({ params }) => {
    const { id, name } = await findById(service, params.id!);
    return question({
      title: `Remove all passkeys of ${name}?`,
      back: { href: `${HREF}/${id}`, label: name },
      effect: 'The devices that have them do not sign the person in any more, and the sessions that they opened end.',
      facts: [['Passkeys', String((await listPasskeys(sql, id)).length)]],
      action: `${HREF}/${id}/remove-passkeys`,
      verb: 'Remove the passkeys',
    });
  });
  for (const { path, kind, done } of [
    { path: 'disable', kind: 'disable_operator', done: 'disabled' },
    { path: 'remove-passkeys', kind: 'remove_passkeys', done: 'passkeys' },
  ] as const) {
    pages.action(`${HREF}/:id/${path}`, 'managePeople', async (visit) => {
      const { id } = await findById(service, visit.params.id!);
      await makeChange(service, actorOf(visit), { kind, operatorId: id });
      return `${HREF}/${id}?done=${done}`;
    });
  }
}

async function findById({ database }: Pick<Service, 'database'>, id: string): Promise<Operator> {
  const operator = isId(id) ? await findOperator(database.sql, { id }) : undefined;
  if (!operator) throw refuse('notFound');
  return operator;
}
