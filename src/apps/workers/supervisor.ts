// The supervisor of WORKERS: owns the database connection, starts the worker processes, replaces those that end, and adds up metrics.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { UserError } from '../../core/user-error.ts';
import type { Config } from '../../platform/config/config.ts';
import { connectService } from '../../platform/db/connect.ts';
import { type LedgerCheck, NO_CHECK } from '../../platform/worker-coordination.ts';
import { type Channel, openChannel } from './channel.ts';
import { openCollector } from './collector.ts';
import type { Listening, ToSupervisor, ToWorker } from './messages.ts';

type Supervised = Listening & {
  /** Replaces each worker by a new process, one after another, without a failed call. Call again only when it has resolved. */
  restart(): Promise<void>;
  /** Stops all workers after their requests in flight, and the database if this process started it. */
  stop(): Promise<void>;
  /** Kills the workers and stops the database. */
  abort(): Promise<void>;
};

/** A running worker process. */
type Running = { worker: Worker; channel: Channel<ToSupervisor, ToWorker>; isLeaving: boolean };

const PAUSE_MS = { first: 50, most: 5_000 };
/** A worker that served for this long did not fail at its start. */
const STABLE_MS = 10_000;

/** A worker ended before it listened. It has printed why. */
class StartError extends UserError {}

/** Starts the workers. Rejects when the first one cannot start; leaves nothing running then. */
export async function supervise(config: Config, log: FastifyBaseLogger): Promise<Supervised> {
  const connection = await connectService(config, log);
  const running: (Running | undefined)[] = Array.from({ length: config.workers });
  const collector = openCollector(() => running.flatMap((one) => one?.channel ?? []));
  let check: LedgerCheck = NO_CHECK;
  let isStopping = false;

  /** Starts the process of a slot; resolves when it listens. */
  async function launch(slot: number): Promise<Listening> {
    const worker = cluster.fork();
    const channel = openChannel<ToSupervisor, ToWorker>({
      send: (message) => worker.send(message),
      on: (event, listener) => worker.on(event, listener),
      isConnected: () => worker.isConnected(),
    });
    const one: Running = { worker, channel, isLeaving: false };
    collector.serve(channel);
    const { url: databaseUrl, ownerUrl } = connection;
    // A stop that was sent before a worker listens to messages does not arrive.
    channel.on('ready', () => {
      if (isStopping) channel.send({ kind: 'stop' });
      else channel.send({ kind: 'start', databaseUrl, ownerUrl, isFirst: slot === 0, check });
    });
    channel.on('taken', ({ taken }) => toOthers(one, { kind: 'taken', taken }));
    channel.on('checked', (message) => {
      check = message.check;
      toOthers(one, message);
    });
    channel.on('check', (message) => running[0]?.channel.send(message));
    const listening = Promise.withResolvers<Listening>();
    channel.on('listening', ({ listening: address }) => {
      running[slot] = one;
      listening.resolve(address);
    });
    worker.once('exit', (code, signal) => {
      collector.end(channel);
      listening.reject(new StartError('The service did not start.'));
      if (running[slot] === one) running[slot] = undefined;
      if (isStopping || one.isLeaving) return;
      log.error({ worker: worker.process.pid, code, signal }, 'a worker ended; replacing it');
    });
    return listening.promise;
  }

  const toOthers = (from: Running, message: ToWorker) => {
    for (const one of running) if (one && one !== from) one.channel.send(message);
  };

  /** Keeps a slot filled until the service stops. */
  async function keep(slot: number): Promise<void> {
    for (let pauseMs = PAUSE_MS.first; !isStopping; ) {
      const one = running[slot];
      const startMs = performance.now();
      if (one) await ended(one.worker);
      if (isStopping) return;
      if (performance.now() - startMs > STABLE_MS) pauseMs = PAUSE_MS.first;
      if (running[slot]) continue;
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most);
      if (!isStopping) await launch(slot).catch(() => {});
    }
  }

  async function restart(): Promise<void> {
    log.info('replacing every worker');
    for (let slot = 0; slot < running.length && !isStopping; slot++) {
      const old = running[slot];
      if (!old) continue;
      old.isLeaving = true;
      try {
        await launch(slot);
      } catch {
        old.isLeaving = false;
        if (!isStopping) log.error('a new worker did not start; the others continue');
        return;
      }
      old.channel.send({ kind: 'retire' });
      await ended(old.worker);
    }
    log.info('every worker was replaced');
  }

  async function stop(): Promise<void> {
    isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    for (const worker of workers) if (worker.isConnected()) worker.send({ kind: 'stop' } satisfies ToWorker);
    await Promise.all(workers.map(ended));
    await connection.stop();
  }
  async function abort(): Promise<void> {
    isStopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    await connection.stop();
  }

  try {
    // The first one migrates the database and creates the sandbox.
    const first = await launch(0);
    await Promise.all(running.slice(1).map((_, index) => launch(index + 1)));
    for (const slot of running.keys()) void keep(slot);
    return { ...first, restart, stop, abort };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ended(worker: Worker): Promise<void> {
  if (!worker.isDead()) await once(worker, 'exit');
}
