// `npm run bench`: reallocations per second over HTTP on the real service with everything on, beside the batch function called directly; the books are verified afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findEmbedded } from '../src/db/embedded.ts';
import { type Database, openDatabase } from '../src/db/sql.ts';
import { bucketOf, newId, randomBucket } from '../src/ids.ts';
import { postTransfers, type Transfer } from '../src/ledger/post.ts';
import { verifyLedger } from '../src/ledger/verify.ts';
import type { Credentials } from '../src/sandbox/sandbox.ts';
import { runLoad } from './load.ts';

const CUSTOMERS = 1000;
const LABELS_EACH = 10;
const OPENING_MINOR_UNITS = 1_000_000_00n;
const CONNECTIONS = [1, 64, 256];
const BATCH = 200;
const quick = process.argv.includes('--quick');
const DURATION_MS = quick ? 3_000 : 10_000;
const HAL = 'application/vnd.earmark.v1.hal+json';

type Labels = string[][];
type Row = { what: string; perSecond: number; p50Ms: number | undefined; p99Ms: number | undefined; refused: number };

const dataDir = mkdtempSync(join(tmpdir(), 'earmark-bench-'));
const { child, url } = await startService(dataDir);
const database = openDatabase((await findEmbedded(dataDir))!, { max: 1, onError: () => {} });
try {
  const credentials = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as Credentials;
  const labels = await seed(database, credentials.account_id);
  const rows: Row[] = [await direct(database, credentials.account_id, labels)];
  for (const connections of CONNECTIONS) rows.push(await overHttp(url, await tokenOf(credentials), labels, connections));
  rows.push(await overHttp(url, await tokenOf(credentials), [labels[0]!.slice(0, 2)], 64, 'one hot pair'));
  print(rows);
  await prove(database, rows);
} finally {
  await database.close();
  await stop(child);
  rmSync(dataDir, { recursive: true, force: true });
}

/** Starts the service as a process of its own, as a user would. */
async function startService(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    MODE: 'sandbox',
    LOG_LEVEL: 'warn',
    DATABASE_URL: '',
    PUBLIC_URL: '',
  };
  const child = spawn(process.execPath, ['src/cli.ts', 'serve', '--json'], {
    cwd: new URL('..', import.meta.url),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout! }))
    return { child, url: (JSON.parse(line) as { url: string }).url };
  throw new Error('the service did not start');
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** Customers and labels as the rooms make them, with an opening balance each, posted through the ledger. */
async function seed({ sql }: Database, accountId: string): Promise<Labels> {
  const customers = Array.from({ length: CUSTOMERS }, () => {
    const bucket = randomBucket();
    const made = () => newId(bucket);
    return { bucket, id: made(), external: made(), labels: Array.from({ length: LABELS_EACH }, made) };
  });
  await sql`
    insert into customer (bucket, id, account_id, type, status, first_name, last_name, email, profile, created)
    select bucket, id, ${accountId}, 'business', 'verified', 'Bench', 'Mark', 'bench@example.com', '{}', ${new Date()}
    from unnest(${customers.map((one) => one.bucket)}::int[], ${customers.map((one) => one.id)}::uuid[]) as c (bucket, id)`;
  const accounts = customers.flatMap((one) =>
    [one.external, ...one.labels].map((id) => ({ id, customer: one.id, kind: id === one.external ? 'external' : 'label' })),
  );
  await sql`
    insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, created)
    select bucket, id, ${accountId}, customer, kind, 'USD', ${new Date()}
    from unnest(${accounts.map(({ id }) => bucketOf(id))}::int[], ${accounts.map(({ id }) => id)}::uuid[], ${accounts.map(({ customer }) => customer)}::uuid[],
      ${accounts.map(({ kind }) => kind)}::text[]) as a (bucket, id, customer, kind)`;
  for (const one of customers) {
    await postTransfers(
      sql,
      one.labels.map((label) => transfer(accountId, { fromId: one.external, toId: label }, OPENING_MINOR_UNITS, 'deposit')),
    );
  }
  await sql`vacuum analyze ledger_account`;
  return customers.map((one) => one.labels);
}

