// Starts a delivery worker with a separate database pool, in the service or in `earmark deliver`.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { LIMITS, openDatabase } from '../db/sql.ts';
import type { Links } from '../http/links.ts';
import type { Sealer } from '../sealing.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { openOutage } from '../telemetry/outage.ts';
import { registerPoolMetrics } from '../telemetry/pool.ts';
import type { Tracing } from '../telemetry/trace.ts';
import type { FaultPlan } from './send-with-fault.ts';
import { CONNECTIONS, openWorker, type Worker } from './worker.ts';

/** Requires the public URL to be known, because deliveries contain links. */
export function startWorker(
  databaseUrl: string,
  tools: {
    config: Config;
    links: Links;
    sealer: Sealer;
    log: FastifyBaseLogger;
    clock: Clock;
    metrics: Metrics;
    tracing: Tracing | undefined;
    plan?: FaultPlan | undefined;
  },
): Worker {
  const onError = openOutage(tools.log, 'database connection lost').note;
  const database = openDatabase(databaseUrl, { max: CONNECTIONS, onError, limits: LIMITS.delivery });
  registerPoolMetrics(tools.metrics, 'webhooks', database);
  return openWorker({ ...tools, database });
}
