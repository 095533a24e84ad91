// `npm run bench -- tails`: the slow requests. The first one after a start, a pause and a reload beside the median; and minutes of an open
// loop at half of capacity, with webhooks, while the database and the service do what they do in the background.
import { writeFileSync } from 'node:fs';
import { measureFirsts } from './firsts.ts';
import { runLoad, runOpenLoad } from './load.ts';
import { type Cpu, cpuSeconds } from './processes.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { deposits, reallocations } from './requests.ts';
import { plot } from './research/plot.ts';
import { openStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';
import { atMost, ms, times, type Verdict } from './targets.ts';

const QUICK = process.argv.includes('--quick');
const STARTS = 5;

const WARM_UP_MS = 20_000;
const CAPACITY_MS = 20_000;
const MINUTES = QUICK ? 1 : 10;
const CONNECTIONS = { capacity: 64, open: 256 };
const WEBHOOKS_PER_SECOND = 200;
const P99_OF_P50 = 6;
const SECOND_P99_MS = 100;
/** Of the usual CPU of the load generator: a sign that the machine gives less to everybody. */
const SLOWED = 1.25;
const COLOUR = '#2f81f7';

const verdicts = await measureFirsts(QUICK ? 1 : STARTS);
if (!process.argv.includes('--cold')) verdicts.push(...(await measureTails()));
process.stdout.write(
  `\n${verdicts.map(({ target, measured, met }) => `${target}: ${measured}, ${met ? 'met' : 'NOT met'}`).join('\n')}\n`,
);
if (verdicts.some(({ met }) => !met)) process.exitCode = 1;

async function measureTails(): Promise<Verdict[]> {
  const receiver = await startReceiver();
  const stage = await openStage({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  try {
    await subscribe(stage, receiver);
    const port = Number(new URL(stage.url).port);
    const next = reallocations(stage, 'uniform');
    const load = { port, connections: CONNECTIONS.capacity, next };
    await runLoad({ ...load, durationMs: WARM_UP_MS });
    const { perSecond: capacity } = await runLoad({ ...load, durationMs: CAPACITY_MS });
    const perSecond = Math.round(capacity / 2);
    const [before, received, cpuBefore] = [await background(stage), await receiver.received(), cpuSeconds(stage.pids)];
    const open = await runOpenLoad({
      ...{ port, connections: CONNECTIONS.open, durationMs: MINUTES * 60_000, perSecond },
      next: withDeposits(stage, next, WEBHOOKS_PER_SECOND / perSecond),
    });
    const [after, delivered, cpu] = [await background(stage), (await receiver.received()) - received, cpuSeconds(stage.pids)];
    const others = [...open.statuses].filter(([status]) => status !== 201);
    if (others.length > 0) throw new Error(`requests were answered with ${others}: ${stage.lastError()}`);
    const slow = open.p99OfSecondsMs.filter((valueMs) => valueMs > SECOND_P99_MS).length;
    const usualMicros = median(open.cpuOfSecondsMicros);
    const slowed = open.cpuOfSecondsMicros.filter((micros) => micros > SLOWED * usualMicros).length;
    const shareOf = (part: (cpu: Cpu) => number) =>
      cpu && cpuBefore ? ((part(cpu) - part(cpuBefore)) / open.seconds).toFixed(2) : 'unknown';
    process.stdout.write(
      `${MINUTES} minutes at ${perSecond} a second, half of capacity: p50 ${ms(open.p50Ms)}, p99 ${ms(open.p99Ms)}; ` +
        `${Math.round(delivered / (MINUTES * 60))} webhooks a second, ${after.checkpoints - before.checkpoints} checkpoints, ` +
        `${after.vacuums - before.vacuums} autovacuums; the proof of all money was ${after.proofAgeSeconds.toFixed(0)} s old at the end; ` +
        `in ${slowed} seconds the load generator took more than ${SLOWED} times its usual CPU for an answer\n` +
        `of a core: ${shareOf((one) => one.service)} the service, ${shareOf((one) => one.server)} the database, ` +
        `${shareOf((one) => one.load)} the load generator\n`,
    );
    if (!QUICK) draw(open.p99OfSecondsMs);
    return [
      atMost(`p99 at most ${P99_OF_P50} times p50`, { measured: open.p99Ms / open.p50Ms, most: P99_OF_P50, format: times }),
      atMost(`no second with a p99 over ${SECOND_P99_MS} ms`, { measured: slow, most: 0, format: (count) => `${count} seconds` }),
    ];
  } finally {
    await stage.close();
    receiver.stop();
  }
}

/** To the deposits. */
async function subscribe({ url, token }: Stage, receiver: Receiver): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: receiver.url, secret: 'a secret of the benchmark', topics: ['customer_deposit_created'] });
  const response = await fetch(`${url}/webhook-subscriptions`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`no subscription: ${await response.text()}`);
}

/** Makes a share of the requests deposits. */
function withDeposits(stage: Stage, next: () => string, share: number): () => string {
  const deposit = deposits(stage);
  return () => (Math.random() < share ? deposit() : next());
}

/** What the database and the ledger check have done. */
async function background({ database: { sql } }: Stage) {
  const [row] = await sql<{ checkpoints: number; vacuums: number; proofAgeSeconds: number }>`
    select num_done::int as checkpoints, (select sum(autovacuum_count)::int from pg_stat_user_tables) as vacuums,
      extract(epoch from clock_timestamp() - (select until from ledger_proof))::float8 as proof_age_seconds
    from pg_stat_checkpointer`;
  return row!;
}

function draw(p99OfSecondsMs: number[]): void {
  const points = p99OfSecondsMs.map((valueMs, second): [number, number] => [second / 60, valueMs]);
  const xTicks = Array.from({ length: MINUTES + 1 }, (_, minute) => minute);
  const series = [{ name: 'p99', colour: COLOUR, points }];
  const panel = { title: 'p99 of each second in milliseconds', xTitle: 'minutes at half of capacity', series, xTicks };
  writeFileSync(new URL('tails.svg', import.meta.url), plot([panel], panel.title));
  process.stdout.write('bench/tails.svg\n');
}
