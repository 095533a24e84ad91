// Decides what the verdicts of checkers settle without a person, by the policy of the account.
import type { Sealer } from '../../../platform/keys/sealing.ts';
import type { Judgement } from '../decide.ts';
import { type Level, reaches } from '../evidence/evidence.ts';
import type { Policy } from '../policy/policy.ts';
import { byPrecedence } from '../reason.ts';
import type { Verdict } from './checker.ts';

type Vote = { verdict: Verdict; isScript: boolean };

/** `isByPolicy`: not the decision of a script. */
type Agreed = { judgement: Judgement; isByPolicy: boolean };

/**
 * Returns the decision of a script; else that of all checkers, if they agree and the policy allows it at this level of evidence.
 * Undefined: a person decides.
 */
export function agree(votes: readonly Vote[], policy: Policy, level: Level): Agreed | undefined {
  const scripted = votes.find(({ isScript, verdict }) => isScript && verdict.decision !== 'undecided');
  const verdicts = (scripted ? [scripted] : votes.filter(({ isScript }) => !isScript)).map(({ verdict }) => verdict);
  const [first, ...others] = verdicts;
  if (!first || first.decision === 'undecided' || others.some(({ decision }) => decision !== first.decision)) return undefined;
  const reasons = byPrecedence(verdicts.flatMap((verdict) => (verdict.decision === 'rejected' ? verdict.reasons : [])));
  const judgement: Judgement = { decision: first.decision, reasons };
  const isByPolicy = scripted === undefined || scripted.verdict.byPolicy === true;
  return !isByPolicy || mayDecide(judgement, policy, level) ? { judgement, isByPolicy } : undefined;
}

/** A document is rejected as expired only if nothing else speaks against it. */
function mayDecide({ decision, reasons = [] }: Judgement, { accept, reject }: Policy, level: Level): boolean {
  if (decision === 'accepted') return accept !== 'never' && reaches(level, accept);
  const isExpired = reasons.every((reason) => reason === 'ScanIdExpired');
  return isExpired ? reject.includes('expired') : reject.includes('mismatch');
}

/** Whether the sample of a policy sends a document to a person. The sender, who knows neither key nor id before, cannot choose. */
export function isSampled(sealer: Pick<Sealer, 'mac'>, { sample }: Policy, documentId: string): boolean {
  const { hash } = sealer.mac('document sample', documentId);
  return hash.readUInt32BE(0) % 10_000 < sample * 100;
}
