// `earmark deliver`: the delivery worker alone, beside services that do not deliver (DELIVER_WEBHOOKS=false).
import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { requireMode } from '../db/mode.ts';
import { openDatabase } from '../db/sql.ts';
import { openLinks } from '../http/links.ts';
import { openRehearsal } from '../rehearsal/rehearsal.ts';
import { loadOrMakeKey, openSealer } from '../sealing.ts';
import { listenForMetrics } from '../telemetry/listener.ts';
import { openLog } from '../telemetry/log.ts';
import { openMetrics } from '../telemetry/metrics.ts';
import { watchProcess } from '../telemetry/process.ts';
import { openTracingOf } from '../telemetry/trace.ts';
import { startWorker } from '../webhooks/start.ts';
import { command, UsageError } from './command.ts';
import { untilSignal } from './until-signal.ts';

export const deliver = command({
  name: 'deliver',
  about: 'Delivers webhooks until it is told to stop; any number of these, and of services, share the work.',
  examples: ['PUBLIC_URL=https://pay.example.com earmark deliver'],
  async run({ json }) {
    const config = readConfig();
    if (config.publicUrl === undefined)
      throw new UsageError('Set PUBLIC_URL to that of the service: it is in every link delivered.');
    const log = openLog(config.logLevel);
    const stopped = untilSignal();
    const connection = await connectCommand(config);
    try {
      await migrate(connection.url);
      await requireMode(connection.url, config.mode);
      const keys = config.encryptionKeys.length > 0 ? config.encryptionKeys : await loadOrMakeKey(config.dataDir);
      const metrics = openMetrics();
      const tracing = await openTracingOf(config, { registry: metrics.registry, log });
      const unwatch = watchProcess(metrics.registry);
      const { metricsHost: host, metricsPort: port } = config;
      const close = port === undefined ? undefined : await listenForMetrics(metrics.registry, { host, port, log });
      const database = openDatabase(connection.url, { max: 1, onError: () => {} });
      const rehearsal =
        config.mode === 'sandbox' ? await openRehearsal({ sql: database.sql, log, base: systemClock }) : undefined;
      const worker = startWorker(connection.url, {
        config,
        links: openLinks(config),
        sealer: openSealer(keys),
        log,
        clock: systemClock,
        metrics,
        tracing,
        plan: rehearsal?.strike,
      });
      process.stdout.write(json ? `${JSON.stringify({ delivering: true })}\n` : 'Earmark delivers webhooks.\n');
      log.info({ signal: await stopped }, 'stopping');
      await worker.stop();
      await rehearsal?.close();
      await database.close();
      await tracing?.close();
      await close?.();
      unwatch();
      return 0;
    } finally {
      await connection.stop();
    }
  },
});
