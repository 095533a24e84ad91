// Requests in flight: runs one request per key at a time in this process.
import { Refusal } from '../../core/problems.ts';
import { createUnorderedList } from '../../core/unordered-list.ts';
import { isDatabaseUnavailable } from '../db/unavailable.ts';

type KeyedWork = { key: string; running: Promise<unknown> };

const BUCKET_DIGITS = 2;
/** By the first digits of the key. */
const inFlight = Array.from({ length: 16 ** BUCKET_DIGITS }, () => createUnorderedList<KeyedWork>());

/** Runs work. If work with the same key is running, waits for it first; the repetition then finds the stored answer. */
export function oneAtATime<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
  if (key === undefined) return work();
  const retry = () => oneAtATime(key, work);
  const bucket = inFlight[Number.parseInt(key.slice(0, BUCKET_DIGITS), 16)]!;
  const first = bucket.entries.find((entry) => entry.key === key);
  // If the database is unavailable, fail all waiting requests. Otherwise each would wait for its own timeout in turn.
  const retryUnlessAway = (error: unknown) => {
    if (isDatabaseUnavailable(error) || (error instanceof Refusal && error.problem === 'unavailable')) throw error;
    return retry();
  };
  if (first) return first.running.then(retry, retryUnlessAway);
  const entry = { key, running: work() };
  bucket.add(entry);
  const remove = () => bucket.remove(entry);
  entry.running.then(remove, remove);
  return entry.running;
}
