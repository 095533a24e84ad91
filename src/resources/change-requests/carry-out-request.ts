// Carries out an approved move of money. The approval is stored before, and what became of it afterwards: a process that dies between leaves
// an approved request, which is carried out once, whoever tries it again.
import { isId } from '../../core/ids.ts';
import { problems, Refusal, refuse } from '../../core/problems.ts';
import { type Act, type Actor, writeAudit } from '../../ledger/audit/audit.ts';
import { findCustomer } from '../customers/customer.ts';
import { carryOut, findMade, type MoveTools } from '../moves/carry-out.ts';
import { actOf } from '../moves/move.ts';
import { recordOnce } from './bank-line.ts';
import { type ChangeRequest, findRequest, noteCarriedOut } from './change-request.ts';
import { ENDS } from './decide-request.ts';

const SERVER_ERROR = 500;
const BUSY = 429;

/**
 * Returns the request afterwards: `done`, or `failed` with the refusal of the ledger, which ends it. Throws what leaves the outcome open, such
 * as a full queue; then the request stays approved.
 */
export async function carryOutRequest(tools: MoveTools, actor: Actor, id: string): Promise<ChangeRequest> {
  const { sql } = tools.database;
  const request = isId(id) ? await findRequest(sql, id) : undefined;
  if (request?.wanted.kind !== 'move_money') throw refuse('notFound');
  const { wanted, state, decider } = request;
  if (decider === null || !(state === 'approved' || state === 'expired')) throw refuse('badRequest', { message: ENDS[state]! });
  const customer = await findCustomer(sql, wanted.customerId);
  if (!customer) return end(tools, actor, request, { refusal: 'The customer does not exist any more.' });
  const keyed = { move: wanted.move, key: wanted.key };
  try {
    const made =
      (await findMade(tools, customer, keyed)) ??
      (state === 'approved'
        ? await recordOnce(tools, customer.accountId, keyed, () => carryOut(tools, customer, keyed))
        : undefined);
    if (!made) throw refuse('badRequest', { message: ENDS.expired! });
    return await end(tools, actor, request, { result: made.id });
  } catch (error) {
    if (state !== 'approved' || !(error instanceof Refusal) || !isFinal(error)) throw error;
    return end(tools, actor, request, { refusal: error.message });
  }
}

function isFinal({ problem }: Refusal): boolean {
  const { status } = problems[problem];
  return status < SERVER_ERROR && status !== BUSY;
}

type Outcome = { result: string } | { refusal: string };

/** Notes the outcome once; whoever comes second finds that of the first. */
async function end({ database }: MoveTools, actor: Actor, request: ChangeRequest, outcome: Outcome): Promise<ChangeRequest> {
  const { id } = request;
  return database.transaction(async (tx) => {
    if (await noteCarriedOut(tx, id, outcome)) await writeAudit(tx, actor, entryOf(request, outcome));
    return (await findRequest(tx, id))!;
  });
}

function entryOf({ id, wanted, title, asker, decider }: ChangeRequest, outcome: Outcome): Act {
  const more = { request: id, askedBy: asker, approvedBy: decider! };
  if (wanted.kind !== 'move_money') throw new Error('only moves are carried out');
  if ('result' in outcome) return actOf(wanted.move, outcome.result, more);
  const resource = { type: 'change-request', id };
  return { action: 'fail_change', resource, detail: { change: title, refusal: outcome.refusal, ...more } };
}
