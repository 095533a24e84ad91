// Tests of planned faults.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { assertRefused } from '../../../test/support/http.ts';
import { openPayer } from '../../../test/support/payers.ts';
import { startService } from '../../../test/support/service.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { openSandboxTools } from '../../platform/sandbox/tools.ts';

// Shared by all tests of the file; each opens its own accounts.
const service = await startService({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });

test('an operation with a planned fault answers it the planned number of times, without effect', async () => {
  const { plan, pay, balanceOf, to } = await openPayer(service);
  const planned = await plan({ operation: 'createLabelReallocation', status: 503, times: 2 });
  assert.equal(planned.status, 201);
  for (const _ of [1, 2]) {
    const answer = await pay('1', { key: 'once' });
    assertRefused(answer, { status: 503, code: 'ServiceUnavailable' });
    assert.ok(answer.headers['retry-after']);
  }
  assert.equal(await balanceOf(to), '0.00');
  assert.equal((await pay('1', { key: 'once' })).status, 201);
  assert.equal(await balanceOf(to), '1.00');
});

test('faults that are planned concurrently are all known when their plans are answered', async () => {
  const refreshes = Array.from({ length: 3 }, () => Promise.withResolvers<{ id: string; operation: string }[]>());
  let reads = 0;
  const sql = async ([text]: TemplateStringsArray) => (text!.includes('account_clock') ? [] : refreshes[reads++]!.promise);
  refreshes[0]!.resolve([]);
  const tools = await openSandboxTools({ sql: sql as unknown as Sql, log: service.service.log, base: service.service.clock });
  const [first, second] = [tools.refresh(), tools.refresh()];
  refreshes[2]!.resolve([{ id: 'account', operation: 'getRoot' }]);
  await second;
  refreshes[1]!.resolve([]);
  await first;
  const request = { routeOptions: { schema: { operationId: 'getRoot' } } } as unknown as FastifyRequest;
  assert.ok(tools.mayHaveFault(request, 'account'));
  await tools.close();
});

test('answers each status that can be planned', async () => {
  const { call } = service;
  const { token, plan } = await openPayer(service);
  const codes = { 401: 'ExpiredAccessToken', 429: 'TooManyRequests', 500: 'ServerError', 503: 'ServiceUnavailable' };
  for (const [status, code] of Object.entries(codes)) {
    await plan({ operation: 'getRoot', status: Number(status) });
    const answer = await call('GET', '/', { token });
    assertRefused(answer, { status: Number(status), code });
    const challenge = 'Bearer realm="earmark", error="invalid_token", error_description="Expired access token."';
    assert.equal(answer.headers['www-authenticate'], status === '401' ? challenge : undefined);
  }
  assert.equal((await call('GET', '/', { token })).status, 200);
});

test('a planned fault with effect loses only the answer, and the same key replays it', async () => {
  const { plan, pay, balanceOf, to } = await openPayer(service);
  await plan({ operation: 'createLabelReallocation', status: 500, effect: true });
  const lost = await pay('5', { key: 'lost' });
  assertRefused(lost, { status: 500, code: 'ServerError' });
  assert.equal(lost.headers.location, undefined);
  assert.equal(await balanceOf(to), '5.00');
  const found = await pay('5', { key: 'lost' });
  assert.equal(found.status, 201);
  assert.equal(found.headers['idempotent-replayed'], 'true');
  assert.equal(await balanceOf(to), '5.00');
});

test('a planned fault with effect replaces a refusal of the operation too', async () => {
  const { plan, pay } = await openPayer(service);
  const codes = { 401: 'ExpiredAccessToken', 429: 'TooManyRequests', 500: 'ServerError', 503: 'ServiceUnavailable' };
  for (const [status, code] of Object.entries(codes)) {
    await plan({ operation: 'createLabelReallocation', status: Number(status), effect: true });
    const answer = await pay('1000000');
    assertRefused(answer, { status: Number(status), code });
    assert.equal(answer.headers['content-type'], 'application/vnd.earmark.v1.hal+json; charset=utf-8');
    assert.equal(answer.headers['retry-after'] !== undefined, status === '429' || status === '503');
    assert.equal(answer.headers['www-authenticate'] !== undefined, status === '401');
    assert.ok(answer.headers['x-request-id']);
  }
  assertRefused(await pay('1000000'), { status: 400, code: 'ValidationError', fault: 'InsufficientFunds' });
});

