// `npm run bench -- documents`: checks that ten uploads a second lower the rate of reallocations only by their own share of the
// processors.
import { Agent, request } from 'node:http';
import sharp from 'sharp';
import { newId, randomBucket } from '../src/core/ids.ts';
import { type Database, openDatabase } from '../src/platform/db/sql.ts';
import { type Load, runLoad } from './load.ts';
import { cpuSeconds } from './processes.ts';
import { reallocations } from './requests.ts';
import { openStage, type Stage } from './stage.ts';
import { latencies } from './statistics.ts';

const UPLOADS_PER_SECOND = 10;
const quick = process.argv.includes('--quick');
const WINDOW_MS = quick ? 2_500 : 4_000;
const PAIRS = quick ? 6 : 12;
const ALONE_MS = quick ? 4_000 : 8_000;
// Until the number of uploads in flight is steady.
const SETTLE_MS = 1_000;
const CONNECTIONS = 64;
const PICTURE = { width: 3000, height: 2000 };
const HAL = 'application/vnd.earmark.v1.hal+json';
const BOUNDARY = 'between-the-parts';
// Margin of error in standard errors of the mean over the pairs; beyond ten points the result is undecided.
const STANDARD_ERRORS = 2;
const ERROR_MAX = 0.1;
const REFUSED_MAX = 0.05;

type Uploads = { made: number; refused: number; latenciesMs: number[] };
/** A time window of reallocations: the load, processor seconds of all processes per second, and uploads per second. */
type Window = { load: Load; perSecond: number; processors: number; uploads: number };
type Pair = { alone: Window; withUploads: Window };
type Run = { picture: Buffer; secondsEach: number; pairs: Pair[]; uploads: Uploads };

const stage = await openStage();
const database = openDatabase(stage.databaseUrl, { max: 1, onError: () => {} });
try {
  const picture = await makePicture();
  const totalMs = ALONE_MS + PAIRS * (WINDOW_MS + SETTLE_MS) + 10_000;
  const owners = await makeOwners(database, Math.ceil((totalMs / 1000) * UPLOADS_PER_SECOND));
  const begin = () => beginUploads(stage, picture, () => owners.pop()!);
  await reallocate(SETTLE_MS);
  const secondsEach = await costOfUpload(begin);
  const pairs: Pair[] = [];
  const uploads: Uploads = { made: 0, refused: 0, latenciesMs: [] };
  for (let pair = 0; pair < PAIRS; pair++) {
    // The order alternates, so that changes over time affect both alike.
    const first = pair % 2 === 0 ? await measure() : undefined;
    const running = begin();
    await sleep(SETTLE_MS);
    const withUploads = await measure(running.uploads);
    await running.end();
    pairs.push({ alone: first ?? (await measure()), withUploads });
    uploads.made += running.uploads.made;
    uploads.refused += running.uploads.refused;
    uploads.latenciesMs.push(...running.uploads.latenciesMs);
  }
  print({ picture, secondsEach, pairs, uploads });
} finally {
  await database.close();
  await stage.close();
}

/** A photograph as large as a phone takes them, and as hard to decode. */
async function makePicture(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  return sharp({ create: { ...PICTURE, channels: 3, background: 'white', noise } })
    .blur(2)
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Inserts owners that need a document, each of a separate customer, as the API would. */
async function makeOwners({ sql }: Database, count: number): Promise<string[]> {
  const accountId = stage.credentials.account_id;
  const rows = Array.from({ length: count }, () => {
    const bucket = randomBucket();
    return { bucket, customer: newId(bucket), owner: newId(bucket) };
  });
  const of = <T>(value: (row: (typeof rows)[0]) => T) => rows.map(value);
  const now = new Date();
  await sql`
    insert into customer (bucket, id, account_id, type, status, first_name, last_name, email, profile, created)
    select bucket, id, ${accountId}, 'business', 'verified', 'Bench', 'Mark', 'bench@example.com', '{}', ${now}
    from unnest(${of((row) => row.bucket)}::int[], ${of((row) => row.customer)}::uuid[]) as c (bucket, id)`;
  await sql`
    insert into beneficial_owner
      (bucket, id, account_id, customer_id, status, first_name, last_name, address, sealed, created, changed)
    select bucket, id, ${accountId}, customer, 'document', 'Bench', 'Mark', '{}', '', ${now}, ${now}
    from unnest(${of((row) => row.bucket)}::int[], ${of((row) => row.owner)}::uuid[], ${of((row) => row.customer)}::uuid[]) as o (bucket, id, customer)`;
  return of((row) => row.owner);
}

/** Open loop: an upload is due every tenth of a second, independent of the service, until `end` is called. */
function beginUploads({ url, token }: Stage, picture: Buffer, nextOwner: () => string) {
  const uploads: Uploads = { made: 0, refused: 0, latenciesMs: [] };
  const agent = new Agent({ keepAlive: true });
  const body = Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="documentType"\r\n\r\npassport\r\n`),
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="scan.jpg"\r\n\r\n`),
    picture,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
  const headers = {
    authorization: `Bearer ${token}`,
    accept: HAL,
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': body.length,
  };
  const one = (dueMs: number) =>
    new Promise<void>((resolve, reject) => {
      const path = `/beneficial-owners/${nextOwner()}/documents`;
      const sent = request({ agent, host: '127.0.0.1', port: new URL(url).port, method: 'POST', path, headers }, (answer) => {
        answer.resume().once('end', () => {
          if (answer.statusCode === 201) uploads.made++;
          else uploads.refused++;
          uploads.latenciesMs.push(performance.now() - dueMs);
          resolve();
        });
      });
      sent.once('error', reject).end(body);
    });
  const begin = performance.now();
  const pending: Promise<void>[] = [];
  let ended = false;
  const loop = (async () => {
    for (let dueMs = begin; !ended; dueMs += 1000 / UPLOADS_PER_SECOND) {
      await sleep(dueMs - performance.now());
      pending.push(one(dueMs));
    }
  })();
  return {
    uploads,
    async end() {
      ended = true;
      await loop;
      await Promise.all(pending);
      agent.destroy();
    },
  };
}

