// Compares Earmark with its limits and rivals: every row in every round, the median of the rounds, totals checked after each row.
import { openProgress } from '../src/apps/cli/progress.ts';
import { measureFirstMinute } from './first-minute.ts';
import { checkLedger } from './ledger-check.ts';
import type { Mix } from './mixes.ts';
import { machineLine, save } from './results.ts';
import { perTransfer, tableSizes } from './sizes.ts';
import { CUSTOMERS, LABELS_EACH, openStage } from './stage.ts';
import { medianOf } from './statistics.ts';
import { openBench, RIVALS, type Row, type Step } from './subjects.ts';
import { comparisonTable, firstMinuteTable, sizesTable, verdictsTable } from './tables.ts';
import { judgeComparison } from './targets.ts';

type PlannedStep = Step & { quick?: true };

const CONNECTIONS = [1, 16, 64, 256];
const OPEN_CONNECTIONS = 256;
/** `firstWindows`: those of the first minute, of five seconds each. */
const FULL = { rounds: 5, windowMs: 2_500, warmUpMs: 6_000, firstWindows: 12 };
const QUICK = { rounds: 1, windowMs: 2_000, warmUpMs: 3_000, firstWindows: 4 };

const quickly = { quick: true } as const;
const steps: PlannedStep[] = [
  { subject: 'commit', connections: 1, mix: 'uniform', ...quickly },
  { subject: 'direct', connections: 1, mix: 'uniform', ...quickly },
  { subject: 'bare', connections: 1, mix: 'uniform', ...quickly },
  { subject: 'bare', connections: 64, mix: 'uniform', ...quickly },
  { subject: 'no database', connections: 1, mix: 'uniform' },
  { subject: 'no database', connections: 64, mix: 'uniform', ...quickly },
  ...CONNECTIONS.map((connections) => ({ subject: 'earmark', connections, mix: 'uniform', ...quickly }) as const),
  { subject: 'earmark', connections: 64, mix: 'zipf' },
  { subject: 'earmark', connections: 64, mix: 'one hot pair', ...quickly },
  { subject: 'earmark', connections: 64, mix: '10 % refusals' },
  { subject: 'earmark', connections: OPEN_CONNECTIONS, mix: 'uniform', load: 0.5, ...quickly },
  { subject: 'earmark', connections: OPEN_CONNECTIONS, mix: 'uniform', load: 0.8 },
  ...RIVALS.flatMap((subject) => [
    ...CONNECTIONS.map((connections) => ({ subject, connections, mix: 'uniform' as Mix, ...quickIf(subject, connections) })),
    { subject, connections: 64, mix: 'one hot pair' as Mix, ...quickIf(subject, 64) },
  ]),
  { subject: 'tokens', connections: 64, mix: 'uniform', ...quickly },
];

const mixes = [...new Set(steps.map(({ mix }) => mix))];

function quickIf(subject: string, connections: number) {
  return subject === 'row locks' && (connections === 1 || connections === 64) ? quickly : {};
}

/** Order of a step within a round: compared steps run side by side, and an open loop right after the capacity it is a share of. */
function orderOf({ subject, connections, mix, load }: Step): number {
  if (load !== undefined) return 64 + load;
  if (mix !== 'uniform') return 1_000 + mixes.indexOf(mix);
  return subject === 'direct' ? 64 : connections;
}

/** Runs the comparison, prints it and saves the result. Returns whether the ledger check passed. */
export async function compare({ quick }: { quick: boolean }): Promise<boolean> {
  const how = quick ? QUICK : FULL;
  const wanted = steps.filter((step) => !quick || step.quick);
  const first = await measureFirstMinute(how.firstWindows);
  const progress = openProgress('comparison');
  const stage = await openStage();
  try {
    const bench = await openBench(stage, [...new Set(wanted.map((step) => step.subject))]);
    const before = await tableSizes(stage.database.sql);
    await bench.warmUp(how.warmUpMs);
    const rounds: Row[][] = wanted.map(() => []);
    const ordered = [...wanted.entries()].sort(([, a], [, b]) => orderOf(a) - orderOf(b));
    for (let round = 0; round < how.rounds; round++) {
      for (const [position, [index, step]] of ordered.entries()) {
        progress.show(
          (round + position / ordered.length) / how.rounds,
          `round ${round + 1}: ${step.subject}, ${step.connections}`,
        );
        const { quick: _, ...about } = step;
        rounds[index]!.push(await bench.measure(about, how.windowMs));
      }
    }
    progress.end();
    const rows = rounds.map(medianOf);
    const sizes = perTransfer(before, await tableSizes(stage.database.sql), bench.acknowledged());
    const ledger = await checkLedger(stage.database, bench.acknowledged(), progress);
    const verdicts = judgeComparison(
      Array.from({ length: how.rounds }, (_, round) => rounds.map((row) => row[round]!)),
      sizes,
      first,
    );
    const file = save(quick ? 'quick' : 'comparison', { first, rows, rounds, sizes, verdicts, ledger: ledger.text });
    process.stdout.write(
      `${CUSTOMERS} customers with ${LABELS_EACH} labels each. ${machineLine()}, shared with the load generator: ratios decide.\n\n`,
    );
    process.stdout.write(
      `${comparisonTable(rows)}\n${firstMinuteTable(first)}\n${sizesTable(sizes)}\n${verdictsTable(verdicts)}\n${ledger.text}\n${file}\n`,
    );
    return ledger.passed;
  } finally {
    progress.end();
    await stage.close();
  }
}
