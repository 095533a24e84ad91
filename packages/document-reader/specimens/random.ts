// Pseudo-random choices that a seed repeats.

export type Random = {
  /** An integer from `least` to `most`, both included. */
  int(least: number, most: number): number;
  /** One of several values. */
  pick<T>(from: readonly T[]): T;
  /** True with probability `share`. */
  chance(share: number): boolean;
  /** A separate sequence that draws here do not affect. */
  fork(): Random;
};

const TWO_TO_32 = 2 ** 32;

/** Makes a generator from a seed below 2³² (mulberry32). */
export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const int = (least: number, most: number) => least + Math.floor((next() / TWO_TO_32) * (most - least + 1));
  return {
    int,
    pick: (from) => from[int(0, from.length - 1)]!,
    chance: (share) => next() / TWO_TO_32 < share,
    fork: () => openRandom(next()),
  };
}
