// The rate of single reallocations while transparency logs are built, beside the rate while they are held, in windows that take turns.
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from './load.ts';
import { reallocations } from './requests.ts';
import { openStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';
import { integer } from './tables.ts';

const CONNECTIONS = 64;
const LEAST_RATIO = 0.97;
const POLL_MS = 50;

type Round = { built: number; held: number; behind: number };

/** Returns whether the target is met. */
export async function compareRates({ rounds, windowMs }: { rounds: number; windowMs: number }): Promise<boolean> {
  const stage = await openStage();
  try {
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round++) {
      const one = { built: 0, held: 0, behind: 0 };
      for (const side of round % 2 === 0 ? (['built', 'held'] as const) : (['held', 'built'] as const)) {
        await begin(stage, side === 'held');
        one[side] = await rateOf(stage, windowMs);
        if (side === 'built') one.behind = await countBehind(stage);
      }
      // The first does not count.
      if (round > 0) measured.push(one);
    }
    const of = (part: keyof Round) => median(measured.map((one) => one[part]));
    const ratio = median(measured.map(({ built, held }) => built / held));
    const verdict = ratio >= LEAST_RATIO ? 'met' : 'NOT met';
    process.stdout.write(
      `${CONNECTIONS} connections: ${integer(of('built'))} reallocations a second with the log, which ends ${integer(of('behind'))} events behind; ` +
        `${integer(of('held'))} without\nratio: at least ${LEAST_RATIO}: ${verdict} (${ratio.toFixed(3)}, median of ${rounds})\n`,
    );
    return verdict === 'met';
  } finally {
    await stage.close();
  }
}

/** Waits until the logs have every event, so that each window begins alike, and then holds them or lets the service build them. */
async function begin(stage: Stage, isHeld: boolean): Promise<void> {
  const { sql } = stage.database;
  await sql`update transparency_log set held = null`;
  while ((await countBehind(stage)) > 0) await sleep(POLL_MS);
  if (isHeld) await sql`update transparency_log set held = now()`;
}

/** The events that are not in the log: in the outbox, or in the feed. */
async function countBehind({ database: { sql } }: Stage): Promise<number> {
  const [row] = await sql<{ behind: bigint }>`
    select (select count(*) from event_outbox) + (select coalesce(sum(h.position - coalesce(l.start + l.size, 0)), 0)
      from event_head h left join transparency_log l on l.account_id = h.account_id)::bigint as behind`;
  return Number(row!.behind);
}

async function rateOf(stage: Stage, durationMs: number): Promise<number> {
  const next = reallocations(stage, 'uniform');
  const load = await runLoad({ port: Number(new URL(stage.url).port), connections: CONNECTIONS, durationMs, next });
  const made = load.statuses.get(201) ?? 0;
  if (made < load.requests) throw new Error(`${load.requests - made} requests failed: ${stage.lastError()}`);
  return load.perSecond;
}
