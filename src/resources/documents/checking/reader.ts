// The checker that reads documents on this machine and compares them with the person on record.
import { READER, type Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/sql.ts';
import type { Sealer } from '../../../platform/keys/sealing.ts';
import type { Holder } from '../chip/data-groups.ts';
import { compareReading, type PersonOnRecord } from '../comparison/compare.ts';
import { type Evidence, NO_EVIDENCE } from '../evidence/evidence.ts';
import { evidenceOf } from '../evidence/picture-evidence.ts';
import type { Tried } from '../process-pool.ts';
import { readTrust } from '../trust/master-list.ts';
import type { Checker, Submitted, Verdict } from './checker.ts';
import { findLikenesses } from './likeness.ts';
import { openReaders, type Readers } from './readers.ts';
import type { CheckResult } from './result.ts';

export type ReaderTools = { config: Pick<Config, 'mode'>; database: Database; sealer: Sealer; clock: Clock };

const FORCING_NAME = 'document';

/** Opens the checker. It leaves business papers, and everything that looks like another person's document, to a person. */
export function openReader(tools: ReaderTools, readers: Readers = openReaders()): Checker {
  return {
    ...READER,
    readsChips: true,
    async check(submitted) {
      const person = submitted.document.type === 'other' ? undefined : await submitted.record();
      const tried = person && (await read(tools, readers, submitted));
      if (!tried) return { decision: 'undecided', lookedAt: [] };
      if (tried.state === 'unfinished') return { ...unread('The machine did not let the reader end.'), isUnfinished: true };
      const found = tried.state === 'done' ? tried.result : undefined;
      if (!found) return unread('The document could not be read within the limit of CPU time.');
      return conclude(tools, submitted, { person, ...found });
    },
    close: readers.close,
  };
}

type Found = { reading: Reading; evidence: Evidence; holder?: Holder };

/** Returns undefined once the content is erased. */
async function read(
  { database }: ReaderTools,
  readers: Readers,
  { document, today, copy, original: openOriginal, chip: openChip }: Submitted,
): Promise<Tried<Found | undefined> | undefined> {
  if (document.source === 'picture') {
    const file = await copy();
    const original = file && (await openOriginal());
    const tried = original && (await readers.picture({ file, original, about: { type: document.type, today } }));
    return tried && mapDone(tried, (reading) => ({ reading, evidence: evidenceOf(reading) }));
  }
  const chip = await openChip();
  const tried = chip && (await readers.chip({ chip, trust: await readTrust(database.sql), today }));
  return tried && mapDone(tried, (found) => found);
}

function mapDone<From, To>(tried: Tried<From | undefined>, map: (result: From) => To): Tried<To | undefined> {
  return tried.state === 'done' ? { state: 'done', result: tried.result && map(tried.result) } : tried;
}

/** The first name that asks the sandbox for a document is not a name to compare. */
function withoutForced(person: PersonOnRecord, { mode }: Pick<Config, 'mode'>): PersonOnRecord {
  const { firstName, ...others } = person;
  return mode === 'sandbox' && firstName === FORCING_NAME ? others : person;
}

async function conclude(
  tools: ReaderTools,
  { document, today }: Submitted,
  { person, reading, evidence, holder }: Found & { person: PersonOnRecord },
): Promise<Verdict> {
  const { database, sealer, clock, config } = tools;
  const { outcome, reasons, findings } = compareReading(reading, withoutForced(person, config), {
    type: document.type,
    today,
    mode: config.mode,
  });
  const likenesses = await findLikenesses(database, sealer, document, reading, clock.now(document.accountId));
  const isForPerson = likenesses.length > 0 || isTampered(document, evidence);
  const proposal = isForPerson ? 'undecided' : outcome;
  const result = { proposal, reasons, findings, reading, likenesses, ...(holder && { holder }) };
  const lookedAt = [...(document.source === 'chip' ? ['chip'] : ['copy', 'original']), 'name', 'dateOfBirth'];
  const found = { lookedAt, result, evidence };
  return proposal === 'rejected' ? { decision: proposal, reasons, ...found } : { decision: proposal, ...found };
}

/** A chip of which a part fails is worth less than no chip. SHA-1 lowers the level only. */
function isTampered({ source }: Submitted['document'], { parts }: Evidence): boolean {
  return source === 'chip' && parts.some(({ name, result }) => result === 'fails' && name !== 'algorithms');
}

function unread(text: string): Verdict {
  const result: CheckResult = { proposal: 'undecided', reasons: [], findings: [{ field: 'document', result: 'unclear', text }] };
  return { decision: 'undecided', lookedAt: ['copy', 'original'], result, evidence: NO_EVIDENCE };
}
