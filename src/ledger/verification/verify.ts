// The ledger check: runs every rule over all buckets, one range of buckets at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKETS } from '../../core/ids.ts';
import { findPlacement } from '../../platform/db/find-placement.ts';
import { planWithout } from '../../platform/db/plan.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach, type Range } from '../breach.ts';
import type { Declared } from './declared.ts';
import { type Rule, rules } from './rules.ts';

export type Violation = Breach & { rule: string };

export type Options = {
  /** Called after each slice, with the completed share (0 to 1). */
  onSlice?: (done: { share: number; violations: Violation[] }) => void | Promise<void>;
  /** Awaited after each query, with its duration in milliseconds. */
  pause?: (ms: number) => Promise<void>;
  signal?: AbortSignal;
  /** The approximate size of the transfers in a slice. */
  sliceBytes?: number;
};

/** About 10,000 entries: the longest query takes some hundredths of a second. */
const SLICE_BYTES = 2 ** 20;
/** How often and after which time a violation on a cluster is looked for again. */
const CONFIRMATIONS = 2;
const CONFIRM_AFTER_MS = 200;
const ALL_BUCKETS: Range = { first: 0, last: BUCKETS - 1 };

/** Runs every rule in a transaction. Returns at most 100 violations per rule. */
export async function verifyLedger(tx: Sql, declared: Declared): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const rule of rules) violations.push(...(await findBreaches(tx, rule, ALL_BUCKETS, declared)));
  return violations;
}

/**
 * Like `verifyLedger`, but in slices of buckets with a snapshot per query. The result is the same, because each rule concerns one
 * customer only. Memory does not grow with the ledger, and no long snapshot delays vacuum. `verify`: checks a slice.
 */
export async function verifyInSlices(
  database: Database,
  declared: Declared,
  { verify = verifyRange, ...options }: Options & { verify?: typeof verifyRange } = {},
): Promise<Violation[]> {
  const { ranges } = await findSlices(database, options);
  const violations: Violation[] = [];
  for (const [slice, range] of ranges.entries()) {
    if (options.signal?.aborted) return violations;
    for (const violation of await verify(database, declared, range, options))
      if (violations.filter(({ rule }) => rule === violation.rule).length < BREACHES_MAX) violations.push(violation);
    await options.onSlice?.({ share: (slice + 1) / ranges.length, violations });
  }
  return violations;
}

/** Runs every rule over a range of buckets. */
export async function verifyRange(
  database: Database,
  declared: Declared,
  range: Range,
  options: Options = {},
): Promise<Violation[]> {
  const { isShownInParts } = await findPlacement(database.sql);
  const violations: Violation[] = [];
  for (const rule of rules) {
    if (options.signal?.aborted) return violations;
    const find = () => readSlice(database, isShownInParts, (tx) => findBreaches(tx, rule, range, declared));
    const seen = await paced(find, options);
    violations.push(...(isShownInParts ? await confirm(find, seen) : seen));
  }
  return violations;
}

/** Reads with the plans and the pause of a slice. */
export async function readPaced<Read>(database: Database, read: (tx: Sql) => Promise<Read>, options: Options): Promise<Read> {
  const { isShownInParts } = await findPlacement(database.sql);
  return paced(() => readSlice(database, isShownInParts, read), options);
}

async function paced<Read>(read: () => Promise<Read>, { pause }: Options): Promise<Read> {
  const startMs = performance.now();
  const result = await read();
  await pause?.(performance.now() - startMs);
  return result;
}

/** What is read of all buckets, in slices with a snapshot each. */
export async function readInSlices<Row>(database: Database, read: (tx: Sql, range: Range) => Promise<Row[]>): Promise<Row[]> {
  const { ranges, isShownInParts } = await findSlices(database, {});
  const rows: Row[] = [];
  for (const range of ranges)
    for (const row of await readSlice(database, isShownInParts, (tx) => read(tx, range))) rows.push(row);
  return rows;
}

/** Ranges of buckets with about `sliceBytes` of a table. */
export async function findSlices(
  database: Database,
  { table = 'transfer', sliceBytes = SLICE_BYTES }: { table?: string; sliceBytes?: number },
) {
  const { sizeOf, isShownInParts } = await findPlacement(database.sql);
  const slices = Math.min(Math.ceil(Number(await sizeOf(table)) / sliceBytes) || 1, BUCKETS);
  const startOf = (slice: number) => Math.floor((slice * BUCKETS) / slices);
  const ranges = Array.from({ length: slices }, (_, slice): Range => ({ first: startOf(slice), last: startOf(slice + 1) - 1 }));
  return { ranges, isShownInParts };
}

/**
 * Returns the violations that last. A query on a cluster sees each server at another moment, so an event on its way from the outbox to the
 * feed may seem to be missing or to occur twice.
 */
async function confirm(find: () => Promise<Violation[]>, found: Violation[]): Promise<Violation[]> {
  let violations = found;
  for (let again = 0; again < CONFIRMATIONS && violations.length > 0; again++) {
    await sleep(CONFIRM_AFTER_MS);
    const now = await find();
    const ids = new Set(violations.map(({ id }) => id));
    // Which violations a limited query returns may differ each time.
    violations = violations.length < BREACHES_MAX ? now.filter(({ id }) => ids.has(id)) : now;
  }
  return violations;
}

function readSlice<Rows>(database: Database, isShownInParts: boolean, read: (tx: Sql) => Promise<Rows>): Promise<Rows> {
  return database.transaction(async (tx) => {
    await planWithout(tx, ['seqscan', 'hashjoin', 'mergejoin']);
    // Uses one core, so that requests keep the others. The coordinator of a cluster joins results that have no index.
    await tx`
      select set_config(name, value, true) from (values ('transaction_read_only', 'on'), ('plan_cache_mode', 'force_custom_plan'),
        ('enable_hashjoin', ${isShownInParts ? 'on' : 'off'}), ('max_parallel_workers_per_gather', '0')) as setting (name, value)`;
    return read(tx);
  });
}

async function findBreaches(tx: Sql, rule: Rule, range: Range, declared: Declared): Promise<Violation[]> {
  return (await rule.find(tx, range, declared)).map((breach) => ({ rule: rule.name, ...breach }));
}
