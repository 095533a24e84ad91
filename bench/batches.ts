// `npm run bench:batches`: batches of 1,000 reallocations over HTTP against the posting function called directly with as many, in
// interleaved windows of one run. `--quick` takes a fifth of the time.
import { randomUUID } from 'node:crypto';
import { postTransfers } from '../src/ledger/post.ts';
import { runLoad } from './load.ts';
import { openMix } from './mixes.ts';
import { openStage, type Stage, transferBetween } from './stage.ts';
import { median } from './statistics.ts';
import { integer } from './tables.ts';

const SIDES = ['function', 'independent', 'atomic'] as const;
type Side = (typeof SIDES)[number];

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 2 : 7;
const WINDOW_MS = quick ? 2_000 : 4_000;
const ITEMS = 1000;
const CONNECTIONS = 3;
/** The least shares of the rate of the posting function. */
const LEAST: Record<Exclude<Side, 'function'>, number> = { independent: 0.6, atomic: 0.4 };
const NAME_WIDTH = 14;
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
    const share = median(rounds.map((rates) => rates[side] / rates.function));
    line(side, [integer(median(rounds.map((rates) => rates[side]))), `${Math.round(share * 100)} %`]);
    if (side === 'function') continue;
    console.log(`  at least ${LEAST[side] * 100} %: ${share >= LEAST[side] ? 'met' : 'NOT met'}`);
    if (share < LEAST[side]) process.exitCode = 1;
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
  if (side === 'function') {
    const pick = openMix('uniform', stage.labels);
    for (; performance.now() - begin < WINDOW_MS; sent += ITEMS) {
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
function batchOf({ url, token, labels }: Stage, mode: 'atomic' | 'independent'): string {
  const customers = mode === 'atomic' ? [labels[Math.floor(Math.random() * labels.length)]!] : labels;
  const pick = openMix('uniform', customers);
  const items = Array.from({ length: ITEMS }, () => {
    const { fromId, toId, value } = pick();
    const links = { from: { href: `${url}/labels/${fromId}` }, to: { href: `${url}/labels/${toId}` } };
    return { _links: links, amount: { value, currency: 'USD' } };
  });
  const body = JSON.stringify({ mode, items });
  return `POST /label-reallocation-batches HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\nAccept: ${HAL}\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function line(name: string, cells: string[]): void {
  console.log(name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(NUMBER_WIDTH)).join(''));
}
