// A receiver of webhooks in a separate process, which answers 200 to everything.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Receiver = {
  url: string;
  /** How many requests it has answered. */
  received(): Promise<number>;
  stop(): void;
};

export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL(import.meta.url));
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async received() {
      child.send('count');
      const [count] = (await once(child, 'message')) as [number];
      return count;
    },
    stop: () => void child.kill(),
  };
}

function receive(): void {
  let received = 0;
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      received += 1;
      response.end();
    });
  });
  process.on('message', () => process.send!(received));
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
}

if (import.meta.main) receive();
