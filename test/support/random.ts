// Pseudo-random choices that a seed repeats: the generator of the specimens, with seeds for tests.
export { openRandom, type Random } from '../../packages/document-reader/specimens/random.ts';

/** Returns a random seed below 2³². */
export function anySeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}
