// Decides what the verdicts of checkers settle without a person (AUTO_DECIDE).
import type { AutoDecision } from '../../../platform/config/document-checks.ts';
import type { Judgement } from '../decide.ts';
import { byPrecedence } from '../reason.ts';
import type { Verdict } from './checker.ts';

type Vote = { verdict: Verdict; isScript: boolean };

/** Returns the decision of a script; else that of all checkers, if they agree and AUTO_DECIDE allows it. Undefined: a person decides. */
export function agree(votes: readonly Vote[], allowed: readonly AutoDecision[]): Judgement | undefined {
  const scripted = votes.find(({ isScript, verdict }) => isScript && verdict.decision !== 'undecided');
  const verdicts = (scripted ? [scripted] : votes.filter(({ isScript }) => !isScript)).map(({ verdict }) => verdict);
  const [first, ...others] = verdicts;
  if (!first || first.decision === 'undecided' || others.some(({ decision }) => decision !== first.decision)) return undefined;
  const reasons = byPrecedence(verdicts.flatMap((verdict) => (verdict.decision === 'rejected' ? verdict.reasons : [])));
  const judgement: Judgement = { decision: first.decision, reasons };
  return scripted || mayDecide(judgement, allowed) ? judgement : undefined;
}

/** A document is rejected as expired only if nothing else speaks against it. */
function mayDecide({ decision, reasons = [] }: Judgement, allowed: readonly AutoDecision[]): boolean {
  if (decision === 'accepted') return allowed.includes('accept');
  if (allowed.includes('reject')) return true;
  return allowed.includes('reject-expired') && reasons.every((reason) => reason === 'ScanIdExpired');
}
