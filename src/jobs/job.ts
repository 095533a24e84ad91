// A housekeeping job: bounded work that a service does periodically, and `earmark jobs run` does immediately.
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import type { Stores } from '../documents/store/store.ts';
import type { Sealer } from '../sealing.ts';

export type JobTools = { config: Config; database: Database; stores: Stores; sealer: Sealer; clock: Clock };

export type Job = {
  name: string;
  /** A phrase in the present tense, without a full stop. */
  about: string;
  everySeconds: number;
  /** Works in small batches until nothing is left or the signal aborts. Returns counts of what it did. Must be safe to run concurrently. */
  run(tools: JobTools, signal: AbortSignal): Promise<Record<string, number>>;
};
