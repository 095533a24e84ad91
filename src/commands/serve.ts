// `earmark serve`: runs the service until it is told to stop.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { FastifyBaseLogger } from 'fastify';
import { readConfig } from '../config.ts';
import { type Server, startServer } from '../server.ts';
import { openLog } from '../telemetry/log.ts';
import { bannerOf } from './banner.ts';
import { UsageError } from './command.ts';
import { listenForSignals } from './until-signal.ts';

/**
 * What belongs to a request waits for a commit. Where V8 sees that twice it takes it for long-lived, puts all of its kind where
 * only a full collection looks, and by it keeps what is young: in one process of ten, each of its short collections then takes 10 ms.
 * And a full collection, a stop of 10 ms and more in 50 of work beside, may wait until what was kept has grown to three times, some
 * 100 MB, instead of by a quarter: under load that is every minute instead of every ten seconds.
 */
export const V8_FLAGS = '--no-allocation-site-pretenuring --heap-growing-percent=200';

/** After DRAIN_SECONDS: how long the embedded server may take to stop. One that does not answer is left to the next start. */
const ABORT_WITHIN_MS = 4_000;

export async function serve({ json }: { json: boolean }): Promise<never> {
  setFlagsFromString(V8_FLAGS);
  const config = readConfig();
  const log = openLog(config.logLevel);
  const { first, again } = listenForSignals();
  // Counted from the first signal, whatever the service does by then.
  const late = Promise.race([again, first.then(() => sleep(config.drainSeconds * 1000, undefined, { ref: false }))]);
  const server = await unless(late, startServer(config, log));
  if (!server) throw new UsageError('Stopped before it had started.');
  announce(server, log, json);
  log.info({ signal: await first }, 'stopping');
  const drained = await unless(
    late,
    server.stop().then(() => true),
  );
  // Not left to the event loop, which a connection that somebody keeps open would hold.
  if (drained) process.exit(0);
  await unless(sleep(ABORT_WITHIN_MS), server.abort());
  throw new UsageError('Stopped before every request under way was answered.');
}

/** The result of some work, or undefined when something else came first. */
function unless<T>(other: Promise<unknown>, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, other.then(() => undefined)]);
}

/** Reports the start to the log, for programs as a line of JSON, and to a person at a terminal with what to do next. */
function announce({ url, port, sandbox, service }: Server, log: FastifyBaseLogger, json: boolean): void {
  const { mode } = service.config;
  if (json) process.stdout.write(`${JSON.stringify({ url, port, mode, sandbox: sandbox?.file })}\n`);
  log.info({ url, port, mode, ...(sandbox && { credentials: sandbox.file }) }, 'started');
  if (process.stderr.isTTY) process.stderr.write(bannerOf({ url, port, mode, sandbox }));
}
