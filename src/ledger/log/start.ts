// Starts the builder of the logs in a service.
import type { FastifyBaseLogger } from 'fastify';
import { startLoop } from '../../core/loop.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { settleSome } from '../feed/feed.ts';
import { type BuildTools, buildLogs } from './build.ts';

/** A checkpoint covers an event within five seconds. */
const POLL_MS = 500;

/** Requires the public URL to be known, because the origin of a log contains its host. */
export function startBuilder(tools: BuildTools & { log: FastifyBaseLogger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const onError = openOutage(tools.log, 'a transparency log cannot be extended').note;
  let more = false;
  const loop = startLoop({
    pollMs: () => POLL_MS,
    async step() {
      const built = await buildLogs(tools, onError);
      // Whoever settled these events, such as a worker of webhooks, settles the next ones.
      if (built > 0 && !more) return false;
      const found = await settleSome(tools.database.sql);
      more = found.more;
      return found.settled > 0;
    },
    onError,
    signal: stopping.signal,
  });
  return {
    async stop() {
      stopping.abort();
      await loop.ended;
    },
  };
}
