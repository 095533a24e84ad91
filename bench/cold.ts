// `npm run bench -- cold`: the first request after a start, after an hour without requests, and after a reload, beside the median of the
// requests that follow. `--rounds N` repeats it; the median of the rounds counts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openConnection } from './load.ts';
import { openMix } from './mixes.ts';
import { get, reallocations } from './requests.ts';
import { openStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const ROUNDS = Number(values.rounds);
/** Of the median. */
const FIRST_AT_MOST = 5;
const FOLLOWING = 200;
const POLL_MS = 50;
const SETTLED_MS = 1_000;
/** What a supervisor logs when each of its processes is a new one. */
const RELOADED = '"msg":"every worker was replaced"';

const KINDS = ['reallocation', 'label', 'entries'] as const;
type Kind = (typeof KINDS)[number];
type Cold = { state: string; kind: Kind; firstMs: number; medianMs: number };

/** What makes a service cold. Each kind of request is the first one of a new process, or after it was idle. */
const STATES: Record<string, { workers: string; cool?: (stage: Stage) => Promise<void> }> = {
  'after a start': { workers: '1' },
  'after an hour idle': { workers: '1', cool: closeConnections },
  'after a reload': { workers: '2', cool: reload },
};

const found: Cold[] = [];
for (let round = 0; round < ROUNDS; round++)
  for (const [state, { workers, cool }] of Object.entries(STATES))
    for (const kind of KINDS) found.push({ state, kind, ...(await measure(kind, { WORKERS: workers }, cool)) });

process.stdout.write(
  `${'first request'.padEnd(36)}${['first ms', 'median ms', 'ratio'].map((head) => head.padStart(11)).join('')}\n`,
);
let passed = true;
for (const of of Map.groupBy(found, ({ state, kind }) => `${state}, ${kind}`)) passed = report(...of) && passed;
process.stdout.write(`${passed ? 'met    ' : 'NOT met'} the first request takes at most ${FIRST_AT_MOST} × the median\n`);
if (!passed) process.exitCode = 1;

function report(what: string, rounds: Cold[]): boolean {
  const [first, usual] = [median(rounds.map(({ firstMs }) => firstMs)), median(rounds.map(({ medianMs }) => medianMs))];
  const ratio = median(rounds.map(({ firstMs, medianMs }) => firstMs / medianMs));
  const cells = [first.toFixed(2), usual.toFixed(2), ratio.toFixed(1)].map((cell) => cell.padStart(11));
  process.stdout.write(`${what.padEnd(36)}${cells.join('')}\n`);
  return ratio <= FIRST_AT_MOST;
}

/** Measures on a service of its own, because the first request warms what the next one needs. */
async function measure(kind: Kind, env: Record<string, string>, cool?: (stage: Stage) => Promise<void>) {
  const stage = await openStage({ env });
  try {
    const next = requestsOf(stage, kind);
    if (cool) {
      await send(stage, next, FOLLOWING);
      await cool(stage);
    }
    const [firstMs] = await send(stage, next, 1);
    return { firstMs: firstMs!, medianMs: median(await send(stage, next, FOLLOWING)) };
  } finally {
    await stage.close();
  }
}

function requestsOf(stage: Stage, kind: Kind): () => string {
  if (kind === 'reallocation') return reallocations(stage, 'uniform');
  const pick = openMix('uniform', stage.labels);
  const rest = kind === 'entries' ? '/ledger-entries' : '';
  return () => get(`/labels/${pick().fromId}${rest}`, stage.token);
}

/** Sends requests one after another on a new connection, and returns their times. */
async function send({ url, lastError }: Stage, next: () => string, count: number): Promise<number[]> {
  const timesMs: number[] = [];
  const call = await openConnection(Number(new URL(url).port));
  while (timesMs.length < count) {
    const beginMs = performance.now();
    const status = await call.send(next());
    timesMs.push(performance.now() - beginMs);
    if (status !== 200 && status !== 201) throw new Error(`answered ${status}: ${lastError()}`);
  }
  call.close();
  return timesMs;
}

/** An hour without requests leaves no connection to the database. What the machine does with idle memory meanwhile is not simulated. */
async function closeConnections({ database: { sql } }: Stage): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
  // The service notices that they are gone.
  await sleep(SETTLED_MS);
}

async function reload({ service, dataDir }: Stage): Promise<void> {
  service.kill('SIGHUP');
  while (!readFileSync(join(dataDir, 'process-0.log'), 'utf8').includes(RELOADED)) await sleep(POLL_MS);
}
