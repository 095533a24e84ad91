// `npm run long -- cluster-faults`: faults of a cluster under load. Servers and the service are killed, a worker hangs, its network is cut,
// and groups move. After each fault every acknowledged reallocation is looked up.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt } from '../crash/load.ts';
import { runLongTest } from '../support/long-test.ts';
import { openRandom, type Random } from '../support/random.ts';
import type { TestScope } from '../support/test-scope.ts';
import { requireCitus } from './cluster.ts';
import { type Checked, check, checkAll } from './fault-check.ts';
import { cutNetwork, type Fault, grow, KILLS, kill, moveGroup, stop } from './fault-kinds.ts';
import { startFaultLoad } from './fault-load.ts';
import { type FaultTarget, openFaultTarget } from './fault-target.ts';

/** `share`: the rate of the customers that the fault must not hit, as a share of the rate before. */
type Round = Checked & {
  name: string;
  calls: number;
  statuses: Map<string, number>;
  share: number | undefined;
  recoveredMs: number;
};

/** Small, so that requests that wait for a dead group would fill it: half of it is for the one application of the load. */
const MAX_REQUESTS = '400';
const BEFORE_MS = 2_000;
const WARM_UP_MS = 500;
const AFTER_MS = 300;

requireCitus('npm run long -- cluster-faults');

await runLongTest('cluster-faults', { kills: 50, seconds: 30 }, async ({ t, options, tell }) => {
  const random = openRandom(options.seed);
  const target = await openFaultTarget(t, { MAX_REQUESTS });
  const attempts: Attempt[] = [];
  const rounds: Round[] = [];
  for (const fault of planFaults(target, options, random)) {
    const round = await runFault(t, target, fault(), { random: random.fork(), name: `fault-${rounds.length}`, attempts });
    rounds.push(round);
    tell(`${rounds.length}: ${lineOf(round)}`);
    assert.deepEqual([round.lost, round.twice], [0, 0]);
  }
  const { events } = await checkAll(t, target, attempts);
  return summaryOf(rounds, events);
});

/** The kills in an order that the seed decides, each kind equally often, with the other faults between them. */
function planFaults(
  target: FaultTarget,
  { kills, seconds }: { kills: number; seconds: number },
  random: Random,
): (() => Fault)[] {
  const plan = Array.from({ length: kills }, (_, index) => () => kill(target, KILLS[index % KILLS.length]!, random));
  const others = [
    () => stop(target, seconds, random),
    () => cutNetwork(target),
    () => moveGroup(target, random),
    () => grow(target),
  ];
  for (let left = plan.length - 1; left > 0; left--) {
    const other = random.int(0, left);
    [plan[left], plan[other]] = [plan[other]!, plan[left]!];
  }
  for (const one of others) plan.splice(random.int(0, plan.length), 0, one);
  return plan;
}

/** Runs one fault under load, and checks what clients received. Adds its attempts to `attempts`. */
async function runFault(
  t: TestScope,
  target: FaultTarget,
  fault: Fault,
  { random, name, attempts }: { random: Random; name: string; attempts: Attempt[] },
): Promise<Round> {
  const servers = await target.findServers(target.customers);
  const all = new Set(servers.keys());
  const spared = new Set([...all].filter((customer) => fault.hits !== 'all' && servers.get(customer) !== fault.hits));
  const load = startFaultLoad(t, { ...target, random, name });
  await sleep(WARM_UP_MS + BEFORE_MS);
  const beginMs = performance.now();
  const before = load.rate(spared, beginMs - BEFORE_MS, beginMs);
  await fault.begin();
  const share = spared.size === 0 ? undefined : load.rate(spared, beginMs, performance.now()) / before;
  await fault.end();
  const endMs = performance.now();
  await load.served();
  const recoveredMs = Math.round(performance.now() - endMs);
  await sleep(AFTER_MS);
  const made = await load.stop();
  attempts.push(...made);
  const statuses = new Map<string, number>();
  for (const { status } of load.calls) statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1);
  return { name: fault.name, calls: made.length, statuses, share, recoveredMs, ...(await check(target, made)) };
}

function lineOf({ name, calls, statuses, share, recoveredMs, unknown, unknownDone, lost, twice }: Round): string {
  const answers = [...statuses].map(([status, count]) => `${count} × ${status === '0' ? 'none' : status}`).join(', ');
  const served = share === undefined ? '' : `, others served at ${Math.round(share * 100)} %`;
  return `${name}: ${calls} calls (${answers}), ${unknown} unknown (${unknownDone} done), ${lost} lost, ${twice} twice${served}, recovered in ${recoveredMs} ms`;
}

function summaryOf(rounds: Round[], events: number) {
  const sum = (figure: 'calls' | 'acknowledged' | 'refused' | 'unknown' | 'unknownDone' | 'lost' | 'twice') =>
    rounds.reduce((total, round) => total + round[figure], 0);
  const answers: Record<string, number> = {};
  for (const { statuses } of rounds)
    for (const [status, count] of statuses)
      answers[status === '0' ? 'none' : status] = (answers[status === '0' ? 'none' : status] ?? 0) + count;
  const faults = Object.fromEntries(
    [...Map.groupBy(rounds, ({ name }) => name)].map(([name, some]) => {
      const shares = some.flatMap(({ share }) => share ?? []);
      return [
        name,
        {
          times: some.length,
          ...(shares.length > 0 && { servedPercent: Math.round(Math.min(...shares) * 100) }),
          recoveredMs: Math.max(...some.map(({ recoveredMs }) => recoveredMs)),
        },
      ];
    }),
  );
  return {
    ...{ calls: sum('calls'), acknowledged: sum('acknowledged'), refused: sum('refused'), unknown: sum('unknown') },
    ...{ unknownDone: sum('unknownDone'), lost: sum('lost'), twice: sum('twice'), events },
    answers,
    faults,
  };
}
