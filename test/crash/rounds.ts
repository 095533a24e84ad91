// Rounds of kill -9 under load at random moments, each followed by holding the books against what clients were told.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import { assertBooks, compare, type Figures, play, repeatAcknowledged, settleUnknown } from './books.ts';
import { startLoad } from './load.ts';
import { countReallocations, KILLS, openingOf, type Target } from './target.ts';

export type CrashFigures = Figures & { kills: Record<(typeof KILLS)[number], number> };

const CLIENTS = 16;
const REPEATED_EACH = 5;
const WARM_UP_MS = { least: 20, most: 250 };
const COOL_DOWN_MAX_MS = 100;
/** Killed once more while it comes back. */
const AGAIN_SHARE = 0.25;
const AGAIN_WITHIN_MS = 700;

/**
 * Crashes a target again and again. Fails at the first thing that is not as it was told; `tell` hears of each round. Also returns what
 * each label holds afterwards, in cents.
 */
export async function crash(
  target: Target,
  rounds: number,
  random: Random,
  tell: (line: string) => void = () => {},
): Promise<CrashFigures & { held: Map<string, number> }> {
  const { caller, database, accountId, places } = target;
  const figures: CrashFigures = {
    ...{ rounds: 0, acknowledged: 0, refused: 0, unknown: 0, unknownDone: 0, lost: 0, wrong: 0 },
    kills: { service: 0, server: 0, backend: 0, both: 0 },
  };
  const held = openingOf(places);
  const before = await countReallocations(database);
  for (let round = 1; round <= rounds; round++) {
    const { attempts, killed } = await crashOnce(target, random, `round-${round}`);
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
    tell(`round ${round}: killed ${killed.join(', then ')}; ${told(acknowledged.length, unknown, done, lost, wrong)}`);
    assert.deepEqual({ lost, wrong }, { lost: 0, wrong: 0 });
    play(held, attempts);
    await assertBooks(database, held, before + figures.acknowledged);
  }
  return { ...figures, held };
}

async function crashOnce(target: Target, random: Random, name: string) {
  const load = startLoad([target.caller], target.places, random.fork(), CLIENTS, name);
  const killed = [random.pick(KILLS)];
  const [again, what, afterMs] = [random.chance(AGAIN_SHARE), random.pick(KILLS), random.int(0, AGAIN_WITHIN_MS)];
  try {
    await sleep(random.int(WARM_UP_MS.least, WARM_UP_MS.most));
    target.kill(killed[0]!, random);
    const back = target.ready();
    if (again) {
      await sleep(afterMs);
      target.kill(what, random);
      killed.push(what);
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

function told(acknowledged: number, unknown: number, done: number, lost: number, wrong: number): string {
  return `${acknowledged} acknowledged, ${unknown} unknown (${done} of them done), ${lost} lost, ${wrong} wrong`;
}
