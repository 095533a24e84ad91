// The interface of automatic document checkers: input and verdict.
import type { ChipFiles } from '../chip/chip-files.ts';
import type { PersonOnRecord } from '../comparison/compare.ts';
import type { Document } from '../document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Reason } from '../reason.ts';
import type { Person } from '../subject.ts';
import type { CheckResult } from './result.ts';

export type Checker = {
  name: string;
  version: string;
  /** Whether its verdicts apply without AUTO_DECIDE. */
  isScript?: true;
  check(submitted: Submitted): Promise<Verdict>;
  /** Whether it checks chips as well as pictures. */
  readsChips?: true;
  /** Ends checks in progress. */
  close?(): void;
};

export type Submitted = {
  document: Document;
  person: Person;
  /** The date of the account's clock, YYYY-MM-DD. */
  today: string;
  /** Opens the sealed record of the person. */
  record(): Promise<PersonOnRecord | undefined>;
  /** Returns the clean copy; undefined once erased. Each call writes an audit record. */
  copy(): Promise<Buffer | undefined>;
  /** Returns the file of a picture as it was sent. Like `copy`. Only a confined process may open it. */
  original(): Promise<Buffer | undefined>;
  /** Returns the files of a chip. Like `copy`. */
  chip(): Promise<ChipFiles | undefined>;
};

/**
 * `lookedAt` names the data the verdict is based on. `result` is stored sealed for the reviewer. `isUnfinished`: the check did not come
 * to its end, so that it is tried again later; the verdict counts only after the last attempt. `byPolicy`: the verdict of a script applies
 * only if the policy of the account says so.
 */
export type Verdict = {
  lookedAt: string[];
  result?: CheckResult;
  evidence?: Evidence;
  isUnfinished?: true;
  byPolicy?: true;
} & ({ decision: 'accepted' } | { decision: 'rejected'; reasons: Reason[] } | { decision: 'undecided' });
