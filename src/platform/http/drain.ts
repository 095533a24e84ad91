// Drains an application that stops: answers requests in flight, closes idle connections, and limits the wait for incomplete requests.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createUnorderedList } from '../../core/unordered-list.ts';
import type { App } from './route.ts';

type Drain = {
  /** Serves on, and closes each connection with its next response. Resolves when all are closed, or after RETIRE_MS. */
  retire(): Promise<void>;
  /** Stops accepting connections and requests. */
  begin(): Promise<void>;
  /** Waits until the requests in flight are answered. */
  end(): Promise<void>;
};

// Fractions of DRAIN_SECONDS: after the first, incomplete requests are refused; after the second, their connections are destroyed.
const REFUSE_INCOMPLETE_AFTER = 1 / 2;
const DESTROY_INCOMPLETE_AFTER = 3 / 4;

/** Clients that keep idle connections for longer must repeat a request that meets the end of its connection, as always. */
const RETIRE_MS = 5_000;
/** For connections that were accepted, but have not sent their request yet. */
const SETTLE_MS = 250;

/** Must be opened before the application listens. */
export function openDrain(app: App, { drainSeconds }: { drainSeconds: number }): Drain {
  const traffic = trackTraffic(app);
  let closed: Promise<void> | undefined;
  let isRetiring = false;
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A connection that is kept alive would delay the close until its client ends it.
    if (closed || isRetiring) reply.header('connection', 'close');
    done(null, payload);
  });

  async function close() {
    // Node.js stops checking its request timeout once a server closes.
    const timers = [
      setTimeout(refuseIncomplete, drainSeconds * 1000 * REFUSE_INCOMPLETE_AFTER),
      setTimeout(destroyIncomplete, drainSeconds * 1000 * DESTROY_INCOMPLETE_AFTER),
    ];
    const closing = app.close();
    // Node.js does not count a connection that has sent nothing yet as idle.
    for (const socket of traffic.unused) socket.destroy();
    try {
      await closing;
      // Fastify waits for only one of its servers.
      await traffic.idle();
    } finally {
      timers.forEach(clearTimeout);
    }
  }
  const refuseIncomplete = () => {
    for (const socket of new Set(traffic.incomplete())) app.server.emit('clientError', new RequestTimeoutError(), socket);
  };
  const destroyIncomplete = () => {
    for (const socket of traffic.incomplete()) socket.destroy();
  };
  const begin = () => {
    closed ??= close();
    closed.catch(() => {});
  };
  return {
    async retire() {
      isRetiring = true;
      const startMs = performance.now();
      do await sleep(SETTLE_MS);
      while (traffic.connections.size > 0 && performance.now() - startMs < RETIRE_MS);
    },
    async begin() {
      begin();
    },
    async end() {
      begin();
      await closed;
    },
  };
}

/** Tracks the connections of an application and its responses in flight. */
function trackTraffic(app: App) {
  const connections = new Set<Socket>();
  const unused = new Set<Socket>();
  const responses = createUnorderedList<ServerResponse>();
  let onIdle: (() => void) | undefined;

  function track(response: ServerResponse): void {
    // The client may have disconnected already: then no `close` event follows.
    if (response.closed || responses.entries.includes(response)) return;
    responses.add(response);
    response.on('close', () => {
      responses.remove(response);
      if (responses.entries.length === 0) onIdle?.();
    });
  }

  function trackConnection(socket: Socket): void {
    if (connections.has(socket)) return;
    connections.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      unused.delete(socket);
    });
  }

  app.server.on('connection', (socket: Socket) => {
    trackConnection(socket);
    unused.add(socket);
  });
  app.server.on('request', ({ socket }, response) => {
    unused.delete(socket);
    track(response);
  });
  // If localhost has two addresses, Fastify opens a server for each, and `app.server` is only one of them.
  app.addHook('onRequest', (_request, reply, done) => {
    trackConnection(reply.raw.req.socket);
    track(reply.raw);
    done();
  });

  return {
    connections,
    /** Connections that have sent nothing yet. */
    unused,
    /** Returns connections without a complete request: it was cut off, or refused before its end. */
    incomplete(): Socket[] {
      const served = new Set(responses.entries.filter(({ req }) => req.complete).map(({ req }) => req.socket));
      return [...connections, ...responses.entries.map(({ req }) => req.socket)].filter((socket) => !served.has(socket));
    },
    /** Resolves when no response is in flight. */
    async idle(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      if (responses.entries.length === 0) resolve();
      await promise;
    },
  };
}

/** The error that Node.js raises for a request that exceeded its timeout. */
class RequestTimeoutError extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}
