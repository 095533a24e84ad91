// Real numbers from a seeded generator.
import type { Random } from './random.ts';

const STEPS = 1_000_000;

/** Evenly distributed from `least` to `most`. */
export function between(random: Random, least: number, most: number): number {
  return least + ((most - least) * random.int(0, STEPS)) / STEPS;
}

/** Approximately Gaussian with mean 0 and deviation 1: the sum of four even values. */
export function gaussian(random: Random): number {
  const sum = between(random, -1, 1) + between(random, -1, 1) + between(random, -1, 1) + between(random, -1, 1);
  return sum * Math.sqrt(3 / 4);
}
