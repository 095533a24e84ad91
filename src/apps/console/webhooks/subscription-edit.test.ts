// A day of an operator with a subscription: created, found failing, corrected, pinged, sent again, with a new secret, removed.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { startDelivery, startReceiver } from '../../../../test/support/webhooks.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });

const NOWHERE = 'http://127.0.0.1:9/hook';
const secretIn = (text: string) => /whsec_[A-Za-z0-9+/=]+/.exec(text.replaceAll('&#x2F;', '/'))?.[0];

/** Opens the page that shows a secret, once. */
async function secretOf({ load }: Awaited<ReturnType<typeof openSession>>, location: string): Promise<string> {
  const secret = secretIn((await load(location)).text);
  assert.ok(secret);
  assert.equal(secretIn((await load(location)).text), undefined, 'it is shown once');
  return secret;
}

test('a subscription is created, corrected, pinged, sent again, gets a new secret and is removed, without a terminal', async (t) => {
  const session = await openSession(shared, 'operator');
  const { load, submit, operator } = session;
  const account = shared.client.account_id;
  assert.ok((await load('/console/webhooks')).text.includes('href="/console/webhooks/new"'));
  const made = await submit('/console/webhooks/new', { account, url: NOWHERE, all: 'yes' });
  assert.equal(made.status, 303, made.text);
  const path = made.headers.location!.replace(/\/secret.*/, '');
  const secret = await secretOf(session, made.headers.location!);
  await shared.newCustomer();
  const worker = await startDelivery(shared);
  t.after(worker.stop);
  await waitUntil('it is listed as failing', async () => /failing: 100 %/.test((await load('/console/webhooks')).text));

  const { url, received } = await startReceiver(t);
  assert.equal((await submit(`${path}/edit`, { url, topic: 'customer_created' })).status, 303);
  assert.deepEqual((({ topics, url }) => ({ topics, url }))(await shared.get(`/webhook-subscriptions/${idOf(path)}`)), {
    topics: ['customer_created'],
    url,
  });
  const pinged = await submit(`${path}/ping`);
  const ping = await waitUntil('the ping arrives', () =>
    received.find(({ text }) => text.includes('webhook_subscription_pinged')),
  );
  await waitUntil('the page shows the answer', async () => (await load(pinged.headers.location!)).text.includes('>delivered<'));
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${ping.headers['webhook-id']}.${ping.headers['webhook-timestamp']}.${ping.text}`;
  const expected = `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`;
  assert.ok(String(ping.headers['webhook-signature']).split(' ').includes(expected), 'signed with the secret that was shown');

  const since = new Date(Date.now() - 3_600_000).toISOString().slice(0, 16);
  await submit(`${path}/replay`, { since });
  await waitUntil('the event is sent again', () => received.some(({ text }) => text.includes('customer_created')));

  assert.match((await load(`${path}/new-secret`)).text, /For one day/);
  const rotated = await submit(`${path}/secret`);
  assert.notEqual(await secretOf(session, rotated.headers.location!), secret);
  assert.match((await load(`${path}/remove`)).text, /does not come back/);
  assert.equal((await submit(`${path}/remove`)).headers.location, '/console/webhooks?done=removed');
  assert.equal((await load(path)).status, 404);
  const late = await submit(`${path}/ping`);
  assert.equal(late.status, 404);
  assert.match(late.text, /no longer there[\s\S]*Somebody removed the subscription[\s\S]*href="\/console\/webhooks">Go back/);
  const actions = (await listAudit(shared.sql, { operatorId: operator.id }, 10)).map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 6), [
    ...['remove_subscription', 'rotate_webhook_secret', 'replay_webhooks'],
    ...['ping_subscription', 'edit_subscription', 'create_subscription'],
  ]);
});

test('wrong input keeps what was typed, a paused subscription says why, and other roles are refused', async () => {
  const { load, submit } = await openSession(shared, 'operator');
  const account = shared.client.account_id;
  for (const [form, fault] of [
    [{ account, url: 'no url', all: 'yes' }, /must be an absolute URL/],
    [{ account, url: `https://example.com/${'x'.repeat(2048)}`, all: 'yes' }, /at most 2048/],
    [{ account, url: 'https://example.com/typed' }, /Choose all events, or at least one/],
    [{ account: 'x', url: 'https://example.com/typed', all: 'yes' }, /Choose an account/],
  ] as const) {
    const { status, text } = await submit('/console/webhooks/new', form);
    assert.equal(status, 400);
    assert.match(text, fault);
    assert.ok(text.includes(`value="${form.url}"`));
  }
  const id = idOf(await shared.create('/webhook-subscriptions', { url: NOWHERE, secret: 'a secret of the test' }));
  const path = `/console/webhooks/${id}`;
  await submit(`${path}/pause`);
  assert.match((await load(path)).text, /A person or an application paused it/);
  const refused = await submit(`${path}/ping`);
  assert.equal(refused.status, 403);
  assert.match(refused.text, /paused/);
  await shared.sql`update webhook_subscription set failures = 400 where id = ${id}`;
  assert.match((await load(path)).text, /paused it after 400 failures in a row/);
  await submit(`${path}/edit`, { url: 'http://127.0.0.1:9/other', all: 'yes' });
  const [row] = await shared.sql<{ failures: number }>`select failures from webhook_subscription where id = ${id}`;
  assert.equal(row!.failures, 0, 'another URL begins without failures');
  const viewer = await openSession(shared, 'finance');
  for (const page of ['/console/webhooks/new', `${path}/edit`, `${path}/remove`, `${path}/new-secret`])
    assert.equal((await viewer.load(page)).status, 403, page);
  for (const action of ['edit', 'ping', 'secret', 'remove'])
    assert.equal((await viewer.submit(`${path}/${action}`)).status, 403, action);
});
