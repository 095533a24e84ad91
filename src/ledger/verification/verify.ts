// The ledger check: runs every rule over all buckets, one range of buckets at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { findPlacement } from '../../platform/db/find-placement.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach, type Range } from '../breach.ts';
import { ALL_BUCKETS, findSlices, readSlice } from '../slices.ts';
import type { Declared } from './declared.ts';
import { partsOf, type Read } from './parts.ts';
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
  /** How many rows a part has, which a query reads. */
  partRows?: number;
};

/** Four times those of a usual slice, which is not divided. */
const PART_ROWS = 40_000;
/** How often and after which time a violation on a cluster is looked for again. */
const CONFIRMATIONS = 2;
const CONFIRM_AFTER_MS = 200;

/** Runs every rule in a transaction. Returns at most 100 violations per rule. */
export async function verifyLedger(tx: Sql, declared: Declared): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const rule of rules) {
    const found: Violation[] = [];
    for (const { find } of rule.queries) found.push(...named(rule, await find(tx, ALL_BUCKETS, declared)));
    violations.push(...found.slice(0, BREACHES_MAX));
  }
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

/** Runs every rule over a range of buckets, in parts with a snapshot each. */
export async function verifyRange(
  database: Database,
  declared: Declared,
  range: Range,
  options: Options = {},
): Promise<Violation[]> {
  const { isShownInParts } = await findPlacement(database.sql);
  const read: Read = (work) => paced(() => readSlice(database, isShownInParts, work), options);
  const violations: Violation[] = [];
  for (const rule of rules) {
    const found = new Map<string, Violation>();
    for (const { by, find } of rule.queries)
      for await (const part of partsOf(read, range, by, options.partRows ?? PART_ROWS)) {
        if (options.signal?.aborted) return violations;
        const findAgain = () => read(async (tx) => named(rule, await find(tx, part, declared)));
        const seen = await findAgain();
        // Parts may share a violation: of an event that occurs in both.
        for (const one of isShownInParts ? await confirm(findAgain, seen) : seen) found.set(`${one.id} ${one.detail}`, one);
        if (found.size >= BREACHES_MAX) break;
      }
    violations.push(...[...found.values()].slice(0, BREACHES_MAX));
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

function named({ name }: Rule, breaches: Breach[]): Violation[] {
  return breaches.map((breach) => ({ rule: name, ...breach }));
}
