// Starts and stops a complete server in this process: database, migrations, service, HTTP, schedule and webhook worker.
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { startBuilder } from '../../ledger/log/start.ts';
import { startWitnessing } from '../../ledger/log/witnessing.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Connection, connectService } from '../../platform/db/connect.ts';
import { openDrain } from '../../platform/http/drain.ts';
import { listenForMetrics } from '../../platform/telemetry/listener.ts';
import type { Peers } from '../../platform/worker-coordination.ts';
import { startMonitoring } from '../../resources/balance-monitors/start.ts';
import { startApplying } from '../../resources/documents/pending-decision.ts';
import { warnOfPolicies } from '../../resources/documents/policy/warn.ts';
import { checkStore } from '../../resources/documents/store/store.ts';
import { startExpiring } from '../../resources/holds/expire.ts';
import { startSchedules } from '../../resources/schedules/due.ts';
import { startWorker } from '../../resources/webhooks/worker.ts';
import { startAnalyzing } from '../jobs/analyze.ts';
import { startSchedule } from '../jobs/schedule.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { openService, type Service } from '../service/service.ts';
import { buildApp } from './app.ts';
import { rehearse } from './rehearsal.ts';

export type Server = {
  service: Service;
  /** Base URL of every link. */
  url: string;
  port: number;
  sandbox: Sandbox | undefined;
  /** Serves on, and closes each connection with its next response; resolves when none is left, or after some seconds. */
  retire(): Promise<void>;
  /** Finishes the requests in flight, then closes everything. */
  stop(): Promise<void>;
  /** Stops the embedded database without waiting for requests in flight; the process should exit afterwards. */
  abort(): Promise<void>;
};

/** Starts a server. Throws errors with a one-line message for what the operator can fix; leaves nothing running when it throws. */
export async function startServer(
  config: Config,
  log: FastifyBaseLogger,
  options: { connection?: Connection; clock?: Clock | undefined; peers?: Peers | undefined } = {},
): Promise<Server> {
  const { connection, clock, peers } = options;
  const isFirst = peers?.isFirst ?? true;
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (let close = closers.pop(); close; close = closers.pop()) await close().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    const database = connection ?? (await connectService(config, log));
    if (!connection) closers.push(database.stop);
    const service = await openService({ config, databaseUrl: database.url, ownerUrl: database.ownerUrl, log, clock, peers });
    closers.push(service.close);
    if (isFirst) await checkStore(service.documents.stores, log);
    if (isFirst) await warnOfPolicies(service);
    const expose = peers?.exposeAll ?? service.metrics.registry.expose;
    closers.push(await listenForMetrics(config, { expose, log }));
    const app = await buildApp(service);
    const drain = openDrain(app, config);
    closers.push(drain.end);
    await rehearse(service);
    await app.listen({ host: config.host, port: config.port });
    const { port } = app.server.address() as AddressInfo;
    config.publicUrl ??= `http://localhost:${port}`;
    if (isFirst) {
      closers.push(startSchedule({ ...service, database: service.housekeeping, stores: service.documents.stores }).stop);
      closers.push(startBuilder({ ...service, database: service.housekeeping }).stop);
      closers.push(startWitnessing({ ...service, database: service.housekeeping }).stop);
      closers.push(startMonitoring(service).stop);
      closers.push(startExpiring(service).stop);
      closers.push(startApplying(service).stop);
      closers.push(startSchedules(service).stop);
      closers.push(startAnalyzing({ sql: service.housekeeping.sql, log }).stop);
    }
    if (isFirst && config.deliverWebhooks)
      closers.push(
        (
          await startWorker(database.url, {
            ...service,
            plan: service.sandboxTools?.takeFault,
            refreshClocks: service.sandboxTools?.refresh,
          })
        ).stop,
      );
    // Runs first on stop: the server refuses new requests while the other parts close.
    closers.push(drain.begin);
    const sandbox = isFirst && config.mode === 'sandbox' ? await openSandbox(service) : undefined;
    service.start.isComplete = true;
    return { service, url: config.publicUrl, port, sandbox, retire: drain.retire, stop, abort: database.stop };
  } catch (error) {
    await stop().catch((failure: unknown) => log.warn({ err: failure }, 'not everything could be closed'));
    throw error;
  }
}
