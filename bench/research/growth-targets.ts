// The targets of growth, and whether a run meets them.
import { atLeast, atMost, count, ms, times, type Verdict } from '../targets.ts';
import type { Level, Speed } from './level.ts';

const PAGE_MS = 5;
const GROWN = { cost: 1.05, memory: 1.1 };

/** The targets of growth: the last level against a stage with the first level's transfers, and every page of the last level. */
export function judgeGrowth(levels: Level[]): Verdict[] {
  const [first, last] = [levels[0]!, levels.at(-1)!];
  const reference = last.reference ?? first;
  const at = `at ${count(last.transfers)}`;
  // The maximum of all levels before: memory rises and falls between full collections, which are a minute apart.
  const before = levels.length > 1 ? levels.slice(0, -1) : levels;
  const most = Math.max(...before.map(({ serviceBytes }) => serviceBytes ?? Number.NaN));
  const cost = ({ cpuMicros }: Speed) => (cpuMicros ? cpuMicros.service + cpuMicros.server : Number.NaN);
  return [
    atMost(`CPU per reallocation ${at}: as at ${count(first.transfers)}`, {
      measured: cost(last) / cost(reference),
      most: GROWN.cost,
      format: times,
    }),
    atLeast(`rate ${at}: as at ${count(first.transfers)}`, {
      measured: last.perSecond / reference.perSecond,
      least: 1 / GROWN.cost,
      format: times,
    }),
    atMost(`memory of the service ${at}: at most that of the levels before`, {
      measured: (last.serviceBytes ?? Number.NaN) / most,
      most: GROWN.memory,
      format: times,
    }),
    ...last.pages.map(({ list, page, p50Ms }) =>
      atMost(`${list}, ${page} page ${at}: under ${PAGE_MS} ms`, { measured: p50Ms, most: PAGE_MS, format: ms }),
    ),
  ];
}
