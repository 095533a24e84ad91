// The separate HTTP server for metrics (METRICS_PORT), used by the service and by the delivery worker.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { CONTENT_TYPE, type Registry } from './registry.ts';

const TIMEOUT_MS = 10_000;

/** Starts listening if METRICS_PORT is set, and returns a function that stops it. Rejects when the address is in use. */
export async function listenForMetrics(
  { metricsHost: host, metricsPort: port }: { metricsHost: string; metricsPort: number | undefined },
  { expose, log }: { expose: Registry['expose']; log: FastifyBaseLogger },
): Promise<() => Promise<void>> {
  if (port === undefined) return async () => {};
  const server = createServer({ requestTimeout: TIMEOUT_MS }, async (request, response) => {
    const isMetrics = request.url?.split('?', 1)[0] === '/metrics';
    if (!isMetrics || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(isMetrics ? 405 : 404, isMetrics ? { allow: 'GET, HEAD' } : {}).end();
      return;
    }
    response.writeHead(200, { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' });
    response.end(await expose());
  });
  server.setTimeout(TIMEOUT_MS);
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: actualPort } = server.address() as AddressInfo;
  log.info({ address, port: actualPort }, 'metrics are served');
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
}
