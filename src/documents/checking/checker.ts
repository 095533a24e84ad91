// The seam for machines: what a checker of documents is given, and what it answers.
import type { DocumentType, Reason } from '../reason.ts';
import type { Person } from '../subject.ts';

export type Checker = {
  name: string;
  version: string;
  check(submitted: Submitted): Promise<Verdict>;
};

export type Submitted = {
  type: DocumentType;
  person: Person;
  /** The clean copy; each look leaves an audit record. */
  copy(): Promise<Buffer | undefined>;
};

/** `lookedAt` names what the verdict rests on. Undecided goes on to the next checker, and from the last to people. */
export type Verdict = { lookedAt: string[] } & (
  | { decision: 'accepted' }
  | { decision: 'rejected'; reasons: Reason[] }
  | { decision: 'undecided' }
);
