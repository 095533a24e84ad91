// The interface of automatic document checkers: input and verdict.
import type { DocumentType, Reason } from '../reason.ts';
import type { Person } from '../subject.ts';

export type Checker = {
  name: string;
  version: string;
  check(submitted: Submitted): Promise<Verdict>;
};

type Submitted = {
  type: DocumentType;
  person: Person;
  /** Returns the clean copy; undefined once erased. Each call writes an audit record. */
  copy(): Promise<Buffer | undefined>;
};

/** `lookedAt` names the data the verdict is based on. An undecided document goes to the next checker, and after the last one to human review. */
export type Verdict = { lookedAt: string[] } & (
  | { decision: 'accepted' }
  | { decision: 'rejected'; reasons: Reason[] }
  | { decision: 'undecided' }
);
