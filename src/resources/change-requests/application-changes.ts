// Changes of applications: their scopes, secrets, keys and state.
import assert from 'node:assert/strict';
import { isId } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { findAccount } from '../accounts/account.ts';
import {
  type ApplicationReport,
  changeScopes,
  createApplication,
  createWithoutSecret,
  disableApplication,
  enableApplication,
  noteMaker,
  reportApplications,
  rotateSecret,
} from '../oauth/application.ts';
import { changeTerms } from '../oauth/application-key.ts';
import { SCOPE_ABOUT, takesTwo } from '../oauth/role-scopes.ts';
import type { Scope } from '../oauth/scope.ts';
import { checkTerms, linesOf, lostLines, requireWay, resolveTerms, takesAway } from './application-terms.ts';
import type { ChangeOf, Context, Definition, Line } from './change.ts';

const NAME_MAX = 255;
/** Characters that are not shown, or change the order of others: a second person reads the name. */
const INVISIBLE = /[\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u;
const GIVEN = 'Shown once, to the one who asks. What the application decides counts as theirs';
const HOUR_MS = 3_600_000;

export const createNewApplication: Definition<ChangeOf<'create_application'>> = {
  permission: 'manageApplications',
  isSecret: ({ terms }) => terms === undefined,
  async plan({ tx, asker, sealer, config }, { accountId, name: given, scopes, terms }) {
    const name = given.trim();
    if (name === '' || [...name].length > NAME_MAX || INVISIBLE.test(name)) {
      throw refuse('badRequest', { message: `A name has 1 to ${NAME_MAX} visible characters.` });
    }
    if (scopes.length === 0) throw refuse('badRequest', { message: 'Choose at least one scope.' });
    const account = isId(accountId) ? await findAccount(tx, accountId) : undefined;
    if (!account) throw refuse('badRequest', { message: 'Choose an account.' });
    if (terms) checkTerms(config, terms);
    return {
      title: `Create the application ${name}`,
      lines: [
        ['New application', name],
        ['Account', `${account.name} (${account.id})`],
        ['Scopes', wordsOf(scopes)],
        ...(terms ? linesOf(terms) : [['Secret', GIVEN] satisfies Line]),
      ],
      takesTwo: takesTwo(scopes),
      scopes,
      async perform() {
        const wanted = { accountId, name, scopes, maker: asker };
        const detail = { name, scopes, account: accountId };
        if (terms) {
          const id = await createWithoutSecret(tx, wanted);
          await changeTerms(tx, id, terms);
          return { id, act: { action: 'create_application', resource: resourceOf(id), detail: { ...detail, terms } } };
        }
        assert(sealer);
        const { client_id: id, client_secret } = await createApplication(tx, sealer, wanted);
        return { id, act: { action: 'create_application', resource: resourceOf(id), detail }, shown: { secret: client_secret } };
      },
    };
  },
};

export const rotateApplicationSecret: Definition<ChangeOf<'rotate_secret'>> = {
  permission: 'manageApplications',
  isSecret: () => true,
  async plan(context, { applicationId, overlapHours }) {
    const { tx, asker, sealer } = context;
    const { id, name, scopes } = await requireApplication(context, applicationId);
    return {
      title: `Make a new secret of ${name}`,
      lines: [
        ['Application', name],
        ['Scopes', wordsOf(scopes)],
        ['Present secret', overlapHours === 0 ? 'Refused at once' : `Works for ${overlapHours} hours more`],
        ['New secret', GIVEN],
      ],
      takesTwo: takesTwo(scopes),
      scopes,
      async perform() {
        assert(sealer);
        const secret = (await rotateSecret(tx, sealer, id, { overlapMs: overlapHours * HOUR_MS, maker: asker }))!;
        return { id, act: { action: 'rotate_secret', resource: resourceOf(id), detail: { overlapHours } }, shown: { secret } };
      },
    };
  },
};

export const secureOneApplication: Definition<ChangeOf<'secure_application'>> = {
  permission: 'manageApplications',
  async plan(context, { applicationId, terms: wanted }) {
    const { tx, asker, config } = context;
    const report = await requireApplication(context, applicationId);
    const { id, name, scopes } = report;
    const terms = resolveTerms(report, wanted);
    checkTerms(config, terms);
    requireWay(report, terms);
    const isTaken = takesAway(wanted);
    const isGiven = !isTaken && Boolean(terms.keys ?? terms.jwksUri ?? terms.trust);
    return {
      title: `Change how ${name} authenticates`,
      lines: [['Application', name], ['Scopes', wordsOf(scopes)], ...linesOf(terms), ...lostLines(report, terms)],
      takesTwo: !isTaken && takesTwo(scopes),
      ...(!isTaken && { scopes }),
      async perform() {
        await changeTerms(tx, id, terms);
        if (isGiven) await noteMaker(tx, id, asker);
        return { id, act: { action: 'secure_application', resource: resourceOf(id), detail: { ...terms } } };
      },
    };
  },
};

/** Taking scopes away takes nobody else. */
export const changeApplicationScopes: Definition<ChangeOf<'change_scopes'>> = {
  permission: 'manageApplications',
  async plan(context, { applicationId, scopes }) {
    const { id, name, scopes: before } = await requireApplication(context, applicationId);
    const gets = scopes.filter((scope) => !before.includes(scope));
    const loses = before.filter((scope) => !scopes.includes(scope));
    if (scopes.length === 0) throw refuse('badRequest', { message: 'Choose at least one scope.' });
    if (gets.length + loses.length === 0) throw refuse('badRequest', { message: 'The application has these scopes already.' });
    return {
      title: `Change the scopes of ${name}`,
      lines: [
        ['Application', name],
        ['Gets', wordsOf(gets) || 'nothing'],
        ['Loses', wordsOf(loses) || 'nothing'],
      ],
      takesTwo: takesTwo(gets),
      scopes: gets,
      async perform() {
        await changeScopes(context.tx, id, scopes);
        return { id, act: { action: 'change_scopes', resource: resourceOf(id), detail: { gets, loses } } };
      },
    };
  },
};

export const disableOneApplication: Definition<ChangeOf<'disable_application'>> = {
  permission: 'manageApplications',
  async plan(context, { applicationId }) {
    const { id, name } = await requireApplication(context, applicationId);
    return {
      title: `Disable ${name}`,
      lines: [['Application', name]],
      takesTwo: false,
      async perform() {
        await disableApplication(context.tx, id);
        return { id, act: { action: 'disable_application', resource: resourceOf(id) } };
      },
    };
  },
};

export const enableOneApplication: Definition<ChangeOf<'enable_application'>> = {
  permission: 'manageApplications',
  async plan(context, { applicationId }) {
    const { id, name, scopes, disabled } = await requireApplication(context, applicationId);
    return {
      title: `Enable ${name}`,
      lines: [
        ['Application', name],
        ['Scopes', wordsOf(scopes)],
      ],
      takesTwo: disabled && takesTwo(scopes),
      scopes,
      async perform() {
        await enableApplication(context.tx, id);
        return { id, act: { action: 'enable_application', resource: resourceOf(id) } };
      },
    };
  },
};

async function requireApplication({ tx }: Context, id: string): Promise<ApplicationReport> {
  const [report] = isId(id) ? await reportApplications(tx, { id }) : [];
  if (!report) throw refuse('notFound');
  return report;
}

function wordsOf(scopes: readonly Scope[]): string {
  return scopes.map((scope) => `${scope} (${SCOPE_ABOUT[scope]})`).join('; ');
}

function resourceOf(id: string) {
  return { type: 'application', id };
}
