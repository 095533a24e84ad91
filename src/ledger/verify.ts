// Proves the books: runs every rule over all buckets, a range of them at a time.
import type { Database, Sql } from '../db/sql.ts';
import { BUCKETS } from '../ids.ts';
import { type Breach, MOST, type Range, rules } from './rules.ts';

export type Violation = Breach & { rule: string };

type Options = {
  /** Called after each slice, with the share that is done; its promise is waited for. */
  onSlice?: (done: { share: number; violations: Violation[]; ms: number }) => Promise<void> | void;
  signal?: AbortSignal;
  /** How many bytes of entries a slice has, about. */
  sliceBytes?: number;
};

/** About 80,000 entries: some tenths of a second, and what each query sorts or hashes stays in memory. */
const SLICE_BYTES = 8 * 1024 * 1024;
const EVERYTHING: Range = { first: 0, last: BUCKETS - 1 };

/** Runs every rule in the snapshot of a transaction, and returns what breaks it, at most 100 rows of each. */
export async function verifyLedger(tx: Sql, range: Range = EVERYTHING): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const rule of rules) {
    const found = await rule.find(tx, range);
    violations.push(...found.map((breach) => ({ rule: rule.name, ...breach })));
  }
  return violations;
}

/**
 * The same in slices, each with a snapshot of its own: no rule looks past one customer, so what is proved is the same, the
 * memory it takes does not grow with the books, and no old snapshot keeps dead rows from being cleared away.
 */
export async function verifyInSlices({ sql, transaction }: Database, options: Options = {}): Promise<Violation[]> {
  const { onSlice, signal, sliceBytes = SLICE_BYTES } = options;
  const slices = await countSlices(sql, sliceBytes);
  const violations: Violation[] = [];
  for (let slice = 0; slice < slices && !signal?.aborted; slice++) {
    const first = Math.floor((slice * BUCKETS) / slices);
    const last = Math.floor(((slice + 1) * BUCKETS) / slices) - 1;
    const startMs = performance.now();
    for (const violation of await transaction((tx) => verifySlice(tx, { first, last }))) {
      if (violations.filter(({ rule }) => rule === violation.rule).length < MOST) violations.push(violation);
    }
    await onSlice?.({ share: (slice + 1) / slices, violations, ms: performance.now() - startMs });
  }
  return violations;
}

async function verifySlice(tx: Sql, range: Range): Promise<Violation[]> {
  await tx`set transaction isolation level repeatable read, read only`;
  // Planned for the range at hand, and on one core: whoever waits for an answer comes first.
  await tx`set local plan_cache_mode = force_custom_plan`;
  await tx`set local max_parallel_workers_per_gather = 0`;
  await tx`set local jit = off`;
  return verifyLedger(tx, range);
}

async function countSlices(sql: Sql, sliceBytes: number): Promise<number> {
  const [size] = await sql<{ bytes: bigint }>`select pg_relation_size('ledger_entry') as bytes`;
  return Math.min(Math.ceil(Number(size?.bytes) / sliceBytes) || 1, BUCKETS);
}
