// The typed client in a real browser, on a page of another origin than the service: `npm run test:browser`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type * as Client from '../../packages/client/src/client.ts';
import { picture } from '../support/pictures.ts';
import { startService } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';
import { openUploads } from '../support/uploads.ts';
import { openBrowser } from './open.ts';

const CLIENT = join(import.meta.dirname, '..', '..', 'packages', 'client', 'src');

/** Serves the client's files and a page on another origin than the service. */
async function openForeignPage(t: TestScope): Promise<Page> {
  const server = createServer((request, response) => {
    const [, name] = /^\/client\/([a-z]+\.ts)$/.exec(request.url ?? '') ?? [];
    if (name === undefined)
      return response.setHeader('content-type', 'text/html').end('<!doctype html><link rel=icon href=data:,>');
    response.setHeader('content-type', 'text/javascript').end(stripTypeScriptTypes(readFileSync(join(CLIENT, name), 'utf8')));
  }).listen(0, '127.0.0.1');
  t.after(async () => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const page = await (await openBrowser(t)).newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return page;
}

/** Runs in the browser: calls the client and returns what the page can read. */
async function callFromPage(given: {
  url: string;
  clientId: string;
  clientSecret: string;
  customer: string;
  owner: string;
  file: string;
}) {
  const path = '/client/client.ts';
  const { Earmark, ...errors } = (await import(path)) as typeof Client;
  const { customer, owner, ...options } = given;
  const earmark = new Earmark(options);
  const kept = (error: unknown) => error as Client.EarmarkError;
  const amount = { value: '10.00', currency: 'USD' };
  const from = await earmark.labels.create(customer, { amount });
  const to = await earmark.labels.create(customer, { amount: { value: '0', currency: 'USD' }, name: 'Tax' });
  const once = { idempotencyKey: crypto.randomUUID() };
  const made = await earmark.labelReallocations.create({ from, to, amount }, once);
  const again = await earmark.labelReallocations.create({ from, to, amount }, once);
  const labels: string[] = [];
  for await (const label of earmark.labels.list(customer, { limit: 1 })) labels.push(label.id);
  const file = new Blob([Uint8Array.from(atob(given.file), (character) => character.charCodeAt(0))]);
  const document = await earmark.documents.submit(owner, { type: 'passport', file });
  const removed = await earmark.labels.remove(from);
  const missing = await earmark.labels.get(from).catch(kept);
  await earmark.sandbox.planFault({ operation: 'getAccount', status: 503, times: 2 });
  const busy = await new Earmark({ ...options, maxRetries: 0 }).follow(await earmark.root(), 'account').catch(kept);
  const stranger = await new Earmark({ ...options, clientSecret: 'wrong' }).root().catch(kept);
  return {
    made,
    again,
    labels: labels.length,
    document: (await earmark.documents.get(document)).status,
    removed: removed.id === from.id,
    missing: [missing instanceof errors.NotFoundError, typeof (missing as Client.EarmarkError).requestId],
    busy: [busy instanceof errors.ServiceUnavailableError, (busy as Client.EarmarkError).retryAfterSeconds],
    stranger: stranger instanceof errors.TokenRefusedError,
  };
}

test('a page on another origin makes every kind of call of the client', async (t) => {
  const { url, client, call, newCustomer, newOwner } = await openUploads(t);
  const customer = await newCustomer();
  await call('POST', `${customer}/deposits`, { body: { amount: { value: '10.00', currency: 'USD' } } });
  const page = await openForeignPage(t);
  const { made, again, ...rest } = await page.evaluate(callFromPage, {
    url,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    customer,
    owner: await newOwner(),
    file: (await picture('png')).toString('base64'),
  });
  assert.equal(made.location, `${url}/label-reallocations/${made.id}`, 'Location can be read');
  assert.deepEqual([made.replayed, again], [false, { ...made, replayed: true }]);
  assert.deepEqual(rest, {
    labels: 2,
    document: 'pending',
    removed: true,
    missing: [true, 'string'],
    busy: [true, 1],
    stranger: true,
  });
});

test('a page on an origin that is not allowed reads nothing', async (t) => {
  const { url, client, call } = await startService(t, { env: { CORS_ORIGINS: 'https://app.example.com' } });
  assert.equal((await call('GET', '/')).status, 200);
  const page = await openForeignPage(t);
  const outcome = await page.evaluate(
    async ({ url, clientId, clientSecret }) => {
      const path = '/client/client.ts';
      const { Earmark } = (await import(path)) as typeof Client;
      const earmark = new Earmark({ url, clientId, clientSecret, maxRetries: 0 });
      return earmark.root().then(
        () => 'answered',
        (error: Error) => error.name,
      );
    },
    { url, clientId: client.client_id, clientSecret: client.client_secret },
  );
  assert.equal(outcome, 'ConnectionError');
});
