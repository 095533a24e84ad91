// A whole service in this process: database, migrations, rooms and the HTTP door; started by the command, the demo and the tests.
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
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { loadOrMakeKey } from './sealing.ts';
import { openService, type Service } from './service.ts';
import { listenForMetrics } from './telemetry/listener.ts';
import { startWorker } from './webhooks/start.ts';

export type Server = {
  service: Service;
  /** The base of every link. */
  url: string;
  port: number;
  migrated: string[];
  sandbox: Sandbox | undefined;
  /** Finishes the requests under way, then closes everything. */
  stop(): Promise<void>;
  /** Stops the embedded server under the requests that a `stop` still waits for; the process should end then. */
  abort(): Promise<void>;
};

// Of DRAIN_SECONDS: when a request must have come wholly, and when the connection of one that had not ends, the answer to it read or not.
const RECEIVED_WITHIN = 1 / 2;
const CUT_AFTER = 3 / 4;

/** Starts a service. Throws one-line errors for what a person can mend; leaves nothing running when it throws. */
export async function startServer(
  config: Config,
  log: FastifyBaseLogger,
  given: { connection?: Connection; clock?: Clock | undefined } = {},
): Promise<Server> {
  const { connection, clock } = given;
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
    const drain = drainer(app, config);
    closers.push(drain.end);
    await app.listen({ host: config.host, port: config.port });
    const { port } = app.server.address() as AddressInfo;
    config.publicUrl ??= `http://localhost:${port}`;
    closers.push(startSchedule({ ...service, database: service.housekeeping, stores: service.documents.stores }).stop);
    if (config.deliverWebhooks)
      closers.push(startWorker(database.url, { ...service, plan: service.sandboxTools?.takeFault }).stop);
    // First: nobody should be sent here any more while the others end.
    closers.push(drain.begin);
    const sandbox = config.mode === 'sandbox' ? await openSandbox(service) : undefined;
    return { service, url: config.publicUrl, port, migrated, sandbox, stop, abort: database.stop };
  } catch (error) {
    await stop().catch((failure: unknown) => log.warn({ err: failure }, 'not everything was closed'));
    throw error;
  }
}

type Drain = {
  /** Takes nothing new from now on. */
  begin(): Promise<void>;
  /** Waits until what is under way is answered. */
  end(): Promise<void>;
};

/** Where a response stands among those that are under way. */
const PLACE = Symbol('place');
type Noted = ServerResponse & { [PLACE]?: number };

/** Closes an application: answers what is under way, and does not wait for connections that only stay open, nor long for requests that do not come. */
function drainer(app: App, { drainSeconds }: { drainSeconds: number }): Drain {
  const connections = new Set<Socket>();
  const unused = new Set<Socket>();
  // No Set: members leave it all the time (ARCHITECTURE.md, "Short-lived memory").
  const underWay: Noted[] = [];
  let closed: Promise<void> | undefined;
  const idle = Promise.withResolvers<void>();
  const settle = () => {
    if (closed && underWay.length === 0) idle.resolve();
  };
  const note = (response: Noted) => {
    // Its client may have left already: nothing would tell of its end.
    if (response.closed || response[PLACE] !== undefined) return;
    response[PLACE] = underWay.push(response) - 1;
    response.on('close', () => {
      const last = underWay.pop()!;
      last[PLACE] = response[PLACE];
      if (last !== response) underWay[response[PLACE]!] = last;
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
    note(response);
  });
  // Where localhost has two addresses, Fastify has a server for each and shows one of them.
  app.addHook('onRequest', (_request, reply, done) => {
    note(reply.raw);
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // Kept alive, the connection would hold up the end until its client lets go.
    if (closed) reply.header('connection', 'close');
    done(null, payload);
  });

  /** Connections without a request that came wholly: one that is cut off, or was refused before its end. */
  const late = () => {
    const served = new Set(underWay.filter(({ req }) => req.complete).map(({ req }) => req.socket));
    return [...connections, ...underWay.map(({ req }) => req.socket)].filter((socket) => !served.has(socket));
  };
  const refuseLate = () => {
    for (const socket of new Set(late())) app.server.emit('clientError', new LateError(), socket);
  };
  const cutLate = () => {
    for (const socket of late()) socket.destroy();
  };

  async function close() {
    // Node's own limit of a request, which nobody looks after once a server closes.
    const timers = [
      setTimeout(refuseLate, drainSeconds * 1000 * RECEIVED_WITHIN),
      setTimeout(cutLate, drainSeconds * 1000 * CUT_AFTER),
    ];
    const closing = app.close();
    // Node counts one that has not yet sent anything as busy.
    for (const socket of unused) socket.destroy();
    try {
      await closing;
      // Fastify waits for one of its servers.
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

/** What Node.js says of a request that did not arrive in time. */
class LateError extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}
