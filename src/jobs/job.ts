// A job of housekeeping: bounded work that a service does by itself from time to time, and `earmark jobs run` does now.
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import type { Stores } from '../documents/store/store.ts';
import type { Sealer } from '../sealing.ts';

export type JobTools = { config: Config; database: Database; stores: Stores; sealer: Sealer; clock: Clock };

export type Job = {
  name: string;
  /** What it does, in the present tense and without a full stop. */
  about: string;
  everySeconds: number;
  /** Works in small batches until nothing is left or the signal says stop; counts of what it did. Two at once do no harm. */
  run(tools: JobTools, signal: AbortSignal): Promise<Record<string, number>>;
};
