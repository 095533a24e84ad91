// `earmark serve`: runs the service until a stop signal.
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { FastifyBaseLogger } from 'fastify';
import { type Config, readConfig, requirePublicUrl } from '../../platform/config/config.ts';
import { openLog } from '../../platform/telemetry/log.ts';
import { supervise } from '../workers/supervisor.ts';
import { bannerOf, type Started } from './banner.ts';
import { UsageError } from './command.ts';
import { openSystemd, type Systemd } from './systemd.ts';
import { listenForSignals, type ReloadSignals } from './until-signal.ts';

/**
 * V8 flags against garbage collection pauses. Pretenuring promotes per-request objects to old space, where they keep young objects
 * alive until a major GC: in one process of ten every minor GC then took 10 ms. The growing percentage makes major GCs (pauses of
 * 10 ms and more) run about every minute under load instead of every ten seconds, for some 100 MB more memory.
 */
export const V8_FLAGS = '--no-allocation-site-pretenuring --heap-growing-percent=200';

type Running = Omit<Started, 'mode'> & { restart?(): Promise<void>; stop(): Promise<void>; abort(): Promise<void> };

/** Time limit for stopping the embedded server after DRAIN_SECONDS. The next start recovers a server that did not stop. */
const ABORT_WITHIN_MS = 4_000;

type ServeCall = { options: { 'no-migrate': boolean }; json: boolean; reloads: ReloadSignals };

export async function serve({ options, json, reloads }: ServeCall): Promise<never> {
  setFlagsFromString(V8_FLAGS);
  const config = { ...readConfig(), migrates: !options['no-migrate'] };
  requirePublicUrl(config);
  const log = openLog(config.logLevel);
  if (cluster.isWorker) return (await import('../workers/worker.ts')).serveAsWorker(shareOf(config), log);
  const { first, repeated } = listenForSignals();
  const systemd = openSystemd(log);
  // The limit starts with the first signal, also while the service is still starting.
  const late = Promise.race([repeated, first.then(() => sleep(config.drainSeconds * 1000, undefined, { ref: false }))]);
  const server = await unless(late, start(config, log));
  if (!server) throw new UsageError('Stopped before the service had started.');
  announce({ ...server, mode: config.mode }, log, json);
  systemd.ready();
  reloads.each(reloadOf(server, { systemd, log }));
  log.info({ signal: await first }, 'stopping');
  systemd.stopping();
  reloads.each(() => log.info('SIGHUP has no effect while the service stops'));
  const drained = await unless(
    late,
    server.stop().then(() => true),
  );
  // Exits explicitly, because an open client connection would keep the event loop running.
  if (drained) process.exit(0);
  await unless(sleep(ABORT_WITHIN_MS), server.abort());
  throw new UsageError('Stopped before all requests in flight were answered.');
}

/**
 * Starts the service in this process, or in worker processes that this one supervises. The service is loaded where it runs, and before it
 * connects: loaded afterwards, it uses 3 to 4 % more CPU for as long as it runs (`npm run bench -- against`).
 */
async function start(config: Config, log: FastifyBaseLogger): Promise<Running> {
  if (config.workers > 1) return supervise(config, log);
  const { startServer } = await import('../api/server.ts');
  const { compileSchemas } = await import('../../platform/http/schemas.ts');
  const { linkForTerminal } = await import('../../resources/operators/console-link.ts');
  const server = await startServer(config, log);
  void compileSchemas();
  return { ...server, consoleLink: await linkForTerminal(server.service) };
}

/** What SIGHUP does to a running service: it replaces its workers, one reload after another. */
function reloadOf({ restart }: Running, { systemd, log }: { systemd: Systemd; log: FastifyBaseLogger }): () => void {
  if (!restart)
    return () => log.warn('SIGHUP has no effect without WORKERS: restart the service to change its settings or version');
  let reloading: Promise<void> = Promise.resolve();
  const reload = async () => {
    systemd.reloading();
    await restart();
    systemd.ready();
  };
  return () => {
    reloading = reloading.then(reload);
  };
}

/** The settings of one process, of which WORKERS share the limits. */
function shareOf(config: Config): Config {
  const { workers, poolSize, maxRequests, maxQueued, usedProofsMax } = config;
  const share = (limit: number) => Math.ceil(limit / workers);
  return {
    ...config,
    poolSize: share(poolSize),
    maxRequests: share(maxRequests),
    maxQueued: share(maxQueued),
    usedProofsMax: share(usedProofsMax),
  };
}

/** Returns the result of work, or undefined when the other promise resolves first. */
function unless<T>(other: Promise<unknown>, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, other.then(() => undefined)]);
}

/** Reports the start: in the log, as JSON on stdout with --json, and as a banner on a terminal. */
function announce({ url, port, sandbox, mode, consoleLink }: Started, log: FastifyBaseLogger, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify({ url, port, mode, sandbox: sandbox?.file })}\n`);
  log.info({ url, port, mode, ...(sandbox && { credentials: sandbox.file }) }, 'started');
  if (process.stderr.isTTY) process.stderr.write(bannerOf({ url, port, mode, sandbox, consoleLink }));
}
