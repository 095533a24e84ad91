// Starts and stops a complete server in this process: database, migrations, service, HTTP, schedule and webhook worker.
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { type Connection, connectService } from './db/connect.ts';
import { migrate } from './db/migrate.ts';
import { requireMode } from './db/mode.ts';
import type { App } from './http/route.ts';
import { startSchedule } from './jobs/schedule.ts';
import { loadOrMakeKey } from './key-file.ts';
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { openService, type Service } from './service.ts';
import { listenForMetrics } from './telemetry/listener.ts';
import { startWorker } from './webhooks/start.ts';

export type Server = {
  service: Service;
  /** Base URL of every link. */
  url: string;
  port: number;
  migrated: string[];
  sandbox: Sandbox | undefined;
  /** Finishes the requests in flight, then closes everything. */
  stop(): Promise<void>;
  /** Stops the embedded database without waiting for requests in flight; the process should exit afterwards. */
  abort(): Promise<void>;
};

// Fractions of DRAIN_SECONDS: after the first, incomplete requests are refused; after the second, their connections are destroyed.
const REFUSE_INCOMPLETE_AFTER = 1 / 2;
const DESTROY_INCOMPLETE_AFTER = 3 / 4;

/** Starts a server. Throws errors with a one-line message for what the operator can fix; leaves nothing running when it throws. */
export async function startServer(
  config: Config,
  log: FastifyBaseLogger,
  options: { connection?: Connection; clock?: Clock | undefined } = {},
): Promise<Server> {
  const { connection, clock } = options;
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (let close = closers.pop(); close; close = closers.pop()) await close().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    const database = connection ?? (await connectService(config, log));
    if (!connection) closers.push(database.stop);
    const migrated = await migrate(database.url);
    await requireMode(database.url, config.mode);
    const keys = config.encryptionKeys.length > 0 ? config.encryptionKeys : await loadOrMakeKey(config.dataDir);
    const service = await openService({ config, databaseUrl: database.url, keys, log, clock });
    closers.push(service.close);
    const { metricsPort, metricsHost } = config;
    if (metricsPort !== undefined) {
      closers.push(await listenForMetrics(service.metrics.registry, { host: metricsHost, port: metricsPort, log }));
    }
    const app = await buildApp(service);
    const drain = openDrain(app, config);
    closers.push(drain.end);
    await app.listen({ host: config.host, port: config.port });
    const { port } = app.server.address() as AddressInfo;
    config.publicUrl ??= `http://localhost:${port}`;
    closers.push(startSchedule({ ...service, database: service.housekeeping, stores: service.documents.stores }).stop);
    if (config.deliverWebhooks)
      closers.push(startWorker(database.url, { ...service, plan: service.sandboxTools?.takeFault }).stop);
    // Runs first on stop: the server refuses new requests while the other parts close.
    closers.push(drain.begin);
    const sandbox = config.mode === 'sandbox' ? await openSandbox(service) : undefined;
    return { service, url: config.publicUrl, port, migrated, sandbox, stop, abort: database.stop };
  } catch (error) {
    await stop().catch((failure: unknown) => log.warn({ err: failure }, 'not everything could be closed'));
    throw error;
  }
}

type Drain = {
  /** Stops accepting connections and requests. */
  begin(): Promise<void>;
  /** Waits until the requests in flight are answered. */
  end(): Promise<void>;
};

/** Index of a response in `inFlight`. */
const INDEX = Symbol('index');
type TrackedResponse = ServerResponse & { [INDEX]?: number };

/** Drains an application: answers requests in flight, closes idle connections, and limits the wait for incomplete requests. */
function openDrain(app: App, { drainSeconds }: { drainSeconds: number }): Drain {
  const connections = new Set<Socket>();
  const unused = new Set<Socket>();
  // An array, not a Set: entries are short-lived (ARCHITECTURE.md, "Short-lived memory").
  const inFlight: TrackedResponse[] = [];
  let closed: Promise<void> | undefined;
  const idle = Promise.withResolvers<void>();
  const settle = () => {
    if (closed && inFlight.length === 0) idle.resolve();
  };
  const track = (response: TrackedResponse) => {
    // The client may have disconnected already: then no `close` event follows.
    if (response.closed || response[INDEX] !== undefined) return;
    response[INDEX] = inFlight.push(response) - 1;
    response.on('close', () => {
      const last = inFlight.pop()!;
      last[INDEX] = response[INDEX];
      if (last !== response) inFlight[response[INDEX]!] = last;
      settle();
    });
  };
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    unused.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      unused.delete(socket);
    });
  });
  app.server.on('request', ({ socket }, response) => {
    unused.delete(socket);
    track(response);
  });
  // If localhost has two addresses, Fastify opens a server for each, and `app.server` is only one of them.
  app.addHook('onRequest', (_request, reply, done) => {
    track(reply.raw);
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A connection that is kept alive would delay the close until its client ends it.
    if (closed) reply.header('connection', 'close');
    done(null, payload);
  });

  /** Returns connections without a complete request: it was cut off, or refused before its end. */
  const incomplete = () => {
    const served = new Set(inFlight.filter(({ req }) => req.complete).map(({ req }) => req.socket));
    return [...connections, ...inFlight.map(({ req }) => req.socket)].filter((socket) => !served.has(socket));
  };
  const refuseIncomplete = () => {
    for (const socket of new Set(incomplete())) app.server.emit('clientError', new RequestTimeoutError(), socket);
  };
  const destroyIncomplete = () => {
    for (const socket of incomplete()) socket.destroy();
  };

  async function close() {
    // Node.js stops checking its request timeout once a server closes.
    const timers = [
      setTimeout(refuseIncomplete, drainSeconds * 1000 * REFUSE_INCOMPLETE_AFTER),
      setTimeout(destroyIncomplete, drainSeconds * 1000 * DESTROY_INCOMPLETE_AFTER),
    ];
    const closing = app.close();
    // Node.js does not count a connection that has sent nothing yet as idle.
    for (const socket of unused) socket.destroy();
    try {
      await closing;
      // Fastify waits for only one of its servers.
      settle();
      await idle.promise;
    } finally {
      timers.forEach(clearTimeout);
    }
  }
  const begin = () => {
    closed ??= close();
    closed.catch(() => {});
  };
  return {
    async begin() {
      begin();
    },
    async end() {
      begin();
      await closed;
    },
  };
}

/** The error that Node.js raises for a request that exceeded its timeout. */
class RequestTimeoutError extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}
