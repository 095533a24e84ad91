// `earmark deliver`: runs the webhook delivery worker in its own process, for services with DELIVER_WEBHOOKS=false.
import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { requireMode } from '../db/mode.ts';
import { openDatabase } from '../db/sql.ts';
import { openLinks } from '../http/links.ts';
import { openSandboxTools } from '../sandbox/tools.ts';
import { openSealer } from '../sealing.ts';
import { listenForMetrics } from '../telemetry/listener.ts';
import { openLog } from '../telemetry/log.ts';
import { openMetrics } from '../telemetry/metrics.ts';
import { registerProcessMetrics } from '../telemetry/process.ts';
import { openTracingIfConfigured } from '../telemetry/trace.ts';
import { startWorker } from '../webhooks/start.ts';
import { UsageError } from './command.ts';
import { untilSignal } from './until-signal.ts';
import { keysOf } from './with-database.ts';

export async function deliver({ json }: { json: boolean }): Promise<number> {
  const config = readConfig();
  if (config.publicUrl === undefined)
    throw new UsageError('Set PUBLIC_URL to that of the service: webhooks contain links with it.');
  const log = openLog(config.logLevel);
  const stopped = untilSignal();
  const connection = await connectCommand(config);
  try {
    await migrate(connection.url);
    await requireMode(connection.url, config.mode);
    const database = openDatabase(connection.url, { max: 1, onError: () => {} });
    const sealer = openSealer(await keysOf({ config, database }));
    const metrics = openMetrics();
    const tracing = await openTracingIfConfigured(config, { registry: metrics.registry, log });
    const unwatch = registerProcessMetrics(metrics.registry);
    const { metricsHost: host, metricsPort: port } = config;
    const close = port === undefined ? undefined : await listenForMetrics(metrics.registry, { host, port, log });
    const sandboxTools =
      config.mode === 'sandbox' ? await openSandboxTools({ sql: database.sql, log, base: systemClock }) : undefined;
    const worker = startWorker(connection.url, {
      config,
      links: openLinks(config),
      sealer,
      log,
      clock: systemClock,
      metrics,
      tracing,
      plan: sandboxTools?.takeFault,
    });
    if (json) process.stdout.write(`${JSON.stringify({ delivering: true })}\n`);
    else if (process.stderr.isTTY) process.stderr.write('Earmark is delivering webhooks.\n');
    log.info({ signal: await stopped }, 'stopping');
    // A database that does not respond must not delay the exit.
    setTimeout(() => process.exit(1), config.drainSeconds * 1000).unref();
    await worker.stop();
    await sandboxTools?.close();
    await database.close();
    await tracing?.close();
    await close?.();
    unwatch();
    return 0;
  } finally {
    await connection.stop();
  }
}
