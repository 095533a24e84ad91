// The checker of the sandbox: the last name on the account selects the verdict, so integrators can rehearse every outcome.
import { HINTS } from '../../../../packages/document-reader/src/reading.ts';
import { type Evidence, LEVELS, type Level, type Part } from '../evidence/evidence.ts';
import { showHint } from '../evidence/picture-evidence.ts';
import { REASONS, type Reason } from '../reason.ts';
import type { Checker, Submitted, Verdict } from './checker.ts';

/**
 * Last names: `Accepted`, `Rejected`, or reasons joined by `-`, such as `ScanIdExpired-ScanDobMismatch`. `EvidenceText` and the other
 * levels give a document that matches the record with that evidence; `HintScreen`, `HintGreyCopy` and `HintEditor` the same as
 * `EvidenceDocument` with that hint. Any other name is undecided.
 */
export const scripted: Checker = {
  name: 'scripted',
  version: '3',
  isScript: true,
  readsChips: true,
  check: async (submitted) => ({ lookedAt: ['lastName'], ...verdictOf(submitted) }),
};

/** A verdict with evidence that has no result of a reading. */
type Scripted = { decision: 'accepted' | 'undecided' } | { decision: 'rejected'; reasons: Reason[] };

function verdictOf({ person: { lastName }, document: { source } }: Submitted): Omit<Verdict, 'lookedAt'> & Scripted {
  if (lastName === 'Accepted') return { decision: 'accepted', evidence: rehearsed(source === 'chip' ? 'chip' : 'document') };
  if (lastName === 'Rejected') return { decision: 'rejected', reasons: ['ScanFailedOther'], evidence: rehearsed('text') };
  const level = LEVELS.find((name) => lastName.toLowerCase() === `evidence${name}`);
  if (level) return { decision: 'accepted', evidence: rehearsed(level), byPolicy: true };
  const hint = HINTS.find((name) => lastName.toLowerCase() === `hint${name}`.toLowerCase());
  if (hint) return { decision: 'accepted', evidence: { ...rehearsed('document'), hints: [showHint(hint)] }, byPolicy: true };
  const words = lastName.split('-');
  const reasons = REASONS.filter((reason) => words.includes(reason));
  return reasons.length === words.length
    ? { decision: 'rejected', reasons, evidence: rehearsed('text') }
    : { decision: 'undecided' };
}

function rehearsed(level: Level): Evidence {
  const part: Part = { name: 'data', result: level === 'none' ? 'unknown' : 'holds', text: 'Rehearsed by the last name.' };
  return { level, parts: [part] };
}
