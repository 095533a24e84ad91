// `npm run bench -- batches`: batches of 1,000 reallocations over HTTP against the posting function called directly with as many, in
// interleaved windows of one run. `--quick` takes a fifth of the time.
import { randomUUID } from 'node:crypto';
import { postTransfers } from '../src/ledger/transfers/post.ts';
import { runLoad } from './load.ts';
import { openMix } from './mixes.ts';
import { openStage, type Stage, transferBetween } from './stage.ts';
import { median } from './statistics.ts';
import { integer } from './tables.ts';

/** Atomic batches are of one customer. The function is called with items of the same kind. */
const SIDES = ['function', 'independent', 'function, one customer', 'atomic'] as const;
type Side = (typeof SIDES)[number];
type Mode = 'independent' | 'atomic';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 2 : 7;
const WINDOW_MS = quick ? 2_000 : 4_000;
const ITEMS = 1000;
const CONNECTIONS = 3;
/** The least shares of the rate of the posting function. */
const TARGETS: Record<Mode, { least: number; of: Side }> = {
  independent: { least: 0.6, of: 'function' },
  atomic: { least: 0.4, of: 'function, one customer' },
};
const NAME_WIDTH = 24;
const NUMBER_WIDTH = 18;
const HAL = 'application/vnd.earmark.v1.hal+json';

const stage = await openStage();
try {
  const rounds: Record<Side, number>[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const rates = {} as Record<Side, number>;
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) rates[side] = await measure(stage, side);
    // The first does not count.
    if (round > 0) rounds.push(rates);
  }
  line(`${ITEMS} items`, ['items per second', 'of the function']);
  for (const side of SIDES) {
    const rate = integer(median(rounds.map((rates) => rates[side])));
    if (!isMode(side)) {
      line(side, [rate, '']);
      continue;
    }
    const { least, of } = TARGETS[side];
    const share = median(rounds.map((rates) => rates[side] / rates[of]));
    line(side, [rate, `${Math.round(share * 100)} %`]);
    console.log(`  at least ${least * 100} %: ${share >= least ? 'met' : 'NOT met'}`);
    if (share < least) process.exitCode = 1;
  }
} finally {
  await stage.close();
}

/** Reallocations a second. */
async function measure(stage: Stage, side: Side): Promise<number> {
  const { sql } = stage.database;
  const before = await countTransfers(stage);
  const begin = performance.now();
  let sent = 0;
  if (!isMode(side)) {
    for (; performance.now() - begin < WINDOW_MS; sent += ITEMS) {
      const pick = openMix('uniform', side === 'function' ? stage.labels : oneOf(stage));
      const batch = Array.from({ length: ITEMS }, () => transferBetween(stage.credentials.account_id, pick(), 1n));
      await postTransfers(sql, batch, { now: new Date() });
    }
  } else {
    const port = Number(new URL(stage.url).port);
    const load = await runLoad({ port, connections: CONNECTIONS, durationMs: WINDOW_MS, next: () => batchOf(stage, side) });
    sent = (load.statuses.get(201) ?? 0) * ITEMS;
  }
  const seconds = (performance.now() - begin) / 1000;
  const made = (await countTransfers(stage)) - before;
  if (made !== sent) throw new Error(`${side}: ${made} of ${sent} reallocations are stored; ${stage.lastError()}`);
  return made / seconds;
}

async function countTransfers({ database }: Stage): Promise<number> {
  const [row] = await database.sql<{ count: bigint }>`select count(*) from transfer`;
  return Number(row!.count);
}

/** The bytes of a batch: an atomic one is of one customer, an independent one of any. */
function batchOf(stage: Stage, mode: Mode): string {
  const { url, token, labels } = stage;
  const pick = openMix('uniform', mode === 'atomic' ? oneOf(stage) : labels);
  const items = Array.from({ length: ITEMS }, () => {
    const { fromId, toId, value } = pick();
    const links = { from: { href: `${url}/labels/${fromId}` }, to: { href: `${url}/labels/${toId}` } };
    return { _links: links, amount: { value, currency: 'USD' } };
  });
  const body = JSON.stringify({ mode, items });
  return `POST /label-reallocation-batches HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\nAccept: ${HAL}\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** The labels of one customer. */
function oneOf({ labels }: Stage): string[][] {
  return [labels[Math.floor(Math.random() * labels.length)]!];
}

function isMode(side: Side): side is Mode {
  return side in TARGETS;
}

function line(name: string, cells: string[]): void {
  console.log(name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join(''));
}
