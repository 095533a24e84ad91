// PostgreSQL settings of the embedded server, most derived from the size of the machine.
import { availableParallelism, totalmem } from 'node:os';

export type Machine = {
  /** Of the machine, or of the container if that has less. */
  memoryBytes: number;
  /** Usable processors. */
  cpus: number;
};

type Share = { of: number; leastMb: number; mostMb: number };

const MEGABYTE = 2 ** 20;
/** The rest is left to the file cache of the system. More slows the start: 0.2 s at 4 GB. */
const SHARED_BUFFERS: Share = { of: 1 / 4, leastMb: 32, mostMb: 1024 };
/** An estimate for the planner, not an allocation. */
const CACHE: Share = { of: 1 / 2, leastMb: 64, mostMb: 2 ** 20 };
/** Each of three autovacuum workers may use this much. */
const MAINTENANCE: Share = { of: 1 / 32, leastMb: 16, mostMb: 256 };
/** Per sort or hash; a statement may have several, but few statements here have any. */
const WORK: Share = { of: 1 / 1024, leastMb: 2, mostMb: 16 };
const WAL_BUFFERS: Share = { of: 1 / 64, leastMb: 4, mostMb: 16 };
/** On disk. More means fewer checkpoints and fewer full-page images, but crash recovery replays up to this much. */
const WAL: Share = { of: 1 / 4, leastMb: 512, mostMb: 2048 };
/** WAL kept for recycling, which is cheaper than creating files. */
const WAL_KEPT: Share = { of: 1 / 16, leastMb: 128, mostMb: 512 };

/** Returns the settings that the server of a socket starts with on this machine. */
export function serverSettings({ socketDir, port }: { socketDir: string; port: number }): Record<string, string> {
  return {
    ...sizeSettings(thisMachine()),
    listen_addresses: '',
    port: `${port}`,
    // The setting is a list, so the path needs quotes.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    max_connections: '100',
    // After the crash of a backend the server exits and the service restarts it: PostgreSQL's own restart hangs permanently when a
    // process of that recovery is killed too.
    restart_after_crash: 'off',
    logging_collector: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
}

/** The resources of this process, limited by the system and its control group. */
export function thisMachine(): Machine {
  const limit = process.constrainedMemory();
  return { memoryBytes: limit > 0 ? Math.min(totalmem(), limit) : totalmem(), cpus: availableParallelism() };
}

/** Returns PostgreSQL settings for a machine. Leaves durability alone: fsync, synchronous_commit and full_page_writes stay on. */
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
    // Large reads must leave half of the processors to requests.
    max_parallel_workers: `${Math.floor(cpus / 2)}`,
  };
}
