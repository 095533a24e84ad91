// Nonces of the service for proofs (RFC 9449 §8): a keyed hash of the minute, so that all processes accept them without storing any.
import type { Clock } from '../../core/clock.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';

export type Nonces = {
  /** The nonce to use from now on. */
  current(): string;
  /** Whether it was made within the last minutes. */
  isValid(nonce: unknown): boolean;
};

const PERIOD_MS = 60_000;
/** A nonce is valid in its own minute and in the two after it; the clock of another machine may be ahead. */
const PERIODS = [0, -1, -2, 1];
const BYTES = 18;

export function openNonces({ sealer, clock }: { sealer: Sealer; clock: Clock }): Nonces {
  const made = new Map<number, string>();
  const period = () => Math.floor(clock.now().getTime() / PERIOD_MS);

  function of(minute: number): string {
    const known = made.get(minute);
    if (known !== undefined) return known;
    const nonce = sealer.mac('dpop nonce', String(minute)).hash.subarray(0, BYTES).toString('base64url');
    if (made.size >= 2 * PERIODS.length) made.clear();
    made.set(minute, nonce);
    return nonce;
  }

  return {
    current: () => of(period()),
    isValid(nonce) {
      const now = period();
      return PERIODS.some((offset) => of(now + offset) === nonce);
    },
  };
}
