// Keeps a service on its embedded server for as long as it runs: when the server dies, it is started again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

/** The use of a server, by a session that marks it as in use. */
export type Use = {
  url: string;
  /** Settles when the session is over, and mostly the server with it. */
  lost: Promise<void>;
  /** Lets the server go; who leaves last stops it. */
  stop(): Promise<void>;
};

const PAUSE_MS = { first: 50, most: 5_000 };

/**
 * Joins again, with a growing pause between attempts and without end, whenever the server was lost. Until then requests are
 * refused with 503, as the server of a data directory always has the same address. `stop` waits for an attempt under way.
 */
export function keepJoined(first: Use, join: () => Promise<Use>, log: FastifyBaseLogger): Pick<Use, 'url' | 'stop'> {
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
        if (message !== reason) log.error({ err: error }, 'the embedded database server cannot be started; trying again');
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
      log.warn('the embedded database server is gone; starting it again');
      use = await rejoin();
      if (use) log.info('the embedded database server is back');
    }
  }

  const following = follow();
  return {
    url: first.url,
    async stop() {
      stopping.abort();
      await following;
      await use?.stop();
    },
  };
}
