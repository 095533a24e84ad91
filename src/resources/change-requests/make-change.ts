// Makes a change of people, applications or limits, or lets it wait for a second person. All such changes of the console and of the command line
// pass through here: each is one transaction with its row of the audit log.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { refuse } from '../../core/problems.ts';
import { type Actor, writeAudit } from '../../ledger/audit/audit.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { scopesOf } from '../oauth/role-scopes.ts';
import type { Scope } from '../oauth/scope.ts';
import { takesSecondPerson } from '../operators/four-eyes.ts';
import { findOperator, lockOperators } from '../operators/operator.ts';
import { may, type Permission, type Role } from '../operators/role.ts';
import {
  changeApplicationScopes,
  createNewApplication,
  disableOneApplication,
  enableOneApplication,
  rotateApplicationSecret,
  secureOneApplication,
} from './application-changes.ts';
import type { Change, ChangeOf, Context, Definition, Done, Plan } from './change.ts';
import { findRequestByKey, listOpenRequests, storeRequest } from './change-request.ts';
import { moveMoney, setMoveLimit } from './money-changes.ts';
import {
  changePersonRoles,
  createPerson,
  disablePerson,
  enablePerson,
  linkPerson,
  removePersonPasskeys,
} from './people-changes.ts';

/** `sealer`: needed for changes that result in a secret. */
export type Tools = {
  config: Pick<Config, 'fourEyes' | 'mode' | 'webhookAllowPrivate' | 'webhookPorts'>;
  database: Database;
  links: Pick<Links, 'url'>;
  sealer?: Sealer;
};

/** What was done, or the id of the request that waits. */
type Made = (Done & { waits?: undefined }) | { waits: string };

const WAITING_MAX = 20;

const DEFINITIONS: { [Kind in Change['kind']]: Definition<Extract<Change, { kind: Kind }>> } = {
  create_operator: createPerson,
  change_roles: changePersonRoles,
  disable_operator: disablePerson,
  enable_operator: enablePerson,
  create_link: linkPerson,
  remove_passkeys: removePersonPasskeys,
  create_application: createNewApplication,
  rotate_secret: rotateApplicationSecret,
  secure_application: secureOneApplication,
  change_scopes: changeApplicationScopes,
  disable_application: disableOneApplication,
  enable_application: enableOneApplication,
  set_move_limit: setMoveLimit,
  move_money: moveMoney,
};

/** Makes a change, or stores it as a request if it takes a second person. The command line makes every change itself. */
export async function makeChange(tools: Tools, actor: Actor, wanted: Change): Promise<Made> {
  return tools.database.transaction(async (tx) => {
    await lockOperators(tx);
    const { operatorId } = actor;
    const plan = await planOf(tools, { tx, asker: operatorId }, wanted);
    const isOfTwo = await takesSecondPerson(tx, tools.config);
    if (operatorId === null) return perform(tx, actor, plan);
    const objection = await objectionTo(tx, operatorId, { wanted, plan });
    if (objection) throw refuse('forbidden', { message: objection });
    if (!isOfTwo || !plan.takesTwo) return perform(tx, actor, plan);
    return { waits: await ask(tx, { ...actor, operatorId }, { wanted, plan }) };
  });
}

/** Asks a second person for a move of money, once per key. Returns the id of the request. */
export async function askForMove(
  tools: Tools,
  actor: Actor & { operatorId: string },
  wanted: ChangeOf<'move_money'>,
): Promise<string> {
  return tools.database.transaction(async (tx) => {
    await lockOperators(tx);
    const { operatorId } = actor;
    const plan = await planOf(tools, { tx, asker: operatorId }, wanted);
    const objection = await objectionTo(tx, operatorId, { wanted, plan });
    if (objection) throw refuse('forbidden', { message: objection });
    const asked = await findRequestByKey(tx, wanted.key);
    if (asked && !(asked.askedBy === operatorId && isDeepStrictEqual(asked.wanted, wanted)))
      throw refuse('badRequest', { message: 'Open the form again.' });
    return asked?.id ?? ask(tx, actor, { wanted, plan, key: wanted.key });
  });
}

/** What a change would do, as things are now. Throws a refusal if it is not possible. */
export function planOf({ sealer, links, config }: Tools, context: Pick<Context, 'tx' | 'asker'>, wanted: Change): Promise<Plan> {
  return definitionOf(wanted).plan({ ...context, sealer, links, config }, wanted);
}

/** Why a person may not make, ask for or approve a change; undefined if they may. Their roles are read again: they may have changed. */
export async function objectionTo(
  tx: Sql,
  operatorId: string,
  { wanted, plan }: { wanted: Change; plan: Plan },
): Promise<string | undefined> {
  const person = await findOperator(tx, { id: operatorId });
  const roles: Role[] = person && !person.disabled ? person.roles : [];
  if (!may(roles, permissionOf(wanted))) return 'Your roles do not allow this. Ask an administrator.';
  const own: readonly Scope[] = scopesOf(roles);
  const missing = (plan.scopes ?? []).filter((scope) => !own.includes(scope));
  if (missing.length === 0) return undefined;
  return `This takes the scopes of the application. Your own roles lack ${missing.join(', ')}. Ask an administrator.`;
}

/** The permission to make, ask for and approve a change. */
export function permissionOf(wanted: Change): Permission {
  return definitionOf(wanted).permission;
}

/** Whether a change is performed when the one who asked collects its secret. */
export function isCollected(wanted: Change): boolean {
  return definitionOf(wanted).isSecret?.(wanted) ?? false;
}

/** Whether the ledger carries a change out after its approval. */
export function isCarriedOut(wanted: Change): boolean {
  return definitionOf(wanted).isCarriedOut ?? false;
}

/** Makes a change, and writes it to the audit log. `more`: who else had a part in it. */
export async function perform(tx: Sql, actor: Actor, plan: Plan, more: Record<string, string> = {}): Promise<Done> {
  assert(plan.perform);
  const done = await plan.perform();
  await writeAudit(tx, actor, { ...done.act, detail: { ...done.act.detail, ...more } });
  return done;
}

async function ask(
  tx: Sql,
  actor: Actor & { operatorId: string },
  { wanted, plan, key }: { wanted: Change; plan: Plan; key?: string },
): Promise<string> {
  const own = (await listOpenRequests(tx)).filter(({ askedBy }) => askedBy === actor.operatorId);
  if (own.length >= WAITING_MAX) {
    throw refuse('badRequest', { message: `You have asked for ${WAITING_MAX} changes that wait. Withdraw one of them first.` });
  }
  const { title, lines } = plan;
  const id = await storeRequest(tx, { askedBy: actor.operatorId, wanted, title, lines, ...(key && { key }) });
  await writeAudit(tx, actor, { action: 'ask_for_change', resource: { type: 'change-request', id }, detail: { change: title } });
  return id;
}

function definitionOf(wanted: Change): Definition<Change> {
  return DEFINITIONS[wanted.kind] as Definition<Change>;
}
