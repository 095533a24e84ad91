// Finds a free loopback port.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections and to servers without a wanted one: those could take it before the caller. */
const RANGE = { first: 10_000, end: 32_000 };

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(RANGE.first, RANGE.end);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
