// The stage of a benchmark: a service as a process of its own on an embedded PostgreSQL with the default settings, customers and labels, and what each process used.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findEmbedded } from '../src/db/embedded.ts';
import { type Database, openDatabase } from '../src/db/sql.ts';
import { bucketOf, newId, randomBucket } from '../src/ids.ts';
import { postTransfers, type Transfer } from '../src/ledger/post.ts';
import type { Credentials } from '../src/sandbox/sandbox.ts';

export const CUSTOMERS = 1000;
export const LABELS_EACH = 10;

export type Stage = {
  url: string;
  databaseUrl: string;
  database: Database;
  credentials: Credentials;
  token: string;
  /** By customer. */
  labels: string[][];
  /** Starts another process of the project on the same database; ends with the stage. */
  start(args: string[]): Promise<{ child: ChildProcess; line: string }>;
  service: ChildProcess;
  close(): Promise<void>;
};

const OPENING_MINOR_UNITS = 1_000_000_00n;
const ROOT = new URL('..', import.meta.url);

export async function openStage(): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earmark-bench-'));
  const children: ChildProcess[] = [];
  const run = async (args: string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.unshift(child);
    return { child, line: await firstLine(child) };
  };
  const settings = {
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    MODE: 'sandbox',
    LOG_LEVEL: 'warn',
    DATABASE_URL: '',
    PUBLIC_URL: '',
  };
  const { child: service } = await run(['src/cli.ts', 'serve', '--json'], settings);
  const databaseUrl = (await findEmbedded(dataDir))!;
  const database = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  const credentials = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as Credentials;
  return {
    url: credentials.base_url,
    databaseUrl,
    database,
    credentials,
    token: await tokenOf(credentials),
    labels: await seed(database, credentials.account_id),
    service,
    start: (args) => run(args, { ...settings, DATABASE_URL: databaseUrl, PUBLIC_URL: credentials.base_url }),
    async close() {
      await database.close();
      for (const child of children) await stop(child);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A transfer between two ledger accounts of the stage. */
export function transferBetween(
  accountId: string,
  pair: { fromId: string; toId: string },
  amount: bigint,
  kind: Transfer['kind'] = 'reallocation',
): Transfer {
  const bucket = bucketOf(pair.fromId);
  const id = newId(bucket);
  const event = { id: newId(bucket), topic: 'customer_label_reallocation_created' };
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
    resource: { type: 'label-reallocation', id },
    idempotency,
  };
}

/** Seconds of CPU that a process has used, or undefined where the system does not tell. */
export function cpuSecondsOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('{')) {
      child.stdout!.resume();
      return line;
    }
  }
  throw new Error('a process of the benchmark did not start');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

async function tokenOf({ base_url, client_id, client_secret }: Credentials): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(`${base_url}/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Customers and labels as the rooms make them, with an opening balance each, posted through the ledger. */
async function seed({ sql }: Database, accountId: string): Promise<string[][]> {
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
    from unnest(${accounts.map(({ id }) => bucketOf(id))}::int[], ${accounts.map(({ id }) => id)}::uuid[],
      ${accounts.map(({ customer }) => customer)}::uuid[], ${accounts.map(({ kind }) => kind)}::text[]) as a (bucket, id, customer, kind)`;
  for (const one of customers) {
    const opening = one.labels.map((toId) =>
      transferBetween(accountId, { fromId: one.external, toId }, OPENING_MINOR_UNITS, 'deposit'),
    );
    await postTransfers(sql, opening, { now: new Date() });
  }
  await sql`vacuum analyze ledger_account`;
  return customers.map((one) => one.labels);
}
