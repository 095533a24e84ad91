// A model of the throughput of a cluster by its number of workers, from the CPU of a reallocation on one machine.

/** CPU in microseconds for each reallocation: of a plain server, of all workers of a cluster, and of its coordinator. */
export type Costs = { plain: number; workers: number; coordinator: number };
export type Size = { workers: number; perSecond: number; limit: 'workers' | 'coordinator' };

/** Cores of each machine. */
export const CORES = 8;
export const SIZES = [1, 2, 3, 4, 6, 8, 12, 16];

export const ASSUMPTIONS = [
  `every server has a machine of ${CORES} cores, of which the database uses all; the services run elsewhere`,
  'CPU is the limit, not the disks or the network; customers are spread evenly over the workers',
  'batches keep their size: the load grows with the number of groups',
  'the coordinator settles every event; tokens and posting do not use it',
];

/** Reallocations a second of one plain server. */
export function ratePlain({ plain }: Costs): number {
  return (CORES * 1e6) / plain;
}

/** Reallocations a second of a cluster, which the workers or the coordinator limit. */
export function rateOf(costs: Costs, workers: number): Size {
  const ofWorkers = (workers * CORES * 1e6) / costs.workers;
  const ofCoordinator = (CORES * 1e6) / costs.coordinator;
  return {
    workers,
    perSecond: Math.min(ofWorkers, ofCoordinator),
    limit: ofWorkers <= ofCoordinator ? 'workers' : 'coordinator',
  };
}

/** The smallest number of workers that is faster than one plain server, or undefined if the coordinator is slower. */
export function breakEven(costs: Costs): number | undefined {
  if (costs.coordinator >= costs.plain) return undefined;
  return Math.floor(costs.workers / costs.plain) + 1;
}

/** The number of workers above which the coordinator is the limit. */
export function workersMost({ workers, coordinator }: Costs): number {
  return Math.floor(workers / coordinator);
}
