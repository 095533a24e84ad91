// The checker of the sandbox: the last name on the account selects the verdict, so integrators can rehearse every outcome.
import { REASONS, type Reason } from '../reason.ts';
import type { Checker } from './checker.ts';

/** Last names: `Accepted`, `Rejected`, or reasons joined by `-`, such as `ScanIdExpired-ScanDobMismatch`. Any other name is undecided. */
export const scripted: Checker = {
  name: 'scripted',
  version: '1',
  isScript: true,
  check: async ({ person }) => ({ lookedAt: ['lastName'], ...verdictOf(person.lastName) }),
};

function verdictOf(lastName: string): { decision: 'accepted' | 'undecided' } | { decision: 'rejected'; reasons: Reason[] } {
  if (lastName === 'Accepted') return { decision: 'accepted' };
  if (lastName === 'Rejected') return { decision: 'rejected', reasons: ['ScanFailedOther'] };
  const words = lastName.split('-');
  const reasons = REASONS.filter((reason) => words.includes(reason));
  return reasons.length === words.length ? { decision: 'rejected', reasons } : { decision: 'undecided' };
}
