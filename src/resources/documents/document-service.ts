// Document service: the upload limits, picture decoder, content stores and checkers of a running process.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { refuse } from '../../core/problems.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import { openConcurrencyLimit } from '../../platform/http/concurrency-limit.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { openCheckers } from './checking/checkers.ts';
import { openChecking } from './checking/checking.ts';
import { scripted } from './checking/scripted.ts';
import { openPictures, type Pictures } from './picture.ts';
import { openStores, type Stores } from './store/store.ts';
import { type Arrivals, openArrivals } from './upload.ts';

export type Documents = {
  arrivals: Arrivals;
  pictures: Pictures;
  stores: Stores;
  /** Delay between the submission of a document and its check; undefined without checkers. */
  checkDelayMs: number | undefined;
  /**
   * Takes an upload slot for an application and returns the function that frees it. Refused with 503 when all slots are taken,
   * and with 429 when the application already uses as many slots as are free.
   */
  enter(applicationId: string): () => void;
  /** Schedules the checkers for a document that was just submitted. */
  wake(): void;
  /** Stops the decoder and waits for a running check. */
  close(): Promise<void>;
};

// Each upload uses up to 30 MiB of memory: three copies of a 10 MiB file.
const UPLOADS_MAX = 20;

export function openDocuments(tools: {
  config: Config;
  database: Database;
  sealer: Sealer;
  log: FastifyBaseLogger;
  clock: Clock;
  metrics: Metrics;
}): Documents {
  const { config, database } = tools;
  const stores = openStores(config, database);
  const isSandbox = config.mode === 'sandbox';
  const checkers = [...(isSandbox ? [scripted] : []), ...openCheckers(tools)];
  const checking = openChecking({ ...tools, stores }, checkers, isSandbox ? config.sandboxReviewDelayMs : 0);
  const uploads = openConcurrencyLimit(UPLOADS_MAX);
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
