// Tests of the status of webhooks in the list of a subscription: delivered, pending or failed, and the next attempt.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import type { Body } from '../../../test/support/http.ts';
import { idOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startDelivery, startReceiver } from '../../../test/support/webhooks.ts';
import { bucketOf, FIRST_ID, LAST_ID, newId } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { idsWithStatus } from './status.ts';

const MINUTE_MS = 60_000;
const FIRST_RETRY_MS = 15 * MINUTE_MS;
/** Enough rows that a plan which reads all of them shows in its number of blocks. */
const MANY = 40_000;
const BLOCKS_MAX = 300;

const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' } });

/** A subscription of a new account, to a receiver that answers as `answers` says. */
async function subscribed(t: TestContext) {
  const platform = await shared.newPlatform();
  const answers = { ping: 200, event: 200 };
  const receiver = await startReceiver(t, (response, { body }) => {
    response.writeHead(body.topic === 'webhook_subscription_pinged' ? answers.ping : answers.event).end();
  });
  const made = await platform.call('POST', '/webhook-subscriptions', { body: { url: receiver.url, secret: 'secret' } });
  const subscription = made.headers.location!;
  const list = async (query: string): Promise<Body> => (await platform.call('GET', `${subscription}/webhooks?${query}`)).body;
  const ids = async (query: string): Promise<string[]> => (await list(query))._embedded.webhooks.map(({ id }: Body) => id);
  const ping = async () => idOf((await platform.call('POST', `${subscription}/pings`)).headers.location!);
  /** Delivers until all webhooks together have had this many attempts. */
  const deliver = async (tries: number, laterMs = 0) => {
    const worker = await startDelivery({ ...shared, ...platform });
    worker.advance(laterMs);
    await waitUntil('all webhooks are tried', async () => {
      const { _embedded } = await list('limit=200');
      return _embedded.webhooks.flatMap(({ attempts }: Body) => attempts).length === tries;
    });
    await worker.stop();
  };
  return { ...platform, answers, subscription, list, ids, ping, deliver };
}

test('a webhook is pending, then delivered or failed by its last attempt, and shows its next attempt', async (t) => {
  const { answers, call, ids, list, ping, deliver, subscription } = await subscribed(t);
  answers.ping = 500;
  const pinged = await ping();
  assert.deepEqual([await ids('status=pending'), await ids('status=failed'), await ids('status=delivered')], [[pinged], [], []]);
  const planned = Date.parse((await list('status=pending'))._embedded.webhooks[0].nextAttempt);
  assert.ok(Math.abs(planned - Date.now()) < MINUTE_MS);

  await deliver(1);
  const { _embedded, total, _links } = await list('status=failed');
  const [failed] = _embedded.webhooks;
  assert.deepEqual([total, failed.id, failed.attempts.length, await ids('status=pending')], [1, pinged, 1, []]);
  assert.match(_links.first.href, /status=failed/);
  const waitMs = Date.parse(failed.nextAttempt) - Date.parse(failed.attempts[0].request.timestamp);
  assert.ok(Math.abs(waitMs - FIRST_RETRY_MS) <= FIRST_RETRY_MS / 10 + MINUTE_MS, `${waitMs}`);
  assert.equal((await call('GET', `/webhooks/${pinged}`)).body.nextAttempt, failed.nextAttempt);

  await call('POST', subscription, { body: { paused: true } });
  assert.equal(
    (await list('status=failed'))._embedded.webhooks[0].nextAttempt,
    undefined,
    'a paused subscription has no next attempt',
  );
  await call('POST', subscription, { body: { paused: false } });

  answers.ping = 200;
  await deliver(2, FIRST_RETRY_MS * 2);
  assert.deepEqual([await ids('status=failed'), await ids('status=delivered')], [[], [pinged]]);
  assert.equal((await call('GET', `/webhooks/${pinged}`)).body.nextAttempt, undefined);

  answers.ping = 410;
  await call('POST', `/webhooks/${pinged}/retries`);
  await deliver(3);
  assert.deepEqual([await ids('status=failed'), await ids('status=delivered')], [[pinged], []], 'the last attempt decides');
});

