// Rounds of kill -9 at random moments under load; after each the ledger is compared with what clients received.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import { applyToBalances, assertLedger, compare, type Figures, repeatAcknowledged, settleUnknown } from './ledger-check.ts';
import { startLoad } from './load.ts';
import { countReallocations, KILLS, openingBalances, type Target } from './target.ts';

type CrashFigures = Figures & { kills: Record<(typeof KILLS)[number], number> };

const CLIENTS = 16;
const REPEATED_EACH = 5;
const WARM_UP_MS = { least: 20, most: 250 };
const COOL_DOWN_MAX_MS = 100;
/** Share of the rounds with a second kill during recovery. */
const SECOND_KILL_SHARE = 0.25;
const SECOND_KILL_WITHIN_MS = 700;

/**
 * Kills a target in every round, each kind once in four, and fails at the first difference. `report` receives a line for each round. Also returns the
 * expected balance of each label, in cents.
 */
export async function crash(
  target: Target,
  rounds: number,
  random: Random,
  report: (line: string) => void = () => {},
): Promise<CrashFigures & { balances: Map<string, number> }> {
  const { caller, database, accountId, customers } = target;
  const figures: CrashFigures = {
    ...{ rounds: 0, acknowledged: 0, refused: 0, unknown: 0, unknownDone: 0, lost: 0, wrong: 0 },
    kills: { service: 0, server: 0, backend: 0, both: 0 },
  };
  const balances = openingBalances(customers);
  const before = await countReallocations(database);
  const first = random.int(0, KILLS.length - 1);
  for (let round = 1; round <= rounds; round++) {
    const { attempts, killed } = await crashOnce(target, random, {
      what: KILLS[(first + round) % KILLS.length]!,
      name: `round-${round}`,
    });
    for (const what of killed) figures.kills[what] += 1;
    const { unknown, done } = await settleUnknown(caller, attempts);
    const acknowledged = attempts.filter(({ outcome }) => outcome === 'acknowledged');
    await repeatAcknowledged(caller, acknowledged.slice(-REPEATED_EACH));
    const { lost, wrong } = await compare(database, accountId, attempts);
    figures.rounds += 1;
    figures.acknowledged += acknowledged.length;
    figures.refused += attempts.length - acknowledged.length;
    figures.unknown += unknown;
    figures.unknownDone += done;
    figures.lost += lost;
    figures.wrong += wrong;
    report(`round ${round}: killed ${killed.join(', then ')}; ${summaryOf(acknowledged.length, unknown, done, lost, wrong)}`);
    assert.deepEqual({ lost, wrong }, { lost: 0, wrong: 0 });
    applyToBalances(balances, attempts);
    await assertLedger(database, balances, before + figures.acknowledged);
  }
  return { ...figures, balances };
}

async function crashOnce(target: Target, random: Random, { what, name }: { what: (typeof KILLS)[number]; name: string }) {
  const load = startLoad([target.caller], target.customers, random.fork(), CLIENTS, name);
  const killed = [what];
  const [killTwice, second, afterMs] = [
    random.chance(SECOND_KILL_SHARE),
    random.pick(KILLS),
    random.int(0, SECOND_KILL_WITHIN_MS),
  ];
  try {
    await sleep(random.int(WARM_UP_MS.least, WARM_UP_MS.most));
    target.kill(what, random);
    const back = target.ready();
    if (killTwice) {
      await sleep(afterMs);
      target.kill(second, random);
      killed.push(second);
    }
    await back;
    await target.ready();
    await sleep(random.int(0, COOL_DOWN_MAX_MS));
  } finally {
    await load.stop();
  }
  await target.ready();
  return { attempts: load.attempts, killed };
}

function summaryOf(acknowledged: number, unknown: number, done: number, lost: number, wrong: number): string {
  return `${acknowledged} acknowledged, ${unknown} unknown (${done} of them done), ${lost} lost, ${wrong} wrong`;
}
