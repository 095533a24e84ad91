// Webhook receivers on loopback, and a delivery worker with an adjustable clock.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAddressPolicy } from '../../src/platform/http/address-policy.ts';
import { openSender } from '../../src/platform/http/send.ts';
import type { Step } from '../../src/resources/webhooks/claim.ts';
import { openConnections } from '../../src/resources/webhooks/connections.ts';
import { openWorker } from '../../src/resources/webhooks/worker.ts';
import type { Body } from './http.ts';
import { assertNothingSealed } from './sealed-values.ts';
import type { TestService } from './service.ts';
import type { TestScope } from './test-scope.ts';
import { HANGS_MS } from './wait.ts';

export type Received = { headers: IncomingHttpHeaders; text: string; body: Body; atMs: number };
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => void;

/** Starts a server that records requests and answers 200, or calls `answer`. */
export async function startReceiver(t: TestScope, answer: Answer = (response) => response.end('ok')) {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    response.on('error', () => {});
    // A process of another test may have had this port before.
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    assert.ok(text, `an empty webhook: ${request.url} ${JSON.stringify(request.headers)}`);
    const one = { headers: request.headers, text, body: JSON.parse(text), atMs: Date.now() };
    received.push(one);
    answer(response, one, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    server.closeAllConnections();
    for (const { text } of received) assertNothingSealed(text);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, server };
}

/** Starts a delivery worker for a service that does not deliver itself; it stops before the service. */
export async function startDelivery(
  service: Pick<TestService, 'service' | 'databaseUrl' | 'besides'>,
  options: { leaseMs?: number; at?: (step: Step) => Promise<void> } = {},
) {
  const { config, links, sealer, log, database } = service.service;
  let shiftMs = 0;
  const now = () => new Date(Date.now() + shiftMs);
  const connections = await openConnections(database.sql, { databaseUrl: service.databaseUrl, log, onError: () => {} });
  // A delivery that is late on a busy machine would be repeated after 15 minutes.
  const sender = openSender(createAddressPolicy(config), { timeoutMs: HANGS_MS });
  const worker = openWorker({ ...connections, config, links, sealer, log, sender, clock: { now }, ...options });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= worker.stop();
    return stopped;
  };
  service.besides.push(stop);
  return {
    stop,
    now,
    /** Moves the clock of the worker. */
    advance(ms: number) {
      shiftMs += ms;
    },
  };
}
