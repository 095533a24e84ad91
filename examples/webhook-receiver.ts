// Receives webhooks: verifies the signature, responds immediately, and handles each event once, even if it is delivered again.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type WebhookEvent } from '@earmark/client';
import { startEarmark } from 'earmark/testing';

const { client: earmark, stop } = await startEarmark();
const secret = 'whsec_bm90IGEgc2VjcmV0LCBidXQgYW4gZXhhbXBsZQ==';
const handled = new Set<string>();
const { promise: done, resolve } = Promise.withResolvers<void>();

const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    // The signature covers the raw bytes of the body.
    const event = await verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret });
    response.writeHead(204).end();
    handle(event);
  } catch (error) {
    console.log(`refused: ${(error as Error).message}`);
    response.writeHead(400).end();
  }
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;

// A third party that knows the URL sends a forged webhook.
const forged = {
  'webhook-id': '1',
  'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
  'webhook-signature': 'v1,Zm9yZ2Vk',
};
const { status } = await fetch(url, { method: 'POST', body: '{"topic":"customer_created"}', headers: forged });
console.log(`answered ${status}`);

await earmark.webhookSubscriptions.create({ url, secret, topics: ['customer_created'] });
await earmark.customers.create({ type: 'unverified', firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' });
await done;

receiver.close();
receiver.closeAllConnections();
await stop();

function handle(event: WebhookEvent): void {
  if (handled.has(event.id)) return;
  handled.add(event.id);
  console.log(`handled: ${event.topic}`);
  resolve();
}
