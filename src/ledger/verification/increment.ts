// Increments of the ledger check: they add new transfers to the proof of each bucket, and compare it with all stored balances. Where they
// differ, the rules decide over the whole bucket.
import { planWithout } from '../../platform/db/plan.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Range } from '../breach.ts';
import { ALL_BUCKETS, BY_ACCOUNTS, findSlices } from '../slices.ts';
import type { Declared } from './declared.ts';
import { type Period, readProof, type Sum, sumAccounts, sumTransfers, writeProof } from './proof.ts';
import { type Options, readPaced, type Violation, verifyInSlices, verifyRange } from './verify.ts';

/**
 * `asOf`: what was committed until then is proven, in that many buckets. `transfers`: how many were new. `complete`: when every rule last
 * passed over all buckets.
 */
export type Increment = {
  asOf: Date;
  transfers: number;
  buckets: number;
  complete: Date | undefined;
  violations: Violation[];
};
/** `settled`: transfers created until then are visible. `last`: none is created later. */
type Times = { now: Date; settled: string; last: string };

/** A transfer is committed, and visible, this long after its time at the latest. A later one costs a check of its bucket. */
const COMMITTED_AFTER_SECONDS = 5;
/** The clocks of services differ by less. */
const CLOCKS_DIFFER_SECONDS = 60;
/** How many transfers are added at once: some hundredths of a second. */
const CHUNK = 10_000;
/**
 * Of the pause of other queries, which is 19 times their duration (verification.ts): new transfers must not fall behind, so the pause after a
 * chunk is as long as the chunk took.
 */
const PAUSE_SHARE = 0.05;

/** The names of the rules that an increment proves of new transfers and of all balances. */
export const PROVEN_BY_INCREMENTS = [
  'conservation',
  'no negative balance',
  'entries explain balances',
  'sequences without gaps',
  'one customer',
  'kinds of transfers',
];

/** Buckets whose rules have not passed are left to the complete check. */
export async function proveNew(database: Database, declared: Declared, options: Options = {}): Promise<Increment> {
  const { signal } = options;
  const { now } = await readTimes(database.sql);
  const unproven = new Set<number>();
  let [transfers, buckets] = [0, 0];
  const { ranges } = await findSlices(database, BY_ACCOUNTS);
  for (const range of ranges) {
    transfers += await addNew(database, options);
    if (signal?.aborted) break;
    const { sums, hashes } = await compare(database, range, options);
    for (let bucket = range.first; bucket <= range.last; bucket++) {
      if (hashes[bucket] === null) continue;
      buckets += 1;
      const { hash, isSuspect } = sums.get(bucket) ?? { hash: 0n, isSuspect: false };
      if (hash !== hashes[bucket] || isSuspect) unproven.add(bucket);
    }
  }
  const violations = await proveAgain(database, declared, unproven, options);
  const { complete } = await readProof(database.sql);
  return { asOf: now, transfers, buckets, complete: complete ?? undefined, violations };
}

/** Checks every rule over a range, and begins its proof if none is broken. */
async function proveRange(database: Database, declared: Declared, range: Range, options: Options = {}): Promise<Violation[]> {
  await addNew(database, options);
  // Before the rules, so that a change during the check differs from the proof.
  const { until, sums } = await compare(database, range, options);
  const violations = await verifyRange(database, declared, range, options);
  if (violations.length === 0 && !options.signal?.aborted)
    await database.transaction(async (tx) => {
      const proof = await readProof(tx, { isLocked: true });
      await planWithout(tx, ['seqscan']);
      const since = await sumTransfers(tx, { after: until, until: proof.until }, range);
      for (let bucket = range.first; bucket <= range.last; bucket++)
        proof.hashes[bucket] = (sums.get(bucket)?.hash ?? 0n) + (since.get(bucket)?.hash ?? 0n);
      await writeProof(tx, proof);
    });
  return violations;
}

/** In the slices of the complete check. */
async function proveAgain(database: Database, declared: Declared, unproven: Set<number>, options: Options): Promise<Violation[]> {
  if (unproven.size === 0) return [];
  const { ranges } = await findSlices(database, options);
  const violations: Violation[] = [];
  for (const range of ranges) {
    if (options.signal?.aborted) break;
    if ([...unproven].some((bucket) => bucket >= range.first && bucket <= range.last))
      violations.push(...(await proveRange(database, declared, range, options)));
  }
  return violations;
}

/** Checks every rule over all buckets, in slices. */
export async function proveAll(database: Database, declared: Declared, options: Options = {}): Promise<Violation[]> {
  const violations = await verifyInSlices(database, declared, { ...options, verify: proveRange });
  if (violations.length === 0 && !options.signal?.aborted)
    await database.sql`update ledger_proof set complete = clock_timestamp() where id = 1`;
  return violations;
}

/** Returns the number of new transfers. Another process may have added them in between: then its sums count. */
async function addNew(database: Database, { signal, pause }: Options): Promise<number> {
  let transfers = 0;
  while (!signal?.aborted) {
    const startMs = performance.now();
    const { until: after, hashes } = await readProof(database.sql);
    const { settled } = await readTimes(database.sql);
    const isNew = hashes.every((hash) => hash === null);
    const { until, sums } = isNew
      ? { until: settled, sums: new Map<number, Sum>() }
      : await readPaced(database, (tx) => readChunk(tx, { after, until: settled }), {});
    if (isNew || sums.size > 0)
      await database.transaction(async (tx) => {
        const proof = await readProof(tx, { isLocked: true });
        if (proof.until !== after) return;
        await writeProof(tx, { until, hashes: proof.hashes.map((hash, bucket) => extend(hash, sums.get(bucket))) });
      });
    for (const { transfers: count } of sums.values()) transfers += count;
    if (until === settled) break;
    await pause?.((performance.now() - startMs) * PAUSE_SHARE);
  }
  return transfers;
}

/** The sums of the first transfers of a period, and when it ends. */
async function readChunk(tx: Sql, { after, until }: Period): Promise<{ until: string; sums: Map<number, Sum> }> {
  const [last] = await tx<{ created: string }>`
    select created::text from transfer
    where created > ${after}::timestamptz and created <= ${until}::timestamptz and amount > 0
    order by transfer.created offset ${CHUNK} limit 1`;
  const end = last?.created ?? until;
  return { until: end, sums: await sumTransfers(tx, { after, until: end }, ALL_BUCKETS) };
}

/** A transfer that breaks a rule leaves the proof wrong until the rules pass again. */
function extend(hash: bigint | null, sum: Sum | undefined): bigint | null {
  return hash === null || sum === undefined ? hash : hash + sum.hash + (sum.isSuspect ? 1n : 0n);
}

async function compare(database: Database, range: Range, options: Options) {
  const { until, hashes } = await readProof(database.sql);
  const { last } = await readTimes(database.sql);
  const sums = await readPaced(database, (tx) => sumAccounts(tx, { after: until, until: last }, range), options);
  return { until, hashes, sums };
}

/** Clocks of sandbox accounts may be ahead. */
async function readTimes(sql: Sql): Promise<Times> {
  const [times] = await sql<Times>`
    select now, (now - ${COMMITTED_AFTER_SECONDS} * interval '1 second')::text as settled,
      (now + ${CLOCKS_DIFFER_SECONDS} * interval '1 second' + ahead_ms * interval '1 millisecond')::text as last
    from (select clock_timestamp() as now) clock, (select coalesce(max(ahead_ms), 0) as ahead_ms from account_clock) ahead`;
  return times!;
}
