// `earmark deliver`: runs the webhook delivery worker in its own process, for services with DELIVER_WEBHOOKS=false.
import { readConfig, requirePublicUrl } from '../../platform/config/config.ts';
import { connectCommand } from '../../platform/db/connect.ts';
import { listenForMetrics } from '../../platform/telemetry/listener.ts';
import { openLog } from '../../platform/telemetry/log.ts';
import { startWorker } from '../../resources/webhooks/worker.ts';
import { openRuntime } from '../service/runtime.ts';
import { UsageError } from './command.ts';
import { openSystemd } from './systemd.ts';
import { type ReloadSignals, untilSignal } from './until-signal.ts';

/** For the keys and the sandbox's planned faults; the worker has its own connections. */
const CONNECTIONS = 1;

type DeliverCall = { options: { 'no-migrate': boolean }; json: boolean; reloads: ReloadSignals };

export async function deliver({ options, json, reloads }: DeliverCall): Promise<number> {
  const config = { ...readConfig(), migrates: !options['no-migrate'] };
  requirePublicUrl(config);
  if (config.publicUrl === undefined)
    throw new UsageError('Set PUBLIC_URL to that of the service: webhooks contain links with it.');
  const log = openLog(config.logLevel);
  const stopped = untilSignal();
  const connection = await connectCommand(config);
  try {
    const pool = { max: CONNECTIONS, onError: () => {} };
    const runtime = await openRuntime({ config, databaseUrl: connection.url, ownerUrl: connection.ownerUrl, log, pool });
    const closeMetrics = await listenForMetrics(config, { expose: runtime.metrics.registry.expose, log });
    const worker = await startWorker(connection.url, {
      ...runtime,
      plan: runtime.sandboxTools?.takeFault,
      refreshClocks: runtime.sandboxTools?.refresh,
    });
    if (json) process.stdout.write(`${JSON.stringify({ delivering: true })}\n`);
    else if (process.stderr.isTTY) process.stderr.write('Earmark is delivering webhooks.\n');
    const systemd = openSystemd(log);
    systemd.ready();
    reloads.each(() => log.warn('SIGHUP has no effect: restart the process to change its settings or version'));
    log.info({ signal: await stopped }, 'stopping');
    systemd.stopping();
    // A database that does not respond must not delay the exit.
    setTimeout(() => process.exit(1), config.drainSeconds * 1000).unref();
    await worker.stop();
    await runtime.close();
    await closeMetrics();
    return 0;
  } finally {
    await connection.stop();
  }
}
