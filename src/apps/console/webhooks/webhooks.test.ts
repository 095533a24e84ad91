// The screen Webhooks: rates, failures by answer, attempts, and sending again, one and all.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { startDelivery, startReceiver } from '../../../../test/support/webhooks.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const HOSTILE = '<script>alert(1)</script>';

test('a subscription shows its failures by answer and each attempt; webhooks are sent again, one and all', async (t) => {
  let status = 500;
  const { url, received } = await startReceiver(t, (response) => response.writeHead(status, { 'x-note': HOSTILE }).end(HOSTILE));
  const subscription = idOf(await shared.create('/webhook-subscriptions', { url, secret: 'secret of the test' }));
  await shared.newCustomer();
  const worker = await startDelivery(shared);
  t.after(worker.stop);
  await waitUntil('deliveries failed', () => received.length > 0);
  const { load, submit, operator } = await openSession(shared, 'operator');
  const path = `/console/webhooks/${subscription}`;
  const page = await waitUntil('the failure is stored', async () => {
    const { text } = await load(path);
    return /deliveries\/([0-9a-f-]{36})/.test(text) && text.includes('>500<') && text.includes('failing') ? text : undefined;
  });
  assert.ok(page.includes('failing'), 'the state of the subscription');
  const webhook = /webhooks\/deliveries\/([0-9a-f-]{36})">500</.exec(page)![1]!;
  const delivery = await load(`/console/webhooks/deliveries/${webhook}`);
  assert.ok(
    delivery.text.includes('Attempt 1') && delivery.text.includes('webhook-signature') && delivery.text.includes('x-note'),
  );
  assert.ok(!delivery.text.includes(HOSTILE), 'the answer of a receiver is text');

  const csv = async (query = '') => (await load(`${path}/webhooks.csv${query}`)).text.trimEnd().split('\r\n');
  const [head, ...lines] = await csv('?status=failed');
  assert.equal(head, 'created,webhook,topic,event,resource,state,attempts,lastAttempt,answer,nextAttempt');
  assert.ok(lines.length > 0 && lines.every((line) => line.includes(',will be retried,1,') && line.includes(',500,')), lines[0]);
  assert.ok(lines.some((line) => line.split(',')[1] === webhook));
  assert.equal((await csv('?status=delivered')).length, 1);
  assert.ok((await csv()).length > lines.length - 1);

  status = 200;
  const before = received.length;
  assert.equal((await submit(`/console/webhooks/deliveries/${webhook}/again`)).status, 303);
  await waitUntil('the webhook is sent again', () =>
    received.slice(before).some(({ headers }) => headers['webhook-id'] === webhook),
  );
  const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  const known = new Set(received.map(({ headers }) => headers['webhook-id']));
  const sent = received.length;
  assert.equal((await submit(`${path}/replay`, { since })).status, 303);
  await waitUntil('all are sent again', () => received.length >= sent + known.size);
  assert.ok(
    received.slice(sent).every(({ headers }) => known.has(headers['webhook-id'])),
    'with the same ids',
  );
  assert.equal((await submit(`${path}/replay`, { since: 'yesterday' })).status, 400);
  assert.match((await load('/console/webhooks')).text, new RegExp(url));
  const actions = (await listAudit(shared.sql, { operatorId: operator.id }, 10)).map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 5), ['replay_webhooks', 'retry_webhook', ...Array(3).fill('download_list')]);
});

test('the state of a subscription is that of the last hour, and an attempt has an empty line before the body', async (t) => {
  const own = await startService(t, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const { url, received } = await startReceiver(t, (response, { text }) => {
    response.writeHead(text.includes('customer_verified') ? 500 : 200, { 'x-note': 'last' }).end('the answer');
  });
  const subscription = idOf(await own.create('/webhook-subscriptions', { url, secret: 'secret of the test' }));
  await own.newCustomer();
  const worker = await startDelivery(own);
  t.after(worker.stop);
  const { load } = await openSession(own, 'operator');
  await waitUntil('both were attempted', () => received.length >= 2);
  for (const path of ['/console/webhooks', `/console/webhooks/${subscription}`])
    await waitUntil('the state is shown', async () => (await load(path)).text.includes('>failing: 50 % of the last hour<'));
  const page = (await load(`/console/webhooks/${subscription}`)).text;
  const webhook = /webhooks\/deliveries\/([0-9a-f-]{36})">500</.exec(page)![1]!;
  const { text } = await load(`/console/webhooks/deliveries/${webhook}`);
  assert.match(text, /: [^\n]+\n\n\{\n {2}&quot;/, 'the request');
  assert.match(text, /x-note: last\n[\s\S]*\n\nthe answer<\/code>/, 'the response');
});

test('a subscription is paused and resumed, and only operators see webhooks', async () => {
  const id = idOf(
    await shared.create('/webhook-subscriptions', { url: 'http://127.0.0.1:9/hook', secret: 'secret of the test' }),
  );
  const { load, submit, operator } = await openSession(shared, 'operator');
  const path = `/console/webhooks/${id}`;
  assert.match((await load(`${path}/pause`)).text, /Pause this subscription\?[\s\S]*The receiver gets nothing/);
  await submit(`${path}/pause`);
  assert.match((await load(path)).text, /Resume with new events/);
  await submit(`${path}/resume`, { replay: 'yes' });
  assert.equal((await shared.get(`/webhook-subscriptions/${id}`)).paused, false);
  const actions = (await listAudit(shared.sql, { operatorId: operator.id }, 10)).map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 2), ['resume_subscription', 'pause_subscription']);
  for (const role of ['viewer', 'reviewer', 'finance'] as const) {
    const person = await openSession(shared, role);
    for (const page of ['/console/webhooks', path]) assert.equal((await person.load(page)).status, 403, role);
    assert.equal((await person.submit(`${path}/pause`)).status, 403, role);
  }
  for (const none of ['/console/webhooks/x', `/console/webhooks/deliveries/${id}`]) assert.equal((await load(none)).status, 404);
});
