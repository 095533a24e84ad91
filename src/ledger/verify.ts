// Proves the books: runs every rule over all buckets, a range of them at a time.
import type { Database, Sql } from '../db/sql.ts';
import { BUCKETS } from '../ids.ts';
import { type Breach, MOST, type Range, type Rule, rules } from './rules.ts';

export type Violation = Breach & { rule: string };

type Options = {
  /** Called after each slice, with the share that is done. */
  onSlice?: (done: { share: number; violations: Violation[] }) => void;
  /** Waited for after each query, with the milliseconds it took. */
  rest?: (ms: number) => Promise<void>;
  signal?: AbortSignal;
  /** How many bytes of entries a slice has, about. */
  sliceBytes?: number;
};

/** About 10,000 entries: some hundredths of a second for the longest query. */
const SLICE_BYTES = 2 ** 20;
const EVERYTHING: Range = { first: 0, last: BUCKETS - 1 };

/** Runs every rule in the snapshot of a transaction, and returns what breaks it, at most 100 rows of each. */
export async function verifyLedger(tx: Sql): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const rule of rules) violations.push(...(await findBreaches(tx, rule, EVERYTHING)));
  return violations;
}

/**
 * The same in slices, each query with a snapshot of its own: no rule looks past one customer or needs another rule's snapshot, so
 * what is proved is the same, the memory it takes does not grow with the books, and no old snapshot keeps dead rows from being
 * cleared away.
 */
export async function verifyInSlices(database: Database, options: Options = {}): Promise<Violation[]> {
  const { onSlice, rest, signal, sliceBytes = SLICE_BYTES } = options;
  const slices = await countSlices(database.sql, sliceBytes);
  const violations: Violation[] = [];
  for (let slice = 0; slice < slices; slice++) {
    const first = Math.floor((slice * BUCKETS) / slices);
    const last = Math.floor(((slice + 1) * BUCKETS) / slices) - 1;
    for (const rule of rules) {
      if (signal?.aborted) return violations;
      const startMs = performance.now();
      const found = await database.transaction((tx) => verifySlice(tx, rule, { first, last }));
      const known = violations.filter((violation) => violation.rule === rule.name).length;
      violations.push(...found.slice(0, MOST - known));
      await rest?.(performance.now() - startMs);
    }
    onSlice?.({ share: (slice + 1) / slices, violations });
  }
  return violations;
}

async function verifySlice(tx: Sql, rule: Rule, range: Range): Promise<Violation[]> {
  // By index, row by row: the planner would rather read whole tables, once for each slice. And on one core: whoever waits for an
  // answer comes first.
  await tx`
    select set_config(name, value, true) from (values ('transaction_read_only', 'on'), ('plan_cache_mode', 'force_custom_plan'),
      ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'), ('jit', 'off'),
      ('max_parallel_workers_per_gather', '0')) as setting (name, value)`;
  return findBreaches(tx, rule, range);
}

async function findBreaches(tx: Sql, rule: Rule, range: Range): Promise<Violation[]> {
  return (await rule.find(tx, range)).map((breach) => ({ rule: rule.name, ...breach }));
}

async function countSlices(sql: Sql, sliceBytes: number): Promise<number> {
  const [size] = await sql<{ bytes: bigint }>`select pg_relation_size('ledger_entry') as bytes`;
  return Math.min(Math.ceil(Number(size?.bytes) / sliceBytes) || 1, BUCKETS);
}
