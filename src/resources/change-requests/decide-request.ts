// Decides on change requests: a second person approves or refuses, the one who asked withdraws, or collects the secret once.
import { isId } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { type Actor, writeAudit } from '../../ledger/audit/audit.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listSamePerson, SPONSOR_DAYS } from '../operators/four-eyes.ts';
import { lockOperators } from '../operators/operator.ts';
import type { Done, Plan } from './change.ts';
import { type ChangeRequest, type Decision, findRequest, noteDecision, notePerformed } from './change-request.ts';
import { isCarriedOut, isCollected, objectionTo, perform, planOf, type Tools } from './make-change.ts';

type Person = Actor & { operatorId: string };

/** Why nothing can be decided in a state. */
export const ENDS: Partial<Record<ChangeRequest['state'], string>> = {
  done: 'The change has been made already.',
  failed: 'The ledger refused the change.',
  refused: 'The change was refused.',
  withdrawn: 'The change was withdrawn.',
  expired: 'The request has expired. Ask again.',
  approved: 'The change is approved already.',
  waits: 'The change is not approved yet.',
};

/**
 * Approves a change, which is performed in the same transaction; one with a secret when the one who asked collects that, and a move of money
 * by `carryOutRequest`. The command line may approve any change. Refuses when it would not do any more what was asked for.
 */
export async function approveRequest(tools: Tools, actor: Actor, id: string): Promise<ChangeRequest> {
  return tools.database.transaction(async (tx) => {
    await lockOperators(tx);
    const request = await requireState(tx, id, ['waits']);
    const plan = await planAgain(tools, tx, request);
    const objection = actor.operatorId && (await objectionToApproval(tx, actor.operatorId, { request, plan }));
    if (objection) throw refuse('forbidden', { message: objection });
    await note(tx, actor, { request, decision: 'approved' });
    if (!isCollected(request.wanted) && !isCarriedOut(request.wanted)) {
      await perform(tx, actor, plan, { request: id, askedBy: request.asker });
      await notePerformed(tx, id);
    }
    return (await findRequest(tx, id))!;
  });
}

/** Refuses a change, also an approved one whose secret is not collected yet. Money may have moved by an approval. */
export async function refuseRequest(tools: Tools, actor: Actor, id: string): Promise<void> {
  await tools.database.transaction(async (tx) => {
    await lockOperators(tx);
    const request = await requireOpen(tx, id);
    if (request.askedBy === actor.operatorId) throw refuse('forbidden', { message: 'You asked for it: withdraw it instead.' });
    await note(tx, actor, { request, decision: 'refused' });
  });
}

export async function withdrawRequest(tools: Tools, actor: Person, id: string): Promise<void> {
  await tools.database.transaction(async (tx) => {
    await lockOperators(tx);
    const request = await requireOpen(tx, id);
    requireOwn(request, actor);
    await note(tx, actor, { request, decision: 'withdrawn' });
  });
}

/** Performs an approved change whose secret only the one who asked gets: it does not exist before. */
export async function collectRequest(tools: Tools, actor: Person, id: string): Promise<Done & Pick<ChangeRequest, 'wanted'>> {
  return tools.database.transaction(async (tx) => {
    await lockOperators(tx);
    const request = await requireState(tx, id, ['approved']);
    requireOwn(request, actor);
    if (isCarriedOut(request.wanted)) throw refuse('badRequest', { message: 'There is nothing to collect.' });
    const plan = await planAgain(tools, tx, request);
    const done = await perform(tx, actor, plan, { request: id, approvedBy: request.decider! });
    await notePerformed(tx, id);
    return { ...done, wanted: request.wanted };
  });
}

/** Why a person may not approve a request; undefined if they may. */
export async function objectionToApproval(
  tx: Sql,
  operatorId: string,
  { request, plan }: { request: ChangeRequest; plan: Plan },
): Promise<string | undefined> {
  const { askedBy, asker, wanted } = request;
  if (askedBy === operatorId) return 'Somebody else has to approve what you ask for.';
  const objection = await objectionTo(tx, operatorId, { wanted, plan });
  if (objection) return objection;
  if (!(await listSamePerson(tx, askedBy)).includes(operatorId)) return undefined;
  return `You and ${asker} count as one person: in the last ${SPONSOR_DAYS} days one of you added the other or made them a sign-in link, or a third person did so for both. Somebody else has to approve this.`;
}

/** What the change would do now, for the one who asked: that must be what people read when it was asked for. */
export async function planAgain(tools: Tools, tx: Sql, { askedBy, wanted, title, lines }: ChangeRequest): Promise<Plan> {
  const plan = await planOf(tools, { tx, asker: askedBy }, wanted);
  if (await objectionTo(tx, askedBy, { wanted, plan })) {
    throw refuse('badRequest', { message: 'The roles of the person who asked do not allow this any more.' });
  }
  if (plan.title !== title || JSON.stringify(plan.lines) !== JSON.stringify(lines)) {
    throw refuse('badRequest', { message: 'What this would change is not as it was when it was asked for. Ask again.' });
  }
  return plan;
}

async function requireOpen(tx: Sql, id: string): Promise<ChangeRequest> {
  const request = await requireState(tx, id, ['waits', 'approved']);
  if (request.state === 'approved' && isCarriedOut(request.wanted)) throw refuse('badRequest', { message: ENDS.approved! });
  return request;
}

async function requireState(tx: Sql, id: string, states: ChangeRequest['state'][]): Promise<ChangeRequest> {
  const request = isId(id) ? await findRequest(tx, id) : undefined;
  if (!request) throw refuse('notFound');
  if (!states.includes(request.state)) throw refuse('badRequest', { message: ENDS[request.state]! });
  return request;
}

function requireOwn({ askedBy, asker }: ChangeRequest, actor: Person): void {
  if (askedBy !== actor.operatorId) throw refuse('forbidden', { message: `Only ${asker}, who asked, can do this.` });
}

const ACTIONS = { approved: 'approve_change', refused: 'refuse_change', withdrawn: 'withdraw_change' } as const;

async function note(tx: Sql, actor: Actor, { request, decision }: { request: ChangeRequest; decision: Decision }): Promise<void> {
  const { id, title, asker } = request;
  await noteDecision(tx, id, { decision, by: actor.operatorId, name: actor.name });
  const resource = { type: 'change-request', id };
  await writeAudit(tx, actor, { action: ACTIONS[decision], resource, detail: { change: title, askedBy: asker } });
}
