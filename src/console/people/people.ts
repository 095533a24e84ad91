// People: who may use the console, with which roles.
import { isId } from '../../ids.ts';
import { createLink, LINK_MINUTES } from '../../operators/link.ts';
import {
  changeRoles,
  countAdmins,
  createOperator,
  disableOperator,
  enableOperator,
  findOperator,
  listOperators,
  NAME_LENGTH,
  type Operator,
  type OperatorReport,
} from '../../operators/operator.ts';
import { ROLES, type Role } from '../../operators/role.ts';
import { html } from '../../pages/html.ts';
import { card, icon, pageHeader, table, time } from '../../pages/parts.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import { question, shownOnce } from '../question.ts';
import type { Pages, Screen, Visit } from '../screen.ts';
import { newPersonForm, personForms, statusBadge } from './person-forms.ts';

const HREF = '/console/people';

export const people: Screen = {
  href: HREF,
  label: 'People',
  icon: 'users',
  group: 'Access',
  permission: 'managePeople',
  done: {
    roles: 'The roles are changed. The person signs in again.',
    disabled: 'The person is disabled and signed out everywhere.',
    enabled: 'The person may sign in again.',
  },
  add(pages, service) {
    addList(pages, service);
    addCreate(pages, service);
    addPerson(pages, service);
    addChanges(pages, service);
  },
};

function addList(pages: Pages, { database }: Service): void {
  pages.page(HREF, 'managePeople', async () => {
    const operators = await listOperators(database.sql);
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
      ${card({ title: `${operators.length} ${operators.length === 1 ? 'person' : 'people'}`, isBare: true }, table({ caption: 'People', columns, rows }))}`,
    };
  });
}

function meansOf({ issuer, passkeys }: OperatorReport): string {
  if (issuer) return 'OpenID Connect';
  return passkeys === 0 ? 'one-time link' : passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`;
}

function addCreate(pages: Pages, { database }: Service): void {
  pages.page(`${HREF}/new`, 'managePeople', async () => ({
    title: 'Add a person',
    main: html`${pageHeader({ title: 'Add a person', back: { href: HREF, label: 'People' } })}
      <div class="narrow">${newPersonForm()}</div>`,
  }));
  const create = async ({ audit }: Visit, form: URLSearchParams) => {
    const name = (form.get('name') ?? '').trim();
    if (name === '' || name.length > NAME_LENGTH) {
      throw refuse('badRequest', { message: `A name has 1 to ${NAME_LENGTH} characters.` });
    }
    const roles = rolesIn(form);
    const created = await createOperator(database.sql, { name, roles });
    if (!created) throw refuse('badRequest', { message: 'Somebody has this name already.' });
    await audit({ action: 'create_operator', resource: { type: 'operator', id: created.id }, detail: { name, roles } });
    return `${HREF}/${created.id}`;
  };
  pages.action(HREF, 'managePeople', create, { from: `${HREF}/new` });
}

function addPerson(pages: Pages, service: Service): void {
  const { database, sealer, links } = service;
  pages.page(`${HREF}/:id`, 'managePeople', async ({ params, person }) => {
    const operator = await findById(service, params.id!);
    return {
      title: operator.name,
      main: html`${pageHeader({ title: operator.name, lead: statusBadge(operator), back: { href: HREF, label: 'People' } })}
        <div class="narrow">${personForms(operator, operator.id === person.id)}</div>`,
    };
  });
  pages.action(`${HREF}/:id/link`, 'managePeople', async ({ params, audit }) => {
    const { id, disabled } = await findById(service, params.id!);
    if (disabled) throw refuse('badRequest', { message: 'The person is disabled. Enable them first.' });
    const path = await database.transaction(async (tx) => createLink(tx, sealer, id));
    await audit({ action: 'create_link', resource: { type: 'operator', id } });
    return { to: `${HREF}/${id}/link`, shown: { link: links.url(path) } };
  });
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

function addChanges(pages: Pages, service: Service): void {
  const { database } = service;
  pages.action(`${HREF}/:id/roles`, 'managePeople', async ({ params, audit }, form) => {
    const operator = await findById(service, params.id!);
    const roles = rolesIn(form);
    if (!roles.includes('admin')) await requireOtherAdmin(service, operator);
    const detail = { before: operator.roles, after: roles };
    await database.transaction(async (tx) => {
      await changeRoles(tx, operator.id, roles);
      await audit({ action: 'change_roles', resource: { type: 'operator', id: operator.id }, detail }, tx);
    });
    return `${HREF}/${operator.id}?done=roles`;
  });
  pages.page(`${HREF}/:id/disable`, 'managePeople', async ({ params }) => {
    const { id, name, roles } = await findById(service, params.id!);
    const lastSignIn = (await listOperators(database.sql)).find((person) => person.id === id)?.lastSignIn;
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
  pages.action(`${HREF}/:id/disable`, 'managePeople', async ({ params, audit }) => {
    const operator = await findById(service, params.id!);
    await requireOtherAdmin(service, operator);
    await database.transaction(async (tx) => {
      await disableOperator(tx, operator.id);
      await audit({ action: 'disable_operator', resource: { type: 'operator', id: operator.id } }, tx);
    });
    return `${HREF}/${operator.id}?done=disabled`;
  });
  pages.action(`${HREF}/:id/enable`, 'managePeople', async ({ params, audit }) => {
    const operator = await findById(service, params.id!);
    await enableOperator(database.sql, operator.id);
    await audit({ action: 'enable_operator', resource: { type: 'operator', id: operator.id } });
    return `${HREF}/${operator.id}?done=enabled`;
  });
}

async function findById({ database }: Pick<Service, 'database'>, id: string): Promise<Operator> {
  const operator = isId(id) ? await findOperator(database.sql, { id }) : undefined;
  if (!operator) throw refuse('notFound');
  return operator;
}

/** Without an administrator only the command line could let anybody in again. */
async function requireOtherAdmin({ database }: Pick<Service, 'database'>, operator: Operator): Promise<void> {
  const isAdmin = operator.disabled === null && operator.roles.includes('admin');
  if (isAdmin && (await countAdmins(database.sql)) === 1) {
    throw refuse('badRequest', { message: 'This is the last administrator. Make somebody else one first.' });
  }
}

function rolesIn(form: URLSearchParams): Role[] {
  const given = form.getAll('role');
  return ROLES.filter((role) => given.includes(role));
}
