// A worker process of WORKERS: a whole service, except for what the supervisor does or the first worker does for all.
import { subscribe } from 'node:diagnostics_channel';
import net from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { compileSchemas } from '../../platform/http/schemas.ts';
import { linkForTerminal } from '../../resources/operators/console-link.ts';
import { startServer } from '../api/server.ts';
import { openChannel } from './channel.ts';
import type { ToSupervisor, ToWorker } from './messages.ts';
import { openPeers } from './peers.ts';

/** Published by Node.js when a server listens. Fastify does not show those of further addresses of localhost. */
const LISTENING = 'tracing:net.server.listen:asyncEnd';

/** The last metrics of a worker, which no request asked for. */
const LAST = -1;

/** Serves until the supervisor stops this process, or is gone. */
export async function serveAsWorker(config: Config, log: FastifyBaseLogger): Promise<never> {
  // The supervisor gets the same signals and decides. The command has caught SIGHUP.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  const channel = openChannel<ToWorker, ToSupervisor>({
    send: (message) => process.send?.(message),
    on: (event, listener) => process.on(event, listener as (message: unknown) => void),
    isConnected: () => process.connected,
  });
  const servers = new Set<net.Server>();
  subscribe(LISTENING, (message) => servers.add((message as { server: net.Server }).server));
  const told = Promise.withResolvers<'stop' | 'retire'>();
  channel.on('stop', () => told.resolve('stop'));
  channel.on('retire', () => told.resolve('retire'));
  let isListening = false;
  process.on('disconnect', () => {
    // Without a supervisor nobody enforces the time limit for requests in flight.
    setTimeout(() => process.exit(1), isListening ? config.drainSeconds * 1000 : 0).unref();
    told.resolve('stop');
  });

  const start = new Promise<Extract<ToWorker, { kind: 'start' }>>((resolve) => channel.on('start', resolve));
  channel.send({ kind: 'ready' });
  const first = await Promise.race([start, told.promise]);
  if (typeof first === 'string') process.exit(0);
  const { databaseUrl, ownerUrl, isFirst, check } = first;
  const peers = openPeers(channel, { isFirst, check });
  const connection = { url: databaseUrl, ownerUrl, stop: async () => {} };
  const server = await startServer(config, log, { connection, peers });
  const { url, port, sandbox } = server;
  const consoleLink = isFirst ? await linkForTerminal(server.service) : undefined;
  isListening = true;
  void compileSchemas();
  channel.send({ kind: 'listening', listening: { url, port, sandbox, consoleLink } });
  if ((await told.promise) === 'retire') {
    // The method of an HTTP server would also close idle connections, on which a request may be on its way.
    for (const one of servers) net.Server.prototype.close.call(one);
    await server.retire();
  }
  const { registry } = server.service.metrics;
  channel.send({ kind: 'exposed', request: LAST, text: await registry.expose() });
  await server.stop();
  process.exit(0);
}
