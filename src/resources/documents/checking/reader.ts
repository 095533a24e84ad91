// The checker that reads documents on this machine and compares them with the person on record.
import { extname } from 'node:path';
import { READER, type Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/sql.ts';
import type { Sealer } from '../../../platform/keys/sealing.ts';
import { type Compared, compareReading, type PersonOnRecord } from '../comparison/compare.ts';
import { type Limits, openProcessPool, type ProcessPool } from '../process-pool.ts';
import type { Checker, Submitted, Verdict } from './checker.ts';
import { findLikenesses } from './likeness.ts';
import type { ReadTask } from './read-process.ts';

export type ReaderTools = { config: Pick<Config, 'mode'>; database: Database; sealer: Sealer; clock: Clock };

/** Beside this file, as .ts or compiled to .js. */
const PROGRAM = new URL(`./read-process${extname(import.meta.url)}`, import.meta.url);

const FORCING_NAME = 'document';

type Readers = ProcessPool<ReadTask, Reading | undefined>;

export function openReaders(limits: Partial<Limits> = {}): Readers {
  return openProcessPool(PROGRAM, limits);
}

/** Opens the checker. It leaves business papers, and everything that looks like another person's document, to a person. */
export function openReader(tools: ReaderTools, readers: Readers = openReaders()): Checker {
  return {
    ...READER,
    async check(submitted) {
      const { document, today } = submitted;
      if (document.type === 'other') return { decision: 'undecided', lookedAt: [] };
      const [person, file] = [await submitted.record(), await submitted.copy()];
      if (!person || !file) return { decision: 'undecided', lookedAt: [] };
      const tried = await readers.run({ file, about: { type: document.type, today } });
      if (tried.state === 'unfinished') return { ...unread('The machine did not let the reader end.'), isUnfinished: true };
      const reading = tried.state === 'done' ? tried.result : undefined;
      if (!reading) return unread('The picture could not be read within the limit of CPU time.');
      const about = { type: document.type, today, mode: tools.config.mode };
      const compared = compareReading(reading, withoutForced(person, tools.config), about);
      return conclude(tools, submitted, { reading, compared });
    },
    close: readers.close,
  };
}

/** The first name that asks the sandbox for a document is not a name to compare. */
function withoutForced(person: PersonOnRecord, { mode }: Pick<Config, 'mode'>): PersonOnRecord {
  const { firstName, ...others } = person;
  return mode === 'sandbox' && firstName === FORCING_NAME ? others : person;
}

async function conclude(
  { database, sealer, clock }: ReaderTools,
  { document }: Submitted,
  { reading, compared }: { reading: Reading; compared: Compared },
): Promise<Verdict> {
  const { outcome, reasons, findings } = compared;
  const likenesses = await findLikenesses(database.sql, sealer, document, reading, clock.now(document.accountId));
  const proposal = likenesses.length > 0 ? 'undecided' : outcome;
  const result = { proposal, reasons, findings, reading, likenesses };
  const lookedAt = ['copy', 'name', 'dateOfBirth'];
  return proposal === 'rejected' ? { decision: proposal, reasons, lookedAt, result } : { decision: proposal, lookedAt, result };
}

function unread(text: string): Verdict {
  const findings = [{ field: 'document', result: 'unclear', text } as const];
  return { decision: 'undecided', lookedAt: ['copy'], result: { proposal: 'undecided', reasons: [], findings } };
}
