// @earmark/proof in a real browser: a receipt of a service, on a page of another origin. `npm run long -- browser`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type * as Proof from '../../packages/proof/src/proof.ts';
import { coveredLog } from '../support/logs.ts';
import { openLabels, startService } from '../support/service.ts';
import { openBrowser } from './open.ts';

const SOURCE = join(import.meta.dirname, '../../packages/proof/src');

/** Runs in the browser. */
async function verifyTwice({ receipt, key }: { receipt: Proof.Receipt; key: string }) {
  const path = '/proof.ts';
  const { verifyReceipt } = (await import(path)) as typeof Proof;
  const forged = { ...receipt, entry: receipt.entry.replace('"1.00"', '"9.00"') };
  return [await verifyReceipt(receipt, { key }), await verifyReceipt(forged, { key })];
}

test('a browser verifies a receipt, and refuses a forged one', { timeout: 60_000 }, async (t) => {
  const service = await openLabels(await startService(t));
  const body = service.reallocation(service.from, service.to, '1.00');
  const reallocation = await service.create('/label-reallocations', body);
  await coveredLog(service);
  const receipt = await service.get(`${reallocation}/receipt`);
  const { log } = await service.get(`/accounts/${service.client.account_id}`);
  const server = createServer((request, response) => {
    const [, name] = /^\/([\w-]+\.ts)$/.exec(request.url ?? '') ?? [];
    if (name === undefined)
      return response.setHeader('content-type', 'text/html').end('<!doctype html><link rel=icon href=data:,>');
    response.setHeader('content-type', 'text/javascript').end(stripTypeScriptTypes(readFileSync(join(SOURCE, name), 'utf8')));
  }).listen(0, '127.0.0.1');
  t.after(async () => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const page = await (await openBrowser(t)).newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const [verified, forged] = await page.evaluate(verifyTwice, { receipt, key: log.key });
  assert.ok(verified?.holds);
  assert.equal(verified.entry.amount, '1.00');
  assert.deepEqual(forged, { holds: false, fault: 'the proof does not lead from the entry to the checkpoint' });
});
