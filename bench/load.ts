// A closed-loop HTTP load over plain sockets: requests written as bytes, answers read for their status and length only, so that the load costs little beside the service.
import { connect, type Socket } from 'node:net';

export type Load = {
  requests: number;
  seconds: number;
  perSecond: number;
  statuses: Map<number, number>;
  p50Ms: number;
  p99Ms: number;
};

type Options = {
  port: number;
  connections: number;
  durationMs: number;
  /** The bytes of the next request. */
  next(): string;
};

const HEAD_END = '\r\n\r\n';

/** Keeps one request under way on each connection for a while. */
export async function runLoad({ port, connections, durationMs, next }: Options): Promise<Load> {
  const latenciesMs: number[] = [];
  const statuses = new Map<number, number>();
  const begin = performance.now();
  const end = begin + durationMs;
  const loop = async () => {
    const socket = await open(port);
    const read = answersOf(socket);
    while (performance.now() < end) {
      const sent = performance.now();
      socket.write(next());
      const status = await read();
      latenciesMs.push(performance.now() - sent);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, loop));
  const seconds = (performance.now() - begin) / 1000;
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number) =>
    latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? Number.NaN;
  return {
    requests: latenciesMs.length,
    seconds,
    perSecond: latenciesMs.length / seconds,
    statuses,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Reads one answer at a time and gives its status. */
function answersOf(socket: Socket): () => Promise<number> {
  let text = '';
  let waiting: { resolve(status: number): void; reject(error: Error): void } | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    const head = text.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head + 2))?.[1] ?? 0);
    if (text.length < head + HEAD_END.length + length) return;
    const status = Number(text.slice(9, 12));
    text = text.slice(head + HEAD_END.length + length);
    waiting?.resolve(status);
  });
  socket.on('close', () => waiting?.reject(new Error('the service closed a connection')));
  return () => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    waiting = { resolve, reject };
    return promise;
  };
}