test('breaks the connection before or after the effect', async () => {
  const { plan, pay, balanceOf, to } = await openPayer(service);
  await plan({ operation: 'createLabelReallocation', cut: true });
  await assert.rejects(pay('1'), { code: 'ECONNRESET' });
  assert.equal(await balanceOf(to), '0.00');
  await plan({ operation: 'createLabelReallocation', cut: true, effect: true });
  await assert.rejects(pay('1'), { code: 'ECONNRESET' });
  assert.equal(await balanceOf(to), '1.00');
});

test('delays an answer', async () => {
  const { plan, pay } = await openPayer(service);
  await plan({ operation: 'createLabelReallocation', delayMs: 300 });
  const begin = performance.now();
  assert.equal((await pay('1')).status, 201);
  assert.ok(performance.now() - begin >= 299);
});

test('refuses a token as planned', async () => {
  const { send, tokenOf } = service;
  const { client, plan } = await openPayer(service);
  await plan({ operation: 'createToken', status: 503 });
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.client_id,
    client_secret: client.client_secret,
  }).toString();
  assert.equal((await send('POST', '/token', { form })).status, 503);
  for (const effect of [false, true]) {
    await plan({ operation: 'createToken', status: 401, effect });
    const { status, body, headers } = await send('POST', '/token', { form });
    assert.deepEqual([status, body.error, body.code], [401, 'invalid_client', 'InvalidClient']);
    assert.equal(headers['www-authenticate'], 'Basic realm="earmark"');
  }
  assert.ok(await tokenOf(client));
});

test('lists, reads and deletes planned faults, of the own account only', async () => {
  const { call, newClient } = service;
  const { token, plan, pay } = await openPayer(service);
  const other = await newClient();
  const planned = await plan({ operation: 'createLabelReallocation', status: 429, delayMs: 1, effect: true, times: 3 });
  const url = planned.headers.location!;
  const { body } = await call('GET', url, { token });
  const { _links, id, created, ...rest } = body;
  assert.ok(url.endsWith(id) && _links.self.href === url && Date.parse(created) > 0);
  assert.deepEqual(rest, { operation: 'createLabelReallocation', status: 429, delayMs: 1, effect: true, remaining: 3 });
  const list = await call('GET', '/sandbox/faults', { token });
  assert.deepEqual([list.body.total, list.body._embedded.faults], [1, [body]]);
  assert.equal((await call('GET', '/sandbox/faults', { token: other.token })).body.total, 0);
  assertRefused(await call('GET', url, { token: other.token }), { status: 403, code: 'Forbidden' });
  assertRefused(await call('DELETE', url, { token: other.token }), { status: 403, code: 'Forbidden' });
  assert.equal((await call('DELETE', url, { token })).status, 200);
  assertRefused(await call('GET', url, { token }), { status: 404, code: 'NotFound' });
  assert.equal((await pay('1')).status, 201);
});

test('refuses invalid faults with their pointer', async () => {
  const { plan } = await openPayer(service);
  const refusals: [object, string][] = [
    [{ operation: 'nothing', status: 503 }, '/operation'],
    [{ operation: 'planFault', status: 503 }, '/operation'],
    [{ operation: 'getRoot' }, ''],
    [{ operation: 'getRoot', status: 418 }, '/status'],
    [{ operation: 'getRoot', status: 503, cut: true }, '/cut'],
    [{ operation: 'getRoot', delayMs: 5, effect: true }, '/effect'],
    [{ operation: 'getRoot', status: 503, times: 0 }, '/times'],
    [{ operation: 'getRoot', delayMs: 60_001 }, '/delayMs'],
    [{ operation: 'deliverWebhook', delayMs: 30_001 }, '/delayMs'],
  ];
  for (const [body, path] of refusals) assertRefused(await plan(body), { status: 400, code: 'ValidationError', path });
  assertRefused(await plan({}), { status: 400, code: 'BadRequest' });
});