function transfer(
  accountId: string,
  pair: { fromId: string; toId: string },
  amount: bigint,
  kind: Transfer['kind'] = 'reallocation',
): Transfer {
  const bucket = bucketOf(pair.fromId);
  const id = newId(bucket);
  const idempotency = { key: randomUUID(), fingerprint: randomUUID() };
  const event = { id: newId(bucket), topic: 'customer_label_reallocation_created' };
  return {
    id,
    kind,
    accountId,
    ...pair,
    amount,
    currency: 'USD',
    reference: undefined,
    event,
    resource: { type: 'label-reallocation', id },
    idempotency,
  };
}

function pick<T>(list: T[]): T {
  return list[Math.floor(Math.random() * list.length)]!;
}

function pickPair(labels: Labels): { fromId: string; toId: string } {
  const own = pick(labels);
  const from = Math.floor(Math.random() * own.length);
  const to = (from + 1 + Math.floor(Math.random() * (own.length - 1))) % own.length;
  return { fromId: own[from]!, toId: own[to]! };
}

/** The batch function, one connection, full batches: what the database can do when nothing is in its way. */
async function direct({ sql }: Database, accountId: string, labels: Labels): Promise<Row> {
  const begin = performance.now();
  let posted = 0;
  while (performance.now() - begin < DURATION_MS) {
    const batch = Array.from({ length: BATCH }, () => transfer(accountId, pickPair(labels), 1n));
    const outcomes = await postTransfers(sql, batch);
    posted += outcomes.filter((outcome) => outcome.code === 'posted').length;
  }
  return {
    what: `batch function, ${BATCH} a call`,
    perSecond: (posted / (performance.now() - begin)) * 1000,
    p50Ms: undefined,
    p99Ms: undefined,
    refused: 0,
  };
}

async function overHttp(url: string, token: string, labels: Labels, connections: number, mix = 'uniform'): Promise<Row> {
  const next = () => {
    const { fromId, toId } = pickPair(labels);
    const body = `{"_links":{"from":{"href":"${url}/labels/${fromId}"},"to":{"href":"${url}/labels/${toId}"}},"amount":{"value":"0.01","currency":"USD"}}`;
    return `POST /label-reallocations HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${HAL}\r\nAccept: ${HAL}\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const load = await runLoad({ port: Number(new URL(url).port), connections, durationMs: DURATION_MS, next });
  const made = load.statuses.get(201) ?? 0;
  return {
    what: `HTTP, ${connections} connections, ${mix}`,
    perSecond: made / load.seconds,
    p50Ms: load.p50Ms,
    p99Ms: load.p99Ms,
    refused: load.requests - made,
  };
}

async function tokenOf({ base_url, client_id, client_secret }: Credentials): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(`${base_url}/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

function print(rows: Row[]): void {
  const direct = rows[0]!.perSecond;
  const ms = (value: number | undefined) => (value === undefined ? '' : `${value.toFixed(1)} ms`).padStart(10);
  process.stdout.write(
    `${'reallocations'.padEnd(40)}${'per second'.padStart(12)}${'of direct'.padStart(11)}${'p50'.padStart(10)}${'p99'.padStart(10)}${'refused'.padStart(9)}\n`,
  );
  for (const row of rows) {
    const share = `${Math.round((100 * row.perSecond) / direct)} %`;
    process.stdout.write(
      `${row.what.padEnd(40)}${Math.round(row.perSecond).toLocaleString('en').padStart(12)}${share.padStart(11)}${ms(row.p50Ms)}${ms(row.p99Ms)}${String(row.refused).padStart(9)}\n`,
    );
  }
}

/** Money is conserved, nothing is below zero, and the database holds as many transfers as were acknowledged. */
async function prove(database: Database, rows: Row[]): Promise<void> {
  const violations = await database.transaction(verifyLedger);
  const refused = rows.reduce((sum, row) => sum + row.refused, 0);
  process.stdout.write(
    `\nbooks: ${violations.length === 0 ? 'every rule of `earmark verify` holds' : JSON.stringify(violations[0])}; ${refused} requests refused\n`,
  );
  if (violations.length > 0 || refused > 0) process.exitCode = 1;
}
