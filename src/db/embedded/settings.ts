// The settings of the embedded server that follow from the size of the machine.
import { availableParallelism, totalmem } from 'node:os';

export type Machine = {
  /** Of the machine, or of the container where that has less. */
  memoryBytes: number;
  /** Processors that may be used at once. */
  cpus: number;
};

type Share = { of: number; leastMb: number; mostMb: number };

const MEGABYTE = 2 ** 20;
/** The rest serves as the system's file cache. More costs time at the start: a fifth of a second at 4 GB. */
const SHARED_BUFFERS: Share = { of: 1 / 4, leastMb: 32, mostMb: 1024 };
/** A guess for the planner, not an amount taken. */
const CACHE: Share = { of: 1 / 2, leastMb: 64, mostMb: 2 ** 20 };
/** Three autovacuum workers may each take it. */
const MAINTENANCE: Share = { of: 1 / 32, leastMb: 16, mostMb: 256 };
/** For a sort or a hash, of which a statement may have several; few statements here have any. */
const WORK: Share = { of: 1 / 1024, leastMb: 2, mostMb: 16 };
const WAL_BUFFERS: Share = { of: 1 / 64, leastMb: 4, mostMb: 16 };
/** On disk. After a checkpoint each page is logged whole at its first change, so the fewer the better; but a start after a crash replays up to as much. */
const WAL: Share = { of: 1 / 4, leastMb: 512, mostMb: 2048 };
/** Kept for use again: a file written over is cheaper than one made. */
const WAL_KEPT: Share = { of: 1 / 16, leastMb: 128, mostMb: 512 };

/** What this process may use, by the system and by its control group. */
export function thisMachine(): Machine {
  const limit = process.constrainedMemory();
  return { memoryBytes: limit > 0 ? Math.min(totalmem(), limit) : totalmem(), cpus: availableParallelism() };
}

/** PostgreSQL settings for a machine. Durability is not among them: fsync, synchronous_commit and full_page_writes stay on. */
export function sizeSettings({ memoryBytes, cpus }: Machine): Record<string, string> {
  const size = ({ of, leastMb, mostMb }: Share) =>
    `${Math.min(Math.max(Math.floor((memoryBytes * of) / MEGABYTE), leastMb), mostMb)}MB`;
  return {
    shared_buffers: size(SHARED_BUFFERS),
    effective_cache_size: size(CACHE),
    maintenance_work_mem: size(MAINTENANCE),
    work_mem: size(WORK),
    wal_buffers: size(WAL_BUFFERS),
    max_wal_size: size(WAL),
    min_wal_size: size(WAL_KEPT),
    checkpoint_timeout: '15min',
    // A statement that reads much leaves half of the processors to those that wait for an answer.
    max_parallel_workers: `${Math.floor(cpus / 2)}`,
  };
}
