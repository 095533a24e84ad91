// Places that are taken for a while, each under a key: bounded in all, and shared fairly.
import type { ProblemName } from '../problems.ts';

export type Places = {
  /** How many are taken. */
  taken(): number;
  /** Takes a place and returns how to leave it, once; or with what it is refused: all are taken, or too many under this key. */
  take(key: string): (() => void) | Extract<ProblemName, 'unavailable' | 'tooManyRequests'>;
};

/** A key may have as many places as there are left beside them: however much one asks for, another finds a place. */
export function openPlaces(max: number): Places {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    taken: () => all,
    take(key) {
      const own = taken.get(key) ?? 0;
      if (all >= max) return 'unavailable';
      if (own >= max - all) return 'tooManyRequests';
      taken.set(key, own + 1);
      all += 1;
      return () => {
        const left = taken.get(key)! - 1;
        if (left === 0) taken.delete(key);
        else taken.set(key, left);
        all -= 1;
      };
    },
  };
}
