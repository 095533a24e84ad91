// Changes of people: who they are, what they may do, and how they sign in.
import assert from 'node:assert/strict';
import { isId } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { noteSponsor } from '../operators/four-eyes.ts';
import { createLink, LINK_MINUTES } from '../operators/link.ts';
import {
  changeRoles,
  cleanName,
  countAdmins,
  createOperator,
  disableOperator,
  enableOperator,
  findOperator,
  hasEntered,
  isReserved,
  NAME_LENGTH,
  type Operator,
} from '../operators/operator.ts';
import { listPasskeys, removePasskeys } from '../operators/passkey.ts';
import { ROLE_ABOUT, type Role } from '../operators/role.ts';
import type { ChangeOf, Context, Definition } from './change.ts';

/** Roles that the consent of two people rests on. */
const OF_TWO: readonly Role[] = ['admin', 'reviewer'];
const isOfTwo = (role: Role) => OF_TWO.includes(role);

export const createPerson: Definition<ChangeOf<'create_operator'>> = {
  permission: 'managePeople',
  async plan({ tx, asker }, { name: given, roles }) {
    const name = cleanName(given);
    if (name === '' || name.length > NAME_LENGTH) {
      throw refuse('badRequest', { message: `A name has 1 to ${NAME_LENGTH} characters.` });
    }
    if (isReserved(name))
      throw refuse('badRequest', { message: 'The audit log has this name for what is no person: choose another.' });
    if (await findOperator(tx, { name })) throw refuse('badRequest', { message: `Somebody has this name already: ${name}.` });
    return {
      title: `Add ${name}`,
      lines: [
        ['New person', name],
        ['Roles', wordsOf(roles)],
      ],
      takesTwo: roles.some(isOfTwo),
      async perform() {
        const { id } = (await createOperator(tx, { name, roles }))!;
        await noteSponsor(tx, id, asker);
        return { id, act: { action: 'create_operator', resource: resourceOf(id), detail: { name, roles } } };
      },
    };
  },
};

export const changePersonRoles: Definition<ChangeOf<'change_roles'>> = {
  permission: 'managePeople',
  async plan(context, { operatorId, roles }) {
    const { tx } = context;
    const { id, name, roles: before } = await requirePerson(context, operatorId);
    return {
      title: `Change the roles of ${name}`,
      lines: [
        ['Person', name],
        ['Roles now', wordsOf(before)],
        ['Roles afterwards', wordsOf(roles)],
      ],
      takesTwo: roles.some((role) => isOfTwo(role) && !before.includes(role)),
      async perform() {
        await changeRoles(tx, id, roles);
        await requireAdminLeft(context, before);
        return { id, act: { action: 'change_roles', resource: resourceOf(id), detail: { before, after: roles } } };
      },
    };
  },
};

export const disablePerson: Definition<ChangeOf<'disable_operator'>> = {
  permission: 'managePeople',
  async plan(context, { operatorId }) {
    const { id, name, roles } = await requirePerson(context, operatorId);
    return {
      title: `Disable ${name}`,
      lines: [['Person', name]],
      takesTwo: false,
      async perform() {
        await disableOperator(context.tx, id);
        await requireAdminLeft(context, roles);
        return { id, act: { action: 'disable_operator', resource: resourceOf(id) } };
      },
    };
  },
};

export const enablePerson: Definition<ChangeOf<'enable_operator'>> = {
  permission: 'managePeople',
  async plan(context, { operatorId }) {
    const { id, name, roles, disabled } = await requirePerson(context, operatorId);
    return {
      title: `Enable ${name}`,
      lines: [
        ['Person', name],
        ['Roles', wordsOf(roles)],
      ],
      takesTwo: disabled !== null && roles.some(isOfTwo),
      async perform() {
        await enableOperator(context.tx, id);
        return { id, act: { action: 'enable_operator', resource: resourceOf(id) } };
      },
    };
  },
};

/** The first link of a person takes nobody else. A later one replaces the passkeys: whoever has it is that person from then on. */
export const linkPerson: Definition<ChangeOf<'create_link'>> = {
  permission: 'managePeople',
  isSecret: () => true,
  async plan(context, { operatorId }) {
    const { tx, asker, sealer, links } = context;
    const { id, name, roles, disabled, issuer } = await requirePerson(context, operatorId);
    if (disabled) throw refuse('badRequest', { message: `${name} is disabled. Enable them first.` });
    if (issuer) throw refuse('badRequest', { message: `${name} signs in with the identity provider ${issuer}, not by a link.` });
    const passkeys = (await listPasskeys(tx, id)).length;
    return {
      title: `Make a sign-in link for ${name}`,
      lines: [
        ['Person', name],
        ['Roles', wordsOf(roles)],
        ['Link', `Signs in as ${name} once within ${LINK_MINUTES} minutes, and is shown to the one who asks`],
        ['Passkeys', passkeys === 0 ? 'None' : `${passkeys} removed, and the sessions that they opened end`],
      ],
      takesTwo: await hasEntered(tx, id),
      async perform() {
        assert(sealer);
        const removed = await removePasskeys(tx, id);
        await noteSponsor(tx, id, asker);
        const link = links.url(await createLink(tx, sealer, id));
        const detail = removed > 0 ? { removedPasskeys: removed } : {};
        return { id, act: { action: 'create_link', resource: resourceOf(id), detail }, shown: { link } };
      },
    };
  },
};

export const removePersonPasskeys: Definition<ChangeOf<'remove_passkeys'>> = {
  permission: 'managePeople',
  async plan(context, { operatorId }) {
    const { id, name } = await requirePerson(context, operatorId);
    return {
      title: `Remove the passkeys of ${name}`,
      lines: [['Person', name]],
      takesTwo: false,
      async perform() {
        const removed = await removePasskeys(context.tx, id);
        return { id, act: { action: 'remove_passkeys', resource: resourceOf(id), detail: { removedPasskeys: removed } } };
      },
    };
  },
};

async function requirePerson({ tx }: Context, id: string): Promise<Operator> {
  const operator = isId(id) ? await findOperator(tx, { id }) : undefined;
  if (!operator) throw refuse('notFound');
  return operator;
}

/** Without an administrator only the command line, which may remove the last one, could let anybody in again. */
async function requireAdminLeft({ tx, asker }: Context, before: readonly Role[]): Promise<void> {
  if (asker !== null && before.includes('admin') && (await countAdmins(tx)) === 0) {
    throw refuse('badRequest', { message: 'This is the last administrator. Make somebody else one first.' });
  }
}

function wordsOf(roles: readonly Role[]): string {
  return roles.map((role) => `${role} (${ROLE_ABOUT[role]})`).join('; ') || 'none';
}

function resourceOf(id: string) {
  return { type: 'operator', id };
}
