// The stage of a benchmark: a service in its own process, with customers and labels, on an embedded PostgreSQL with default settings
// or on a given database.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { Credentials } from '../src/apps/sandbox/credentials.ts';
import { bucketOf, newId, randomBucket } from '../src/core/ids.ts';
import { postTransfers, type Transfer } from '../src/ledger/transfers/post.ts';
import { findEmbedded } from '../src/platform/db/embedded.ts';
import { findPlacement } from '../src/platform/db/find-placement.ts';
import { type Database, openDatabase, type Sql } from '../src/platform/db/sql.ts';

export const CUSTOMERS = 1000;
export const LABELS_EACH = 10;

export type Stage = {
  url: string;
  databaseUrl: string;
  database: Database;
  credentials: Credentials;
  token: string;
  pids: { service: number; server: number };
  dataDir: string;
  /** By customer. */
  labels: string[][];
  /** Starts another process of the project on the same database; it ends with the stage. */
  start(args: string[]): Promise<{ child: ChildProcess; line: string }>;
  service: ChildProcess;
  /** The last error in the log of any process, for messages about unexpected answers. */
  lastError(): string;
  close(): Promise<void>;
};

const OPENING_MINOR_UNITS = 1_000_000_00n;
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 10;
const SETTLED_POLL_MS = 100;
const ERROR_LINE = /^\{"level":[56]0/;
/** Event topic and idempotent resource type of each kind of transfer. */
const NAMES = {
  reallocation: { topic: 'customer_label_reallocation_created', type: 'label-reallocation' },
  deposit: { topic: 'customer_deposit_created', type: 'deposit' },
} as const;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const ROOT = new URL('..', import.meta.url);

/** Closes each open stage. */
const open = new Set<() => Promise<void>>();

function interrupted(): void {
  Promise.allSettled(Array.from(open, (close) => close())).then(() => process.exit(1));
}

/**
 * Starts a service, with customers unless `seeded` is false, and removes it with all its files when it is closed, interrupted, or fails to
 * start. `tree`: the folder of another revision with its dependencies, which starts it.
 */
export async function openStage(
  options: { databaseUrl?: string; env?: Record<string, string>; seeded?: boolean; tree?: string } = {},
): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earmark-bench-'));
  const children: ChildProcess[] = [];
  let database: Database | undefined;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      open.delete(close);
      if (open.size === 0) for (const signal of SIGNALS) process.off(signal, interrupted);
      // The processes first, and the server with the last of them: a long query must not delay the end.
      for (const child of children.reverse()) await stop(child);
      await database?.close();
      rmSync(dataDir, { recursive: true, force: true });
    })();
    return closing;
  };
  if (open.size === 0) for (const signal of SIGNALS) process.once(signal, interrupted);
  open.add(close);
  try {
    const service = await startChild(children, {
      args: ['src/apps/cli/cli.ts', 'serve', '--json'],
      dataDir,
      env: { DATABASE_URL: options.databaseUrl ?? '', ...options.env },
      cwd: options.tree,
    });
    const databaseUrl = options.databaseUrl ?? (await findEmbedded(dataDir))!;
    database = openDatabase(databaseUrl, { max: 1, onError: () => {} });
    const credentials = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as Credentials;
    const env = { DATABASE_URL: databaseUrl, PUBLIC_URL: credentials.base_url };
    return {
      url: credentials.base_url,
      databaseUrl,
      database,
      credentials,
      token: await tokenOf(credentials),
      pids: { service: service.child.pid!, server: await serverPid(database) },
      dataDir,
      labels: options.seeded === false ? [] : await seedGroups(database, { databaseUrl, accountId: credentials.account_id }),
      service: service.child,
      lastError: () => lastErrorOf(dataDir),
      start: (args) => startChild(children, { args, dataDir, env }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Start = { args: string[]; dataDir: string; env: Record<string, string>; cwd?: string | undefined };

async function startChild(children: ChildProcess[], { args, dataDir, env, cwd }: Start) {
  const settings = {
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    MODE: 'sandbox',
    // The default of operators, unless the caller sets another.
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
    DATABASE_URL: '',
    PUBLIC_URL: '',
  };
  const file = join(dataDir, `process-${children.length}.log`);
  const log = openSync(file, 'a');
  const how = { cwd: cwd ?? ROOT, env: { ...process.env, ...settings, ...env } };
  const child = spawn(process.execPath, args, { ...how, stdio: ['ignore', log, 'inherit'] });
  closeSync(log);
  children.push(child);
  return { child, line: await firstLine(child, file) };
}

/** Waits until all events are in the feed and in the transparency log, so that their CPU is of the window that made them. */
export async function untilSettled({ database }: Pick<Stage, 'database'>): Promise<void> {
  for (;;) {
    const [row] = await database.sql<{ settled: boolean }>`
      select not exists (select 1 from event_outbox) and h.position = l.start + l.size as settled
      from event_head h join transparency_log l on l.account_id = h.account_id`;
    if (row?.settled) return;
    await sleep(SETTLED_POLL_MS);
  }
}

/** A transfer between two ledger accounts of the stage. */
export function transferBetween(
  accountId: string,
  pair: { fromId: string; toId: string },
  amount: bigint,
  kind: keyof typeof NAMES = 'reallocation',
): Transfer {
  const bucket = bucketOf(pair.fromId);
  const id = newId(bucket);
  const { topic, type } = NAMES[kind];
  const event = { id: newId(bucket), topic };
  const idempotency = { key: crypto.randomUUID(), fingerprint: crypto.randomUUID() };
  const { fromId, toId } = pair;
  return {
    id,
    kind,
    accountId,
    fromId,
    toId,
    amount,
    currency: 'USD',
    reference: undefined,
    event,
    resource: { type, id },
    idempotency,
  };
}

/**
 * The first line of JSON that a process writes to its log. The log is a file, because reading a pipe would cost the load generator
 * CPU.
 */
async function firstLine(child: ChildProcess, file: string): Promise<string> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const line = readFileSync(file, 'utf8').split('\n').slice(0, -1).find(isAnnouncement);
    if (line) return line;
    await sleep(POLL_MS);
  }
  throw new Error(`a process of the benchmark did not start: ${readFileSync(file, 'utf8')}`);
}

/** Log lines have a level, announcements do not. */
function isAnnouncement(line: string): boolean {
  return line.startsWith('{') && !line.startsWith('{"level"');
}

function lastErrorOf(dataDir: string): string {
  const logs = readdirSync(dataDir).filter((name) => name.startsWith('process-'));
  const lines = logs.flatMap((name) => readFileSync(join(dataDir, name), 'utf8').split('\n'));
  return lines.filter((line) => ERROR_LINE.test(line)).at(-1) ?? 'no error in any log';
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

async function serverPid({ sql }: Database): Promise<number> {
  const [row] = await sql<{ file: string }>`select pg_read_file('postmaster.pid') as file`;
  return Number.parseInt(row!.file, 10);
}

/** An access token of an application, valid for an hour. */
export async function tokenOf({ base_url, client_id, client_secret }: Credentials): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(`${base_url}/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Seeds a database whose groups may be on several servers. */
async function seedGroups(database: Database, { databaseUrl, accountId }: { databaseUrl: string; accountId: string }) {
  const { openGroups } = await findPlacement(database.sql);
  const groups = await openGroups({ databaseUrl, lanes: 1, log: pino({ level: 'silent' }), onError: () => {} });
  try {
    return await seed(database, accountId, (bucket) => groups.database(groups.of(bucket)).sql);
  } finally {
    await groups.close();
  }
}

/** Inserts customers and labels as the API would, with an opening balance each, posted through the ledger on the server of `sqlOf`. */
export async function seed(
  { sql }: Pick<Database, 'sql'>,
  accountId: string,
  sqlOf: (bucket: number) => Sql = () => sql,
): Promise<string[][]> {
  const customers = Array.from({ length: CUSTOMERS }, () => {
    const bucket = randomBucket();
    const made = () => newId(bucket);
    return { bucket, id: made(), external: made(), labels: Array.from({ length: LABELS_EACH }, made) };
  });
  const created = new Date();
  await sql`
    insert into customer (bucket, id, account_id, type, status, first_name, last_name, email, profile, created)
    select bucket, id, ${accountId}, 'business', 'verified', 'Bench', 'Mark', 'bench@example.com', '{}', ${created}
    from unnest(${customers.map((one) => one.bucket)}::int[], ${customers.map((one) => one.id)}::uuid[]) as c (bucket, id)`;
  const accounts = customers.flatMap((one) =>
    [one.external, ...one.labels].map((id) => ({ id, customer: one.id, kind: id === one.external ? 'external' : 'label' })),
  );
  await sql`
    insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, created)
    select bucket, id, ${accountId}, customer, kind, 'USD', ${created}
    from unnest(${accounts.map(({ id }) => bucketOf(id))}::int[], ${accounts.map(({ id }) => id)}::uuid[],
      ${accounts.map(({ customer }) => customer)}::uuid[], ${accounts.map(({ kind }) => kind)}::text[]) as a (bucket, id, customer, kind)`;
  const events = customers.flatMap(({ id, labels }) => [
    { customer: id, resource: id, topic: 'customer_created' },
    ...labels.map((label) => ({ customer: id, resource: label, topic: 'customer_label_created' })),
  ]);
  await sql`
    insert into event_outbox (bucket, account_id, topic, created, ids)
    select outbox_bucket(bucket), ${accountId}, topic, ${created}, array[array[id], array[customer], array[resource]]
    from unnest(${events.map(({ customer }) => bucketOf(customer))}::int[], ${events.map(({ customer }) => newId(bucketOf(customer)))}::uuid[],
      ${events.map(({ customer }) => customer)}::uuid[], ${events.map(({ resource }) => resource)}::uuid[],
      ${events.map(({ topic }) => topic)}::text[]) as e (bucket, id, customer, resource, topic)`;
  for (const one of customers) {
    const opening = one.labels.map((toId) =>
      transferBetween(accountId, { fromId: one.external, toId }, OPENING_MINOR_UNITS, 'deposit'),
    );
    await postTransfers(sqlOf(one.bucket), opening, { now: new Date() });
  }
  return customers.map((one) => one.labels);
}
