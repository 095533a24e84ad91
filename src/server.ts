// A whole service in this process: database, migrations, rooms and the HTTP door; started by the command, the demo and the tests.
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { type Connection, connectService } from './db/connect.ts';
import { migrate } from './db/migrate.ts';
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
    const keys = config.encryptionKeys.length > 0 ? config.encryptionKeys : await loadOrMakeKey(config.dataDir);
    const service = await openService({ config, databaseUrl: database.url, keys, log, clock });
    closers.push(service.close);
    const { metricsPort, metricsHost } = config;
    if (metricsPort !== undefined) {
      closers.push(await listenForMetrics(service.metrics.registry, { host: metricsHost, port: metricsPort, log }));
    }
    const app = await buildApp(service);
    closers.push(drainer(app));
    await app.listen({ host: config.host, port: config.port });
    const { port } = app.server.address() as AddressInfo;
    config.publicUrl ??= `http://localhost:${port}`;
    closers.push(startSchedule({ ...service, stores: service.documents.stores }).stop);
    if (config.deliverWebhooks) closers.push(startWorker(database.url, { ...service, plan: service.rehearsal?.strike }).stop);
    const sandbox = config.mode === 'sandbox' ? await openSandbox(service) : undefined;
    return { service, url: config.publicUrl, port, migrated, sandbox, stop, abort: database.stop };
  } catch (error) {
    await stop().catch((failure: unknown) => log.warn({ err: failure }, 'not everything was closed'));
    throw error;
  }
}

/** Closes an application: answers what is under way, and does not wait for connections that only stay open. */
function drainer(app: App): () => Promise<void> {
  const unused = new Set<Socket>();
  let draining = false;
  let underWay = 0;
  const idle = Promise.withResolvers<void>();
  const settle = () => {
    if (draining && underWay === 0) idle.resolve();
  };
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  app.addHook('onRequest', async (_request, reply) => {
    // Its client left during the hooks before this one: nothing would tell of its end.
    if (reply.raw.closed) return;
    underWay += 1;
    reply.raw.once('close', () => {
      underWay -= 1;
      settle();
    });
  });
  app.addHook('onSend', async (_request, reply) => {
    // Kept alive, the connection would hold up the end until its client lets go.
    if (draining) reply.header('connection', 'close');
  });
  return async () => {
    draining = true;
    const closed = app.close();
    // Node counts one that has not yet sent anything as busy.
    for (const socket of unused) socket.destroy();
    await closed;
    // Where localhost has two addresses, Fastify has a server for each and waits for one of them.
    settle();
    await idle.promise;
  };
}
