// One trial: draws and reads a specimen, and compares the reading with what is printed.
import type { Random } from '../specimens/random.ts';
import { makeSpecimen, type Specimen } from '../specimens/specimens.ts';
import type { DocumentType, Reading } from '../src/reading.ts';
import type { Reader } from './reader.ts';

export type Task = Pick<Specimen, 'kind' | 'tier' | 'repainted'> & { declared: DocumentType };
/** `read`: whether the reading is verified. `correct`: and number, names and both dates are those of the specimen. */
export type Trial = { task: Task; read: boolean; correct: boolean; cpuMs: number; residentMb: number };

export const TODAY = '2026-11-22';
const DECLARED = { td1: 'idCard', td2: 'idCard', td3: 'passport', aamva: 'license' } as const;

/** In each twenty: fourteen usual pictures (A to C), two spoiled, one repainted, one of another kind, a front, a letter. */
export function taskAt(index: number): Task {
  const place = index % 20;
  const kind = (['td3', 'aamva', 'td1', 'td2'] as const)[Math.floor(index / 20) % 4]!;
  const tier = (['A', 'B', 'C'] as const)[(index + Math.floor(index / 20)) % 3]!;
  const usual = { kind, tier, repainted: false, declared: DECLARED[kind] };
  if (place < 14) return usual;
  if (place < 16) return { ...usual, tier: 'D' };
  if (place === 16)
    return {
      ...usual,
      kind: kind === 'aamva' ? 'td3' : kind,
      declared: kind === 'aamva' ? 'passport' : usual.declared,
      repainted: true,
    };
  if (place === 17) return { ...usual, declared: kind === 'td3' ? 'license' : 'passport' };
  return { ...usual, kind: place === 18 ? 'front' : 'letter', declared: place === 18 ? 'license' : 'passport' };
}

/** Names the group of a task: its tier, or what is wrong with its picture. */
export function groupOf({ kind, tier, repainted, declared }: Task): string {
  if (repainted) return 'repainted digits';
  if (kind === 'front' || kind === 'letter') return 'fronts and letters';
  return declared === DECLARED[kind] ? `tier ${tier}` : 'another kind than declared';
}

type Drawn = Trial & { specimen: Specimen; reading: Reading };

export async function runTrial(random: Random, task: Task, reader: Reader): Promise<Drawn> {
  const specimen = await makeSpecimen(random, { ...task, today: TODAY });
  const about = { type: task.declared, today: TODAY };
  const { reading, cpuMs, residentMb } = await reader.read({ picture: specimen.picture, about });
  const read = reading.kind !== 'none' && reading.verified;
  return { task, read, correct: read && isCorrect(reading, specimen), cpuMs, residentMb, specimen, reading };
}

function isCorrect(reading: Reading, { holder, kind }: Specimen): boolean {
  if (reading.kind === 'none' || reading.kind !== kind) return false;
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