/** Processor seconds of one upload without other load: service, database and this process. */
async function costOfUpload(begin: () => ReturnType<typeof beginUploads>): Promise<number> {
  const warm = begin();
  await sleep(SETTLE_MS);
  await warm.end();
  const before = cpu();
  const running = begin();
  await sleep(ALONE_MS);
  await running.end();
  return (cpu() - before) / running.uploads.made;
}

async function measure(uploads?: Uploads): Promise<Window> {
  const [before, madeBefore, begin] = [cpu(), uploads?.made ?? 0, performance.now()];
  const load = await reallocate(WINDOW_MS);
  const seconds = (performance.now() - begin) / 1000;
  return {
    load,
    perSecond: (load.statuses.get(201) ?? 0) / load.seconds,
    processors: (cpu() - before) / seconds,
    uploads: ((uploads?.made ?? 0) - madeBefore) / seconds,
  };
}

function reallocate(durationMs: number): Promise<Load> {
  const port = Number(new URL(stage.url).port);
  return runLoad({ port, connections: CONNECTIONS, durationMs, next: reallocations(stage, 'uniform') });
}

/** Processor seconds of the service, its database and this process so far. */
function cpu(): number {
  const { service, server, load } = cpuSeconds(stage.pids) ?? { service: Number.NaN, server: 0, load: 0 };
  return service + server + load;
}

function print({ picture, secondsEach, pairs, uploads }: Run): void {
  const line = (...cells: string[]) =>
    process.stdout.write(`${cells.map((cell, index) => (index === 0 ? cell.padEnd(28) : cell.padStart(12))).join('')}\n`);
  const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
  line('reallocations, 64 connections', 'per second', 'p50', 'p99', 'processors', 'uploads/s');
  for (const { alone, withUploads } of pairs) {
    for (const [what, { load, perSecond, processors, uploads }] of [
      ['alone', alone] as const,
      ['with uploads', withUploads] as const,
    ]) {
      const ms = [load.p50Ms, load.p99Ms].map((value) => `${value.toFixed(1)} ms`);
      line(what, Math.round(perSecond).toLocaleString('en'), ...ms, processors.toFixed(2), uploads.toFixed(1));
    }
  }
  const lowered = pairs.map(({ alone, withUploads }) => 1 - withUploads.perSecond / alone.perSecond);
  // Of the processors used without uploads: on a shared machine, fewer than it has.
  const share = pairs.map(({ alone, withUploads }) => (withUploads.uploads * secondsEach) / alone.processors);
  const excess = lowered.map((value, index) => value - share[index]!);
  const error = standardError(excess);
  const { p50Ms, p99Ms } = latencies(uploads.latenciesMs);
  process.stdout.write(`
uploads of ${(picture.length / 1024 / 1024).toFixed(1)} MiB (${PICTURE.width} × ${PICTURE.height}): ${(1000 * secondsEach).toFixed(0)} ms of a processor each by themselves; p50 ${Math.round(p50Ms)} ms, p99 ${Math.round(p99Ms)} ms during reallocations; ${uploads.refused} of ${uploads.made + uploads.refused} refused
they take ${percent(mean(share))} of the processors, and lower the rate of reallocations by ${percent(mean(lowered))}: ${percent(mean(excess))} more, ± ${percent(STANDARD_ERRORS * error)}
`);
  const refusedPart = uploads.refused / (uploads.made + uploads.refused);
  const wasRefused = ({ load }: Window) => load.requests !== load.statuses.get(201);
  const verdict =
    !(error <= ERROR_MAX) || refusedPart > REFUSED_MAX || pairs.some(({ alone }) => wasRefused(alone))
      ? 'UNDECIDED: this machine is too busy for a result'
      : pairs.some(({ withUploads }) => wasRefused(withUploads))
        ? 'FAILED: reallocations were refused during uploads'
        : mean(excess) > STANDARD_ERRORS * error
          ? 'FAILED: uploads lower the rate of reallocations by more than their share of the processors'
          : 'PASSED: uploads do not lower the rate of reallocations by more than their share of the processors';
  process.stdout.write(`${verdict}\n`);
  if (!verdict.startsWith('PASSED')) process.exitCode = 1;
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function standardError(values: number[]): number {
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance / values.length);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, Math.max(0, ms)));
}
