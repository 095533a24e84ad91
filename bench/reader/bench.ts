// `npm run bench -- reader [--seed N --pictures N]`: reads specimens and compares them with records of persons; prints the read rates,
// wrong decisions, time and calibration.
import { parseArgs } from 'node:util';
import { warmUp } from '../../packages/document-reader/src/read-picture.ts';
import { openRandom } from '../../test/support/random.ts';
import { measureCharacters } from './characters.ts';
import { runTrial, type Task, type Trial } from './trial.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, pictures: { type: 'string', default: '1000' } },
});
const PICTURES = Number(values.pictures);
const CHARACTER_LINES = 250;
const DECLARED = { td1: 'idCard', td2: 'idCard', td3: 'passport', aamva: 'license' } as const;

/** The targets, which the last lines compare with. */
const TARGETS = { A: 99, B: 99, C: 95 } as const;
const TARGET_CPU_MS = 150;

const random = openRandom(Number(values.seed));
await warmUp();
const trials: Trial[] = [];
for (let index = 0; index < PICTURES; index++) trials.push(await runTrial(random.fork(), taskAt(index)));
printReads();
printDecisions();
printTargets();
await printCalibration();

/** In each twenty: fourteen usual pictures (A to C), two spoiled, one repainted, one of another kind, a front, a letter. */
function taskAt(index: number): Task {
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

function isUsual({ task }: Trial): boolean {
  return !task.repainted && task.kind !== 'front' && task.kind !== 'letter' && task.declared === DECLARED[task.kind];
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

function printDecisions(): void {
  console.log('\ndecisions on               count  accepted  rejected  undecided  wrong acceptances  wrong rejections');
  const groups = Map.groupBy(trials, (trial) => {
    if (trial.task.repainted) return 'repainted digits';
    if (trial.task.kind === 'front' || trial.task.kind === 'letter') return 'fronts and letters';
    return isUsual(trial) ? `tier ${trial.task.tier}` : 'another kind than declared';
  });
  for (const [name, group] of [...groups].sort()) console.log(decisionRow(name, group));
  console.log(decisionRow('all', trials));
}

function decisionRow(name: string, group: Trial[]): string {
  const decisions = group.flatMap((trial) => trial.decisions);
  const count = (outcome: string) => decisions.filter((decision) => decision.outcome === outcome).length;
  const wrong = (kind: string) => decisions.filter((decision) => decision.wrong === kind).length;
  const columns = [
    [decisions.length, 6],
    [count('accepted'), 10],
    [count('rejected'), 10],
    [count('undecided'), 11],
    [wrong('acceptance'), 19],
    [wrong('rejection'), 18],
  ] as const;
  return name.padEnd(26) + columns.map(([number, width]) => String(number).padStart(width)).join('');
}

function printTargets(): void {
  console.log('');
  for (const [tier, target] of Object.entries(TARGETS)) {
    const group = trials.filter((trial) => isUsual(trial) && trial.task.tier === tier);
    const share = (100 * group.filter(({ correct }) => correct).length) / group.length;
    console.log(`tier ${tier}: ${share.toFixed(1)} % read correctly (target ${target} %)`);
  }
  const cpu = percentile(
    trials.filter((trial) => isUsual(trial) && trial.task.tier !== 'D').map(({ cpuMs }) => cpuMs),
    0.5,
  );
  console.log(`CPU p50 of tiers A to C: ${cpu.toFixed(0)} ms (target ${TARGET_CPU_MS} ms)`);
}

async function printCalibration(): Promise<void> {
  const { accuracy, bins } = await measureCharacters(random.fork(), CHARACTER_LINES);
  console.log(`\ncharacters read correctly: ${(100 * accuracy).toFixed(2)} %\nprobability from  characters  mean    correct`);
  for (const { from, count, mean, correct } of bins) {
    console.log(`${String(from).padEnd(18)}${String(count).padEnd(12)}${mean.toFixed(4)}  ${correct.toFixed(4)}`);
  }
}
