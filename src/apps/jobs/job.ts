// A housekeeping job: bounded work that a service does periodically, and `earmark jobs run` does immediately.
import type { Clock } from '../../core/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Stores } from '../../resources/documents/store/store.ts';

export type JobTools = { config: Config; database: Database; stores: Stores; sealer: Sealer; clock: Clock };

export type Job = {
  name: string;
  /** A phrase in the present tense, without a full stop. */
  about: string;
  everySeconds: number;
  /** Works in small batches until nothing is left or the signal aborts. Returns counts of what it did. Must be safe to run concurrently. */
  run(tools: JobTools, signal: AbortSignal): Promise<Record<string, number>>;
};
