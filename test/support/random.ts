// Random choices that a seed repeats.

export type Random = {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  /** One of several. */
  pick<T>(from: readonly T[]): T;
  /** True as often as `share` says. */
  chance(share: number): boolean;
  /** Choices of its own, that those made here do not disturb. */
  fork(): Random;
};

const TWO_TO_32 = 2 ** 32;

/** Choices from a seed, a whole number below 2³² (mulberry32: short, and good enough for choices). */
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

/** A seed that nobody chose. */
export function anySeed(): number {
  return Math.floor(Math.random() * TWO_TO_32);
}
