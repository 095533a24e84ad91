// `npm run bench -- reader [--seed N --pictures N]`: reads specimens; prints read rates, false readings, CPU time and calibration.
import { parseArgs } from 'node:util';
import { openRandom } from '../specimens/random.ts';
import { measureCharacters } from './characters.ts';
import { openReader } from './reader.ts';
import { groupOf, runTrial, type Trial, taskAt } from './trial.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, pictures: { type: 'string', default: '1000' } },
});
const PICTURES = Number(values.pictures);
const CHARACTER_LINES = 250;

/** The targets, which the last lines compare with. */
const TARGETS = { A: 99, B: 99, C: 95 } as const;
const TARGETS_CPU_MS = [
  [0.5, 150],
  [0.99, 1500],
] as const;
const TARGET_RESIDENT_MB = 350;

const random = openRandom(Number(values.seed));
const reader = await openReader();
const trials: Trial[] = [];
for (let index = 0; index < PICTURES; index++) {
  const { task, read, correct, cpuMs, residentMb } = await runTrial(random.fork(), taskAt(index), reader);
  trials.push({ task, read, correct, cpuMs, residentMb });
}
reader.close();
printReads();
printFalse();
printTargets();
await printCalibration();

function isUsual({ task }: Trial): boolean {
  return groupOf(task) === `tier ${task.tier}`;
}

function percentile(numbers: number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0;
}

function printReads(): void {
  console.log('kind   tier  pictures  read  all fields right  CPU ms p50   p95');
  const groups = Map.groupBy(trials.filter(isUsual), ({ task }) => `${task.kind.padEnd(6)} ${task.tier}`);
  for (const [name, group] of [...groups].sort()) {
    const cpu = group.map(({ cpuMs }) => cpuMs);
    const columns = [
      String(group.length).padStart(11),
      String(group.filter(({ read }) => read).length).padStart(6),
      String(group.filter(({ correct }) => correct).length).padStart(18),
      percentile(cpu, 0.5).toFixed(0).padStart(12),
      percentile(cpu, 0.95).toFixed(0).padStart(6),
    ];
    console.log(`${name}${columns.join('')}`);
  }
}

/** Readings that are verified, and are not what is printed: there should be none. */
function printFalse(): void {
  console.log('\npictures                   count  read  read wrong');
  for (const [name, group] of [...Map.groupBy(trials, ({ task }) => groupOf(task))].sort()) {
    const read = group.filter((trial) => trial.read);
    const wrong = read.filter(({ correct }) => !correct);
    console.log(
      name.padEnd(26) + [group, read, wrong].map(({ length }, at) => String(length).padStart([6, 6, 12][at]!)).join(''),
    );
  }
}

function printTargets(): void {
  console.log('');
  for (const [tier, target] of Object.entries(TARGETS)) {
    const group = trials.filter((trial) => isUsual(trial) && trial.task.tier === tier);
    const share = (100 * group.filter(({ correct }) => correct).length) / group.length;
    console.log(`tier ${tier}: ${share.toFixed(1)} % read correctly (target ${target} %)`);
  }
  const cpu = trials.filter((trial) => isUsual(trial) && trial.task.tier !== 'D').map(({ cpuMs }) => cpuMs);
  for (const [share, target] of TARGETS_CPU_MS)
    console.log(`CPU p${100 * share} of tiers A to C: ${percentile(cpu, share).toFixed(0)} ms (target ${target} ms)`);
  const residentMb = Math.max(...trials.map((trial) => trial.residentMb));
  console.log(`largest resident memory: ${residentMb.toFixed(0)} MB (target ${TARGET_RESIDENT_MB} MB)`);
}

async function printCalibration(): Promise<void> {
  const { accuracy, bins } = await measureCharacters(random.fork(), CHARACTER_LINES);
  console.log(`\ncharacters read correctly: ${(100 * accuracy).toFixed(2)} %\nprobability from  characters  mean    correct`);
  for (const { from, count, mean, correct } of bins) {
    console.log(`${String(from).padEnd(18)}${String(count).padEnd(12)}${mean.toFixed(4)}  ${correct.toFixed(4)}`);
  }
}
