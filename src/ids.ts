// Ids: lower-case UUIDv7 (RFC 9562 §5.7) whose 12 `rand_a` bits carry the bucket of the customer the record belongs to.
import { randomBytes, randomInt } from 'node:crypto';

export const BUCKETS = 4096;
/** Before and after every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** The two sides of a transfer: money leaves `from` and arrives at `to`. */
export type Leg = 'from' | 'to';

/** How an id is spelled. Any UUID in lower case: one that no record has is not found, whatever its version. */
export const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Where an id has its bucket. */
const BUCKET = [15, 18] as const;
const TICKS = 2 ** 14;
/** The last that an id has room for. */
const LAST_MS = 2 ** 48 - 1;
const LEG_DIGIT: Record<Leg, string> = { from: '1', to: '2' };
const POOL_BYTES = 8192;
const RANDOM_DIGITS = 11;

let lastMs = 0;
let tick = 0;
/** How an id of `lastMs` begins. */
let time = '';
let pool = '';
let drawn = 0;

/** A bucket (0..4095) for a new customer. */
export function randomBucket(): number {
  return randomInt(BUCKETS);
}

/**
 * A new id in a bucket. Ids made by one process in one bucket sort in the order they were made, also when the clock
 * stands still or jumps back (a 14-bit counter behind the milliseconds, RFC 9562 §6.2 method 1). The last hex digit is 0:
 * it is left for the ids derived by `legId`.
 */
export function newId(bucket: number, nowMs: number = Date.now()): string {
  if (nowMs > lastMs) setTime(nowMs);
  else if (++tick === TICKS) setTime(lastMs + 1);
  const variantAndTick = (0x8000 | tick).toString(16);
  return `${time}${digitsOf(bucket)}-${variantAndTick}-${randomDigits()}0`;
}

function setTime(ms: number): void {
  lastMs = ms;
  tick = 0;
  time = beginningOf(ms);
}

/** The first id there could be of a time, in a bucket. */
export function firstIdOf(time: Date, bucket: number): string {
  return `${beginningOf(Math.min(Math.max(time.getTime(), 0), LAST_MS))}${digitsOf(bucket)}-8000-000000000000`;
}

/** How an id of a time begins: its digits, and the version. */
function beginningOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
}

function digitsOf(bucket: number): string {
  return bucket.toString(16).padStart(3, '0');
}

/** The bucket an id carries. */
export function bucketOf(id: string): number {
  return Number.parseInt(id.slice(...BUCKET), 16);
}

/** Ids in the order of their buckets, and in a bucket by themselves. */
export function sortByBucket(ids: Iterable<string>): string[] {
  return Array.from(ids, (id) => id.slice(...BUCKET) + id)
    .sort()
    .map((key) => key.slice(BUCKET[1] - BUCKET[0]));
}

/** Whether a text is spelled like an id. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** The id of a transfer's ledger entry on one side. */
export function legId(transferId: string, leg: Leg): string {
  return transferId.slice(0, -1) + LEG_DIGIT[leg];
}

/** The transfer and side that a ledger entry's id names, or undefined for any other id. */
export function parseLegId(entryId: string): { transferId: string; leg: Leg } | undefined {
  const leg = (['from', 'to'] as const).find((leg) => LEG_DIGIT[leg] === entryId.at(-1));
  return leg && { transferId: `${entryId.slice(0, -1)}0`, leg };
}

/** Random hex digits, drawn from the system a pool at a time: one call an id would be the dearest part of it. */
function randomDigits(): string {
  if (drawn + RANDOM_DIGITS > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    drawn = 0;
  }
  drawn += RANDOM_DIGITS;
  return pool.slice(drawn - RANDOM_DIGITS, drawn);
}
