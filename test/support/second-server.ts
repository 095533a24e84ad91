// A second server for tests with two processes, as all have with EARMARK_TEST_WORKERS=2: on the same database, and linked to the first as
// workers are.
import { EventEmitter } from 'node:events';
import type { FastifyBaseLogger } from 'fastify';
import { type Server, startServer } from '../../src/apps/api/server.ts';
import type { Service } from '../../src/apps/service/service.ts';
import { openChannel } from '../../src/apps/workers/channel.ts';
import { sumExpositions } from '../../src/apps/workers/exposition.ts';
import type { ToSupervisor, ToWorker } from '../../src/apps/workers/messages.ts';
import { openPeers } from '../../src/apps/workers/peers.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Config } from '../../src/platform/config/config.ts';
import { NO_CHECK, type Peers } from '../../src/platform/worker-coordination.ts';

export const DEFAULT_PROCESSES = process.env.EARMARK_TEST_WORKERS === '2' ? 2 : 1;

type Start = { config: Config; log: FastifyBaseLogger; clock: Clock | undefined; databaseUrl: string };

/** What a process learns from the database within a second: clocks, planned faults and revoked tokens. */
const LEARNT_LATER = /^\/(?:sandbox|token\/revoke|console\/sandbox)\b/;

/** Starts two servers. The result is the first one; `ports` and `services` are those of both. */
export async function startTwo({
  config,
  log,
  clock,
  databaseUrl,
}: Start): Promise<Server & { ports: number[]; services: Service[] }> {
  const [one, other] = linkPeers();
  const connection = { url: databaseUrl, ownerUrl: databaseUrl, stop: async () => {} };
  const first = await startServer(config, log, { connection, clock, peers: one });
  try {
    const second = await startServer({ ...config, port: 0, publicUrl: first.url }, log, { connection, clock, peers: other });
    const stop = async () => {
      await Promise.all([first.stop(), second.stop()]);
    };
    return { ...first, ports: [first.port, second.port], services: [first.service, second.service], stop };
  } catch (error) {
    await first.stop();
    throw error;
  }
}

/** Lets every process learn the effect of a request now, so that tests need not wait for it. */
export async function catchUp(services: Service[], path: string): Promise<void> {
  if (services.length === 1 || !LEARNT_LATER.test(path)) return;
  for (const { sandboxTools, authority } of services) {
    await sandboxTools?.refresh();
    // An unknown client makes a process read the revocations.
    if (path.startsWith('/token')) await authority.authenticate({ clientId: 'unknown', secrets: [] });
  }
}

/** The peers of two processes, with this module in the place of the supervisor. */
function linkPeers(): [Peers, Peers] {
  const lines = [new EventEmitter(), new EventEmitter()];
  const texts = new Map<number, (text: string) => void>();
  let requests = 0;
  const ask = (line: EventEmitter) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const request = requests++;
    texts.set(request, resolve);
    line.emit('message', { kind: 'expose', request } satisfies ToWorker);
    return promise;
  };
  const receive = async (index: number, message: ToSupervisor) => {
    const own = lines[index]!;
    if (message.kind === 'exposed') texts.get(message.request)?.(message.text);
    if (message.kind === 'taken' || message.kind === 'checked') lines[1 - index]!.emit('message', message);
    if (message.kind === 'check') lines[0]!.emit('message', message);
    if (message.kind !== 'collect') return;
    const text = sumExpositions(await Promise.all(lines.map(ask)), []);
    own.emit('message', { kind: 'exposition', request: message.request, text } satisfies ToWorker);
  };
  const peersOf = (index: number) => {
    const channel = openChannel<ToWorker, ToSupervisor>({
      send: (message) => void receive(index, message as ToSupervisor),
      on: (event, listener) => lines[index]!.on(event, listener),
      isConnected: () => true,
    });
    return openPeers(channel, { isFirst: index === 0, check: NO_CHECK });
  };
  return [peersOf(0), peersOf(1)];
}
