// An HTTP load over plain sockets: writes requests as bytes and reads only the status and length of responses, so that it uses
// little CPU.
import { connect, type Socket } from 'node:net';
import { latencies } from './statistics.ts';

export type Load = {
  requests: number;
  seconds: number;
  perSecond: number;
  statuses: Map<number, number>;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
};
/**
 * Of each second: `p99OfSecondsMs` of the requests that were due, `cpuOfSecondsMicros` the generator's CPU for each answer. The generator does
 * the same for each, so a second in which it takes more is one of a slower machine.
 */
type OpenLoad = Load & { p99OfSecondsMs: number[]; cpuOfSecondsMicros: number[] };

type Options = {
  port: number;
  connections: number;
  durationMs: number;
  /** The bytes of the next request. */
  next(): string;
};

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)/i;
const READ_BYTES = 64 * 1024;
const TICK_MS = 1;
/** The service closes connections that are idle for 5 seconds, and says so. */
const IDLE_MOST_MS = 4_000;

/** Closed loop: keeps one request in flight on each connection. */
export async function runLoad({ port, connections, durationMs, next }: Options): Promise<Load> {
  const record = openRecord();
  const end = performance.now() + durationMs;
  const loop = async () => {
    const call = await openConnection(port);
    while (performance.now() < end) {
      const sentMs = performance.now();
      record.add(await call.send(next()), performance.now() - sentMs);
    }
    call.close();
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return record.summary();
}

/**
 * Open loop: requests are due at a fixed rate, independent of the service. Latency is measured from when a request was due, also
 * when every connection was busy, so that a stall counts for every request that waited (no coordinated omission). As clients do, it opens a
 * connection when all others are busy, uses the latest one first, and gives those up that were idle for long. `connections`: at most.
 */
export async function runOpenLoad({
  port,
  connections,
  durationMs,
  next,
  perSecond,
}: Options & { perSecond: number }): Promise<OpenLoad> {
  const record = openRecord();
  const seconds: number[][] = [];
  const pool = openPool(port, connections);
  const due: number[] = [];
  const total = Math.round((perSecond * durationMs) / 1000);
  const begin = performance.now();
  let [scheduled, answered] = [0, 0];
  const { promise, resolve, reject } = Promise.withResolvers<void>();

  async function send(dueMs: number, connection: Promise<Connection>): Promise<void> {
    const call = await connection;
    const status = await call.send(next());
    const latencyMs = performance.now() - dueMs;
    record.add(status, latencyMs);
    const second = Math.floor((dueMs - begin) / 1000);
    seconds[second] ??= [];
    seconds[second].push(latencyMs);
    pool.give(call);
    if (++answered === total) resolve();
    else dispatch();
  }

  function dispatch(): void {
    while (due.length > 0) {
      const connection = pool.take();
      if (!connection) return;
      send(due.shift()!, connection).catch(reject);
    }
  }

  const timer = setInterval(() => {
    const now = performance.now();
    for (; scheduled < total && begin + (scheduled * 1000) / perSecond <= now; scheduled++)
      due.push(begin + (scheduled * 1000) / perSecond);
    dispatch();
  }, TICK_MS);
  const cpuOfSecondsMicros: number[] = [];
  let before = { answered, cpu: process.cpuUsage() };
  const sampling = setInterval(() => {
    const { user, system } = process.cpuUsage(before.cpu);
    cpuOfSecondsMicros.push((user + system) / Math.max(answered - before.answered, 1));
    before = { answered, cpu: process.cpuUsage() };
  }, 1_000);
  await promise.finally(() => [timer, sampling].forEach(clearInterval));
  pool.close();
  return { ...record.summary(), cpuOfSecondsMicros, p99OfSecondsMs: seconds.map((valuesMs) => latencies(valuesMs).p99Ms) };
}

/** Connections that are opened when they are needed; `most` at a time. */
function openPool(port: number, most: number) {
  const idle: { call: Connection; sinceMs: number }[] = [];
  let open = 0;
  return {
    /** The connection that was used last, or a new one; undefined while all are busy. */
    take(): Promise<Connection> | undefined {
      const latest = idle.pop();
      if (latest && performance.now() - latest.sinceMs < IDLE_MOST_MS) return Promise.resolve(latest.call);
      // The others were idle for longer.
      const old = latest ? [latest, ...idle.splice(0)] : [];
      for (const { call } of old) call.close();
      open -= old.length;
      if (open === most) return undefined;
      open += 1;
      return openConnection(port);
    },
    give(call: Connection) {
      idle.push({ call, sinceMs: performance.now() });
    },
    close() {
      for (const { call } of idle) call.close();
    },
  };
}

function openRecord() {
  const latenciesMs: number[] = [];
  const statuses = new Map<number, number>();
  const beginMs = performance.now();
  return {
    add(status: number, latencyMs: number) {
      latenciesMs.push(latencyMs);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    },
    summary(): Load {
      const seconds = (performance.now() - beginMs) / 1000;
      const requests = latenciesMs.length;
      return { requests, seconds, perSecond: requests / seconds, statuses, ...latencies(latenciesMs) };
    },
  };
}

export type Connection = {
  /** Sends one request and returns the status of its response. */
  send(request: string): Promise<number>;
  close(): void;
};

/** A keep-alive connection; one request at a time. */
export async function openConnection(port: number): Promise<Connection> {
  let text = '';
  let waiting: PromiseWithResolvers<number> | undefined;
  const read = (chunk: string) => {
    text += chunk;
    const head = text.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(LENGTH.exec(text)?.[1] ?? 0);
    if (text.length < head + HEAD_END.length + length) return;
    const status = Number(text.slice(9, 12));
    text = text.slice(head + HEAD_END.length + length);
    waiting?.resolve(status);
  };
  // Reads into one allocated buffer, past the stream.
  const onread = {
    buffer: Buffer.allocUnsafe(READ_BYTES),
    callback: (bytes: number, buffer: Uint8Array) => {
      read((buffer as Buffer).toString('latin1', 0, bytes));
      return true;
    },
  };
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true, onread }, () => resolve(opened));
    opened.once('error', reject);
  });
  socket.on('close', () => waiting?.reject(new Error('the service closed a connection')));
  return {
    send(request) {
      if (socket.destroyed) return Promise.reject(new Error('the service closed a connection that was idle'));
      waiting = Promise.withResolvers<number>();
      socket.write(request, 'latin1');
      return waiting.promise;
    },
    close() {
      socket.removeAllListeners('close');
      socket.destroy();
    },
  };
}
