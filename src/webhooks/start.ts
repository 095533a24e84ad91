// Starts a delivery worker with separate database connections, in the service or in `earmark deliver`.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/sql.ts';
import type { Links } from '../http/links.ts';
import type { Sealer } from '../sealing.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { openOutage } from '../telemetry/outage.ts';
import { registerPoolMetrics } from '../telemetry/pool.ts';
import type { Tracing } from '../telemetry/trace.ts';
import { openConnections } from './connections.ts';
import type { FaultPlan } from './send-with-fault.ts';
import { openWorker, type Worker } from './worker.ts';

/** Requires the public URL to be known, because deliveries contain links. */
export async function startWorker(
  databaseUrl: string,
  tools: {
    database: Database;
    config: Config;
    links: Links;
    sealer: Sealer;
    log: FastifyBaseLogger;
    clock: Clock;
    metrics: Metrics;
    tracing: Tracing | undefined;
    plan?: FaultPlan | undefined;
    refreshClocks?: (() => Promise<void>) | undefined;
  },
): Promise<Worker> {
  const onError = openOutage(tools.log, 'database connection lost').note;
  const connections = await openConnections(tools.database.sql, { databaseUrl, log: tools.log, onError });
  registerPoolMetrics(tools.metrics, 'webhooks', connections);
  return openWorker({ ...tools, ...connections });
}
