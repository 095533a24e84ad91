// `npm run bench -- decisions [--seed N --pictures N]`: reads specimens, compares each with ten records of persons, and prints the
// wrong decisions.
import { parseArgs } from 'node:util';
import { openReader } from '../packages/document-reader/bench/reader.ts';
import { groupOf, runTrial, type Task, TODAY, taskAt } from '../packages/document-reader/bench/trial.ts';
import { inventHolder } from '../packages/document-reader/specimens/holder.ts';
import { openRandom } from '../packages/document-reader/specimens/random.ts';
import type { Specimen } from '../packages/document-reader/specimens/specimens.ts';
import { type Compared, compareReading } from '../src/resources/documents/comparison/compare.ts';
import type { DocumentType } from '../src/resources/documents/reason.ts';
import { type PersonRecord, recordsFor } from './document-records.ts';

type Decision = { group: string; outcome: Compared['outcome']; wrong: 'acceptance' | 'rejection' | undefined };

const FITTING: Record<DocumentType, Specimen['kind'][]> = {
  passport: ['td3'],
  idCard: ['td1', 'td2', 'aamva'],
  license: ['aamva', 'td1'],
  other: [],
};

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, pictures: { type: 'string', default: '1000' } },
});
const random = openRandom(Number(values.seed));
const reader = await openReader();
const decisions: Decision[] = [];
for (let index = 0; index < Number(values.pictures); index++) decisions.push(...(await decide(taskAt(index))));
reader.close();

console.log('decisions on               count  accepted  rejected  undecided  wrong acceptances  wrong rejections');
for (const [name, group] of [...Map.groupBy(decisions, ({ group }) => group)].sort()) console.log(row(name, group));
console.log(row('all', decisions));

async function decide(task: Task): Promise<Decision[]> {
  const fork = random.fork();
  const { specimen, reading } = await runTrial(fork, task, reader);
  return recordsFor(fork, specimen.holder, inventHolder(fork, TODAY)).map((record) => {
    const compared = compareReading(reading, record.person, { type: task.declared, today: TODAY });
    return { group: groupOf(task), outcome: compared.outcome, wrong: wrongnessOf(compared, { record, specimen, task }) };
  });
}

function row(name: string, group: Decision[]): string {
  const count = (outcome: Decision['outcome']) => group.filter((decision) => decision.outcome === outcome).length;
  const wrong = (kind: Decision['wrong']) => group.filter((decision) => decision.wrong === kind).length;
  const columns = [
    [group.length, 6],
    [count('accepted'), 10],
    [count('rejected'), 10],
    [count('undecided'), 11],
    [wrong('acceptance'), 19],
    [wrong('rejection'), 18],
  ] as const;
  return name.padEnd(26) + columns.map(([number, width]) => String(number).padStart(width)).join('');
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
