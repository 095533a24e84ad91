// Figures that take long to read: kept for a while, and read again in the background.
import { setTimeout } from 'node:timers/promises';

/** How long a page waits for a reading, when what is kept is much older than it should be. */
const WAIT_MS = 2_000;

type Cached<T> = { value: T; read: Date };

/** Reads at most once per `forMs`, and keeps what was read. `onError` gets the failures of readings in the background. */
export function cached<T>(forMs: number, read: () => Promise<T>, onError: (error: unknown) => void) {
  let kept: Cached<T> | undefined;
  let reading: Promise<Cached<T>> | undefined;
  const refresh = () => {
    reading ??= read()
      .then((value) => {
        kept = { value, read: new Date() };
        return kept;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  /**
   * What is kept, or undefined before the first reading has ended. Reads again if it is old: in the background, or waiting for a moment if
   * nobody has looked for so long that it is twice as old.
   */
  const current = async () => {
    const ageMs = kept && Date.now() - kept.read.getTime();
    if (ageMs !== undefined && ageMs <= forMs) return kept;
    const refreshed = refresh().catch(onError);
    if (ageMs !== undefined && ageMs > 2 * forMs) await Promise.race([refreshed, setTimeout(WAIT_MS, undefined, { ref: false })]);
    return kept;
  };
  return { current, refresh };
}
