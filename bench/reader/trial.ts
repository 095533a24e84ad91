// One trial: a specimen is read and compared with ten records; reports what was read and which decisions were wrong.
import { readPicture } from '../../packages/document-reader/src/read-picture.ts';
import type { Reading } from '../../packages/document-reader/src/reading.ts';
import { type Compared, compareReading } from '../../src/resources/documents/comparison/compare.ts';
import type { DocumentType } from '../../src/resources/documents/reason.ts';
import { inventHolder } from '../../test/specimens/holder.ts';
import { makeSpecimen, type Specimen } from '../../test/specimens/specimens.ts';
import type { Random } from '../../test/support/random.ts';
import { type PersonRecord, recordsFor } from './records.ts';

export type Task = Pick<Specimen, 'kind' | 'tier' | 'repainted'> & { declared: DocumentType };
export type Trial = { task: Task; read: boolean; correct: boolean; cpuMs: number; decisions: Decision[] };
export type Decision = { outcome: Compared['outcome']; wrong?: 'acceptance' | 'rejection' };

export const TODAY = '2026-11-22';
const FITTING: Record<DocumentType, Specimen['kind'][]> = {
  passport: ['td3'],
  idCard: ['td1', 'td2', 'aamva'],
  license: ['aamva', 'td1'],
  other: [],
};

export async function runTrial(random: Random, task: Task): Promise<Trial> {
  const specimen = await makeSpecimen(random, { ...task, today: TODAY });
  const before = process.cpuUsage();
  const reading = await readPicture(specimen.picture, { type: task.declared, today: TODAY });
  const { user, system } = process.cpuUsage(before);
  const decisions = recordsFor(random, specimen.holder, inventHolder(random, TODAY)).map((record) => {
    const compared = compareReading(reading, record.person, { type: task.declared, today: TODAY });
    return { outcome: compared.outcome, wrong: wrongnessOf(compared, { record, specimen, task }) };
  });
  const read = reading.kind !== 'none' && reading.verified;
  return { task, read, correct: read && isCorrect(reading, specimen), cpuMs: (user + system) / 1000, decisions };
}

/** Whether number, names and both dates are those of the specimen. */
function isCorrect(reading: Reading, { holder, kind }: Specimen): boolean {
  if (reading.kind !== kind) return false;
  const { fields } = reading;
  return (
    fields.documentNumber === holder.number &&
    fields.dateOfBirth === holder.dateOfBirth &&
    fields.expires === holder.expires &&
    (fields.surname === holder.surname || (fields.nameTruncated.surname && holder.surname.startsWith(fields.surname))) &&
    (fields.givenNames === holder.givenNames ||
      (fields.nameTruncated.givenNames && holder.givenNames.startsWith(fields.givenNames)) ||
      (isCutBetweenWords(reading.lines) && holder.givenNames.startsWith(`${fields.givenNames} `)))
  );
}

/** Whether the line of names ends with one filler: the next word did not fit. */
function isCutBetweenWords(lines: string[]): boolean {
  return /[A-Z]<$/.test(lines.length === 3 ? lines[2]! : lines[0]!);
}

type Case = { record: PersonRecord; specimen: Specimen; task: Task };

/** An acceptance needs an equal record, a valid and genuine document of the declared kind. A rejection needs reasons that are all true. */
function wrongnessOf({ outcome, reasons }: Compared, { record, specimen, task }: Case): Decision['wrong'] {
  const expired = specimen.holder.expires < TODAY;
  const fits = FITTING[task.declared].includes(specimen.kind);
  if (outcome === 'accepted')
    return record.differs.length > 0 || expired || specimen.repainted || !fits ? 'acceptance' : undefined;
  if (outcome === 'undecided') return undefined;
  const isTrue: Record<string, boolean> = {
    ScanDobMismatch: record.differs.includes('dateOfBirth'),
    ScanNameMismatch: record.differs.includes('surname') || record.differs.includes('givenNames'),
    ScanIdExpired: expired,
    ScanNotReadable: specimen.tier === 'D',
  };
  return !fits || specimen.repainted || !reasons.every((reason) => isTrue[reason]) ? 'rejection' : undefined;
}
