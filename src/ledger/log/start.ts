// Starts the builder of the logs in a service.
import { startLoop } from '../../core/loop.ts';
import type { Groups } from '../../platform/db/groups.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { settleSome } from '../feed/feed.ts';
import { type BuildTools, buildLogs } from './build.ts';

/** A checkpoint covers an event within five seconds. On a cluster a look costs milliseconds of CPU for each group. */
const POLL_MS = { oneServer: 500, cluster: 1_000 };

/** Requires the public URL to be known, because the origin of a log contains its host. */
export function startBuilder(tools: BuildTools & { groups: Pick<Groups, 'isShownInParts'> }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const onError = openOutage(tools.log, 'a transparency log cannot be extended').note;
  let more = false;
  const loop = startLoop({
    pollMs: () => (tools.groups.isShownInParts ? POLL_MS.cluster : POLL_MS.oneServer),
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
