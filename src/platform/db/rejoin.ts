// Restarts the embedded server of a running service when it dies.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

/** A joined server, marked as in use by a session. */
export type Use = {
  url: string;
  ownerUrl: string;
  /** Resolves when the session ends, usually because the server died. */
  lost: Promise<void>;
  /** Leaves the server. The last process to leave stops it. */
  stop(): Promise<void>;
};

const PAUSE_MS = { first: 50, most: 5_000 };

/**
 * Rejoins whenever the server is lost, without limit and with growing pauses between attempts. Until then requests get a 503; they
 * succeed again without a new URL, because the address of a data directory never changes. `stop` waits for an attempt in flight.
 */
export function keepJoined(first: Use, join: () => Promise<Use>, log: FastifyBaseLogger): Omit<Use, 'lost'> {
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  let use: Use | undefined = first;

  async function rejoin(): Promise<Use | undefined> {
    let reason: string | undefined;
    for (let pauseMs = PAUSE_MS.first; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
      try {
        return await join();
      } catch (error) {
        const { message } = error as Error;
        if (message !== reason) log.error({ err: error }, 'failed to start the embedded database server; retrying');
        reason = message;
      }
      await Promise.race([stopped, sleep(pauseMs, undefined, { ref: false })]);
    }
    return undefined;
  }

  async function follow(): Promise<void> {
    while (use) {
      await Promise.race([use.lost, stopped]);
      if (stopping.signal.aborted) return;
      log.warn('the embedded database server stopped; restarting it');
      use = await rejoin();
      if (use) log.info('the embedded database server is running again');
    }
  }

  const following = follow();
  return {
    url: first.url,
    ownerUrl: first.ownerUrl,
    async stop() {
      stopping.abort();
      await following;
      await use?.stop();
    },
  };
}
