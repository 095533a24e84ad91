// The targets of reads beside a lean service, and whether a run meets them.
import { PAGES, type Read } from './read-data.ts';
import { atLeast, atMost, count, times, type Verdict } from './targets.ts';

/** `cpu`, `p50` and `p99`: in those of the lean service, medians of the ratios of each round. */
export type Measured = { read: Read; connections: number; perSecond: number; cpu: number; p50: number; p99: number };

const ONE_PER_SECOND = 20_000;
const ONE_CPU = 0.5;
const PAGE_CPU = 1;
const ALONE = 1.25;
const P99 = 1;

export function judgeReads(measured: Measured[]): Verdict[] {
  return measured.flatMap(({ read, connections, perSecond, cpu, p50, p99 }) => {
    const name = `${read}, ${connections} connection${connections > 1 ? 's' : ''}`;
    if (connections === 1)
      return [atMost(`${name}: p50 at most ${ALONE} times lean`, { measured: p50, most: ALONE, format: times })];
    const most = PAGES.includes(read) ? PAGE_CPU : ONE_CPU;
    return [
      ...(PAGES.includes(read)
        ? []
        : [atLeast(`${name}: ${count(ONE_PER_SECOND)} a second`, { measured: perSecond, least: ONE_PER_SECOND, format: count })]),
      atMost(`${name}: ${most} of the CPU of lean`, { measured: cpu, most, format: times }),
      atMost(`${name}: p99 at most that of lean`, { measured: p99, most: P99, format: times }),
    ];
  });
}
