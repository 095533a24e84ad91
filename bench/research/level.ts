// A level of the growth run: what is measured at a number of transfers.
import type { Cpu } from '../processes.ts';
import type { TableSize } from '../sizes.ts';
import type { PageTime } from './pages.ts';

/** Reallocations over HTTP in a time window. */
export type Speed = {
  perSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  /** Microseconds of CPU for each. */
  cpuMicros?: Cpu;
  /** Bytes of write-ahead log for each. */
  walBytes: number;
};

/** Measurements at a number of transfers. */
export type Level = Speed & {
  transfers: number;
  /** A stage with the first level's transfers, measured in turn with this one, so that changes of the machine affect both. */
  reference?: Speed;
  /** The batch function while it filled the stage to this level, with its bytes of write-ahead log. */
  fill?: { perSecond: number; walBytes: number };
  /** Bytes for each transfer so far. */
  sizes: TableSize[];
  serviceBytes?: number;
  /** All processes of the database server, with shared memory counted once. */
  serverBytes?: number;
  pages: PageTime[];
};
