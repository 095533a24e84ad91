// `npm run bench:documents`: reallocations per second beside ten uploads of documents a second, and without; how much of the processors the uploads take by themselves.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import sharp from 'sharp';
import { type Database, openDatabase } from '../src/db/sql.ts';
import { newId, randomBucket } from '../src/ids.ts';
import { type Load, runLoad } from './load.ts';
import { openMix } from './mixes.ts';
import { cpuSecondsOf } from './processes.ts';
import { openStage, type Stage } from './stage.ts';

const UPLOADS_PER_SECOND = 10;
const quick = process.argv.includes('--quick');
const DURATION_MS = quick ? 5_000 : 15_000;
const ROUNDS = quick ? 2 : 3;
const CONNECTIONS = 64;
const PICTURE = { width: 3000, height: 2000 };
const HAL = 'application/vnd.earmark.v1.hal+json';

type Uploads = { made: number; refused: number; latenciesMs: number[] };

const stage = await openStage();
const database = openDatabase(stage.databaseUrl, { max: 1, onError: () => {} });
try {
  const picture = await makePicture();
  const owners = await makeOwners(database, (ROUNDS + 1) * ((DURATION_MS / 1000) * UPLOADS_PER_SECOND + 10));
  const nextOwner = () => owners.pop()!;
  await runUploads(stage, picture, nextOwner, 1_000);
  const alone = await cpuShare(() => runUploads(stage, picture, nextOwner, DURATION_MS));
  const [without, beside]: [Load[], Load[]] = [[], []];
  const uploads: Uploads[] = [alone.result];
  await reallocate(stage, 2_000);
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await reallocate(stage, DURATION_MS));
    const [load, made] = await Promise.all([reallocate(stage, DURATION_MS), runUploads(stage, picture, nextOwner, DURATION_MS)]);
    beside.push(load);
    uploads.push(made);
  }
  print({ picture, share: alone.share, without, beside, uploads });
} finally {
  await database.close();
  await stage.close();
}

/** A photograph, as large as a telephone makes them and as hard to decode. */
async function makePicture(): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 };
  return sharp({ create: { ...PICTURE, channels: 3, background: 'white', noise } })
    .blur(2)
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Owners that need a document, each of a customer of its own, as the rooms make them. */
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

/** Open loop: an upload falls due every tenth of a second, whatever the service does. */
async function runUploads({ url, token }: Stage, picture: Buffer, nextOwner: () => string, durationMs: number): Promise<Uploads> {
  const uploads: Uploads = { made: 0, refused: 0, latenciesMs: [] };
  const one = async () => {
    const body = new FormData();
    body.set('documentType', 'passport');
    body.set('file', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'scan.jpg');
    const sent = performance.now();
    const headers = { authorization: `Bearer ${token}`, accept: HAL };
    const response = await fetch(`${url}/beneficial-owners/${nextOwner()}/documents`, { method: 'POST', headers, body });
    await response.text();
    if (response.status === 201) uploads.made++;
    else uploads.refused++;
    uploads.latenciesMs.push(performance.now() - sent);
  };
  const begin = performance.now();
  const running: Promise<void>[] = [];
  for (let due = 0; due < durationMs; due += 1000 / UPLOADS_PER_SECOND) {
    await new Promise((resume) => setTimeout(resume, Math.max(0, begin + due - performance.now())));
    running.push(one());
  }
  await Promise.all(running);
  return uploads;
}

async function reallocate({ url, token, labels }: Stage, durationMs: number): Promise<Load> {
  const pick = openMix('uniform', labels);
  const next = () => {
    const { fromId, toId, value } = pick();
    const body = `{"_links":{"from":{"href":"${url}/labels/${fromId}"},"to":{"href":"${url}/labels/${toId}"}},"amount":{"value":"${value}","currency":"USD"}}`;
    return `POST /label-reallocations HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\nAccept: ${HAL}\r\nIdempotency-Key: ${crypto.randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  return runLoad({ port: Number(new URL(url).port), connections: CONNECTIONS, durationMs, next });
}

/** The share of all processors that the service, its database and this process used during some work; whatever else runs here is not in it. */
async function cpuShare<T>(work: () => Promise<T>): Promise<{ share: number; result: T }> {
  const pids = await pidsOf(stage);
  const used = () => pids.reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0);
  const [before, begin] = [used(), performance.now()];
  const result = await work();
  const seconds = (performance.now() - begin) / 1000;
  return { share: (used() - before) / (seconds * availableParallelism()), result };
}

/** The service with its children, the database's processes, and this one. */
async function pidsOf({ service, database: { sql } }: Stage): Promise<number[]> {
  const backends = await sql<{ pid: number }>`select pid from pg_stat_activity`;
  const children = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return [...new Set([process.pid, service.pid!, ...children, ...backends.map(({ pid }) => pid)])];
}

function print(run: { picture: Buffer; share: number; without: Load[]; beside: Load[]; uploads: Uploads[] }): void {
  const { picture, share, without, beside, uploads } = run;
  const mean = (loads: Load[]) =>
    loads.reduce((sum, load) => sum + (load.statuses.get(201) ?? 0) / load.seconds, 0) / loads.length;
  const line = (what: string, ...cells: string[]) =>
    process.stdout.write(`${what.padEnd(40)}${cells.map((cell) => cell.padStart(12)).join('')}\n`);
  const row = (what: string, load: Load) => {
    const made = load.statuses.get(201) ?? 0;
    const ms = [load.p50Ms, load.p99Ms].map((value) => `${value.toFixed(1)} ms`);
    line(what, Math.round(made / load.seconds).toLocaleString('en'), ...ms, String(load.requests - made));
  };
  line('reallocations, 64 connections', 'per second', 'p50', 'p99', 'refused');
  for (const [round, load] of without.entries()) {
    row('alone', load);
    row(`beside ${UPLOADS_PER_SECOND} uploads a second`, beside[round]!);
  }
  const latenciesMs = uploads
    .slice(1)
    .flatMap((one) => one.latenciesMs)
    .sort((a, b) => a - b);
  const at = (part: number) => Math.round(latenciesMs[Math.floor(latenciesMs.length * part)] ?? Number.NaN);
  const refused = uploads.reduce((sum, one) => sum + one.refused, 0);
  const lowered = 1 - mean(beside) / mean(without);
  const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
  process.stdout.write(`
uploads of ${(picture.length / 1024 / 1024).toFixed(1)} MiB (${PICTURE.width} × ${PICTURE.height}): p50 ${at(0.5)} ms, p99 ${at(0.99)} ms beside reallocations; ${refused} refused
alone they keep ${percent(share)} of the processors busy (both ends of the connection); they lower the rate of reallocations by ${percent(lowered)}
`);
  if (refused > 0) process.exitCode = 1;
}
