// Ids: lower-case UUIDv7 (RFC 9562 §5.7) whose 12 `rand_a` bits carry the bucket of the customer the record belongs to.
import { hash, randomBytes, randomInt } from 'node:crypto';

export const BUCKETS = 4096;
/** The number of groups of buckets on a cluster. More groups allow more workers, and make batches smaller. */
export const GROUPS = { fallback: 8, min: 1, max: BUCKETS };
/** The lowest and the highest id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** A resource by its type (`label-reallocation`) and id. */
export type Resource = { type: string; id: string };

/** Two 128-bit hashes, formatted as UUIDs: of account and key, and of the request. */
export type Idempotency = { key: string; fingerprint: string };
/** The two sides of a transfer: money leaves `from` and arrives at `to`. */
type Leg = 'from' | 'to';

/** The format of an id: any UUID in lower case. The version is not checked, because an unknown id is not found anyway. */
export const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The position of the bucket in an id. */
const BUCKET = [15, 18] as const;
const TICKS = 2 ** 14;
/** The highest timestamp that an id can contain (48 bits). */
const LAST_MS = 2 ** 48 - 1;
const LEG_DIGIT: Record<Leg, string> = { from: '1', to: '2' };
const POOL_BYTES = 8192;
const RANDOM_DIGITS = 11;

let lastMs = 0;
let tick = 0;
/** The prefix of an id made at `lastMs`. */
let prefix = '';
let pool = '';
let drawn = 0;

/** A random bucket (0 to 4095) for a new customer. */
export function randomBucket(): number {
  return randomInt(BUCKETS);
}

/**
 * A new id in a bucket. Ids of one process and bucket sort in creation order, even if the clock stands still or jumps back (a 14-bit
 * counter follows the milliseconds, RFC 9562 §6.2 method 1). The last hex digit is 0; `legId` sets it to derive ids.
 */
export function newId(bucket: number, nowMs: number = Date.now()): string {
  if (nowMs > lastMs) setTime(nowMs);
  else if (++tick === TICKS) setTime(lastMs + 1);
  const variantAndTick = (0x8000 | tick).toString(16);
  return `${prefix}${digitsOf(bucket)}-${variantAndTick}-${randomDigits()}0`;
}

/** The id that follows from a time and a text, always the same. */
export function derivedId(bucket: number, time: Date, text: string): string {
  const digest = hash('sha256', text, 'hex');
  const variantAndTick = (0x8000 | (Number.parseInt(digest.slice(0, 4), 16) % TICKS)).toString(16);
  return `${prefixOf(time.getTime())}${digitsOf(bucket)}-${variantAndTick}-${digest.slice(4, 4 + RANDOM_DIGITS)}0`;
}

function setTime(ms: number): void {
  lastMs = ms;
  tick = 0;
  prefix = prefixOf(ms);
}

/** The lowest possible id for a time in a bucket. */
export function firstIdOf(time: Date, bucket: number): string {
  return `${prefixOf(Math.min(Math.max(time.getTime(), 0), LAST_MS))}${digitsOf(bucket)}-8000-000000000000`;
}

/** The prefix of an id: the digits of the time (ms) and the version. */
function prefixOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
}

function digitsOf(bucket: number): string {
  return bucket.toString(16).padStart(3, '0');
}

/** The bucket (0 to 4095) in an id. */
export function bucketOf(id: string): number {
  return Number.parseInt(id.slice(...BUCKET), 16);
}

/** When an id was made, by the clock of the machine: also for a record that is dated by the clock of a sandbox account. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** Sorts ids by bucket, then by id. */
export function sortByBucket(ids: Iterable<string>): string[] {
  return Array.from(ids, (id) => id.slice(...BUCKET) + id)
    .sort()
    .map((key) => key.slice(BUCKET[1] - BUCKET[0]));
}

/** Whether a text has the format of an id. */
export function isId(text: string): boolean {
  return ID.test(text);
}

/** The id of a transfer's ledger entry on one side. */
export function legId(transferId: string, leg: Leg): string {
  return transferId.slice(0, -1) + LEG_DIGIT[leg];
}

/** The transfer id and side in a ledger entry's id, or undefined for any other id. */
export function parseLegId(entryId: string): { transferId: string; leg: Leg } | undefined {
  const leg = (['from', 'to'] as const).find((leg) => LEG_DIGIT[leg] === entryId.at(-1));
  return leg && { transferId: `${entryId.slice(0, -1)}0`, leg };
}

/** Random hex digits from a pool: a system call per id would be its most expensive part. */
function randomDigits(): string {
  if (drawn + RANDOM_DIGITS > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex');
    drawn = 0;
  }
  drawn += RANDOM_DIGITS;
  return pool.slice(drawn - RANDOM_DIGITS, drawn);
}
