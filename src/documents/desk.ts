// What the documents of a running service need: places for uploads, the time they have, the decoder, the stores, the checkers.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import { openConcurrencyLimit } from '../http/concurrency-limit.ts';
import { refuse } from '../problems.ts';
import type { Sealer } from '../sealing.ts';
import { type Arrivals, openArrivals } from './arrival.ts';
import { openChecking } from './checking/checking.ts';
import { scripted } from './checking/scripted.ts';
import { openPictures, type Pictures } from './picture.ts';
import { openStores, type Stores } from './store/store.ts';

export type Documents = {
  arrivals: Arrivals;
  pictures: Pictures;
  stores: Stores;
  /** How long after its submission a document is offered to the checkers; undefined when there are none. */
  checkDelayMs: number | undefined;
  /** Takes a place for an upload of an application and returns how to leave it; 503 when all are taken, 429 when it has as many as are left. */
  enter(applicationId: string): () => void;
  /** Says that a document was submitted just now. */
  wake(): void;
  /** Finishes what is under way. */
  close(): Promise<void>;
};

// Each holds up to three times its 10 MiB in memory.
const UPLOADS_AT_ONCE = 20;

export function openDocuments(tools: {
  config: Config;
  database: Database;
  sealer: Sealer;
  log: FastifyBaseLogger;
  clock: Clock;
}): Documents {
  const { config, database } = tools;
  const stores = openStores(config, database);
  const checkers = config.mode === 'sandbox' ? [scripted] : [];
  const checking = openChecking({ ...tools, stores }, checkers, config.sandboxReviewDelayMs);
  const uploads = openConcurrencyLimit(UPLOADS_AT_ONCE);
  const pictures = openPictures();
  return {
    arrivals: openArrivals(),
    pictures,
    stores,
    checkDelayMs: checking.delayMs,
    enter(applicationId) {
      const leave = uploads.acquire(applicationId);
      if (typeof leave === 'string') throw refuse(leave);
      return leave;
    },
    wake: checking.wake,
    async close() {
      pictures.close();
      await checking.close();
    },
  };
}