test('a list by status is paged, and combines with the other filters', async (t) => {
  const { answers, call, ids, list, ping, deliver, newCustomer } = await subscribed(t);
  answers.ping = 500;
  const pings: string[] = [];
  for (let n = 0; n < 5; n++) pings.unshift(await ping());
  const customer = idOf(await newCustomer());
  await deliver(7);
  const seen: string[] = [];
  for (let next: string | undefined = 'status=failed&limit=2'; next !== undefined; ) {
    const { _embedded, _links, total } = await list(next);
    assert.equal(total, 5);
    seen.push(..._embedded.webhooks.map(({ id }: Body) => id));
    next = _links.next?.href.split('?')[1];
    if (next) assert.match(next, /status=failed.*after=/);
  }
  assert.deepEqual(seen, pings);
  assert.deepEqual(await ids('status=failed&limit=2&offset=3'), pings.slice(3));
  assert.equal((await ids(`status=delivered&resourceId=${customer}`)).length, 2);
  assert.deepEqual(await ids(`status=failed&resourceId=${customer}`), []);
  assert.deepEqual(await ids('status=failed&endDate=2026-01-01'), []);
  assert.deepEqual(await ids(`status=failed&startDate=${new Date(Date.now() - MINUTE_MS).toISOString()}`), pings);
  const { href } = (await list('limit=1'))._links.self;
  assert.equal((await call('GET', href.replace(/\?.*/, '?status=lost'))).status, 400);
});

test('each status is a range of an index, whatever the others contain', async (t) => {
  const { sql, subscription } = { ...shared, ...(await subscribed(t)) };
  const subscriptionId = idOf(subscription);
  const bucket = bucketOf(subscriptionId);
  const fill = async (status: 'delivered' | 'failed' | 'pending', count: number) => {
    const ids = Array.from({ length: count }, () => newId(bucket));
    if (status !== 'delivered')
      await sql`
        insert into webhook_due (bucket, subscription_id, webhook_id, due, attempts, first)
        select ${bucket}, ${subscriptionId}, id, now(), 1, ${status === 'failed' ? new Date() : null} from unnest(${ids}::uuid[]) as w (id)`;
    if (status !== 'pending')
      await sql`
        insert into webhook_attempt (bucket, webhook_id, subscription_id, id, requested, delivered, url, request_headers, request_body)
        select ${bucket}, id, ${subscriptionId}, id, now(), ${status === 'delivered'}, '', '[]', '' from unnest(${ids}::uuid[]) as w (id)`;
  };
  for (const [status, count] of [
    ['delivered', 30],
    ['failed', MANY],
    ['pending', 30],
    ['delivered', MANY],
    ['failed', 30],
  ] as const)
    await fill(status, count);
  await sql`analyze webhook_due`;
  await sql`analyze webhook_attempt`;
  for (const status of ['pending', 'delivered', 'failed'] as const) {
    const { rows, blocks, plan } = await explained(sql, (explaining) =>
      idsWithStatus(explaining, { bucket, id: subscriptionId }, status, { start: FIRST_ID, end: LAST_ID, limit: 26, offset: 0 }),
    );
    assert.deepEqual([rows, blocks < BLOCKS_MAX], [26, true], `${status}: ${blocks} blocks\n${plan}`);
  }
});

/** The rows that a query given to `ask` returns, and the blocks that it reads. */
async function explained(sql: Sql, ask: (explaining: Sql) => Promise<unknown>) {
  let plan: Body;
  const explaining: Sql = async (text, ...values) => {
    const [head, ...rest] = text;
    const strings = [`explain (analyze, buffers, format json) ${head}`, ...rest];
    const [row] = await sql<Body>(Object.assign(strings, { raw: strings }), ...values);
    plan = row['QUERY PLAN'][0].Plan;
    return [];
  };
  await ask(explaining);
  const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  return { rows: plan['Actual Rows'], blocks, plan: JSON.stringify(plan, null, 1) };
}
