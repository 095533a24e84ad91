// Decides which verdicts of checkers apply without a person (AUTO_DECIDE).
import type { AutoDecision } from '../../config/document-checks.ts';
import type { Verdict } from './checker.ts';

/** Whether a verdict may decide. A document is rejected as expired only if nothing else speaks against it. */
export function mayDecide(verdict: Verdict, allowed: readonly AutoDecision[]): boolean {
  if (verdict.decision === 'undecided') return false;
  if (verdict.decision === 'accepted') return allowed.includes('accept');
  if (allowed.includes('reject')) return true;
  return allowed.includes('reject-expired') && verdict.reasons.every((reason) => reason === 'ScanIdExpired');
}
