// Starts a delivery worker with separate database connections, in the service or in `earmark deliver`.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { registerPoolMetrics } from '../../platform/telemetry/pool.ts';
import type { Tracing } from '../../platform/telemetry/trace.ts';
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
