// The scripted checker of the sandbox: decides by the last name on the account, so that integrators can rehearse every outcome.
import { REASONS, type Reason } from '../reason.ts';
import type { Checker } from './checker.ts';

/** `Accepted`; `Rejected`; or reasons joined by `-`, such as `ScanIdExpired-ScanDobMismatch`. Any other name is left to people. */
export const scripted: Checker = {
  name: 'scripted',
  version: '1',
  check: async ({ person }) => ({ lookedAt: ['lastName'], ...verdictOf(person.lastName) }),
};

function verdictOf(lastName: string): { decision: 'accepted' | 'undecided' } | { decision: 'rejected'; reasons: Reason[] } {
  if (lastName === 'Accepted') return { decision: 'accepted' };
  if (lastName === 'Rejected') return { decision: 'rejected', reasons: ['ScanFailedOther'] };
  const words = lastName.split('-');
  const reasons = REASONS.filter((reason) => words.includes(reason));
  return reasons.length === words.length ? { decision: 'rejected', reasons } : { decision: 'undecided' };
}
