// The webhook commands as a user runs them: deliver, listen, and webhooks replay.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../packages/client/src/client.ts';
import { bucketOf } from '../src/core/ids.ts';
import { settingsOf, startCli } from './support/process.ts';
import { startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';
import { startDelivery, startReceiver } from './support/webhooks.ts';

/** A command that treats its stderr as a terminal and draws progress there. */
const ON_TERMINAL = { NODE_OPTIONS: '--import=data:text/javascript,process.stderr.isTTY=true' };
/** A command starts in a second, or in many on a busy machine. */
const START_MS = 60_000;

type Running = { child: ChildProcess; lines: string[]; errors: string[]; ended: Promise<number | null> };

function startCommand(
  t: TestContext,
  service: Pick<TestService, 'databaseUrl' | 'dataDir' | 'url'>,
  args: string[],
  settings: Record<string, string> = {},
): Running {
  const env = {
    ...settingsOf(service),
    PUBLIC_URL: service.url,
    LOG_LEVEL: 'warn',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    MODE: 'sandbox',
    ...settings,
  };
  const { child, ended } = startCli(t, args, env);
  const [lines, errors]: string[][] = [[], []];
  createInterface({ input: child.stdout! }).on('line', (line) => lines!.push(line));
  createInterface({ input: child.stderr! }).on('line', (line) => errors!.push(line));
  return { child, lines: lines!, errors: errors!, ended: ended.then(({ code }) => code) };
}

/** Each test uses its own account. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' } });
const newAccount = async () => ({ ...shared, ...(await shared.newPlatform()) });

async function stop({ child, ended, errors }: Running): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await ended, 0, errors.join('\n'));
}

test('deliver delivers beside a service that does not, and stops on a signal; replay delivers everything again', async (t) => {
  const service = await newAccount();
  const receiver = await startReceiver(t);
  const made = await service.call('POST', '/webhook-subscriptions', { body: { url: receiver.url, secret: 'secret' } });
  const since = new Date().toISOString();
  await service.newCustomer();
  const deliver = startCommand(t, service, ['deliver'], { METRICS_PORT: '0', METRICS_HOST: '127.0.0.1', LOG_LEVEL: 'info' });
  await waitUntil('it delivers', () => receiver.received.length === 2);
  const { body } = await service.call('GET', '/events');
  assert.deepEqual(
    new Set(receiver.received.map((one) => one.body.id)),
    new Set(body._embedded.events.map(({ id }: { id: string }) => id)),
  );

  const [, port] = /"port":(\d+),"msg":"metrics are served"/.exec(deliver.lines.join('\n'))!;
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(metrics, /^earmark_webhook_deliveries_total\{outcome="taken"\} 2$/m);

  const subscription = made.headers.location!.split('/').at(-1)!;
  const replay = startCommand(t, service, [
    'webhooks',
    'replay',
    '--subscription',
    subscription,
    '--since',
    since,
    '--wait',
    '--json',
  ]);
  assert.equal(await replay.ended, 0, replay.errors.join('\n'));
  assert.deepEqual(JSON.parse(replay.lines[0]!), { subscription, since, events: 2 });
  await waitUntil('it was delivered again', () => receiver.received.length === 4);
  assert.equal(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size, 2);
  await stop(deliver);

  const waiting = startCommand(t, service, ['webhooks', 'replay', '--subscription', subscription, '--since', since, '--wait']);
  await waitUntil('it replayed', async () => (await positionOf(service, subscription)) === 0n);
  assert.equal(waiting.child.exitCode, null, 'nothing is delivered, and it waits');
  await service.call('POST', made.headers.location!, { body: { paused: true } });
  assert.equal(await waiting.ended, 1);
  assert.match(
    waiting.errors.join('\n'),
    /^The subscription is paused: the remaining events are delivered after it is resumed\.$/,
  );
});

test("replay waits for the end of the feed, also where the subscription's position is before the start time", async (t) => {
  const service = await newAccount();
  const made = await service.call('POST', '/webhook-subscriptions', { body: { url: 'http://127.0.0.1:9', secret: 'secret' } });
  const subscription = made.headers.location!.split('/').at(-1)!;
  await service.newCustomer();
  const { body: clock } = await service.call('POST', '/sandbox/clock', { body: { advanceSeconds: 60 } });
  await service.newCustomer();
  const args = ['webhooks', 'replay', '--subscription', subscription, '--since', clock.now, '--wait', '--json'];
  const replay = startCommand(t, service, args, ON_TERMINAL);
  let [drawn, isOver] = ['', false];
  replay.ended.then(() => {
    isOver = true;
  });
  replay.child.stderr!.setEncoding('utf8').on('data', (part) => {
    drawn += part;
  });
  const untilItSays = async (words: string) => {
    await waitUntil(`it says ${words}, or ends`, () => drawn.includes(words) || isOver, START_MS);
    assert.ok(drawn.includes(words), `it ended, and said ${drawn}`);
  };
  // No worker runs: the test takes up the events itself.
  const takeUp = (position: number) =>
    service.sql`update webhook_subscription set position = ${position} where bucket = ${bucketOf(subscription)} and id = ${subscription}`;
  await untilItSays('0 of 4 events');
  await takeUp(3); // more than the two to be replayed, but those before them come first
  await untilItSays('3 of 4 events');
  await takeUp(4);
  await waitUntil('it ends', () => isOver, START_MS);
  assert.equal(await replay.ended, 0, drawn);
  await waitUntil('it prints', () => replay.lines.length > 0);
  assert.equal(JSON.parse(replay.lines[0]!).events, 2);
});

async function positionOf({ sql }: TestService, id: string): Promise<bigint | undefined> {
  const [row] = await sql<{ position: bigint }>`select position from webhook_subscription where id = ${id}`;
  return row?.position;
}

test('list shows the webhooks of every subscription, or the failed ones, with the next attempt', async (t) => {
  const service = await newAccount();
  const [good, bad] = [await startReceiver(t), await startReceiver(t, (response) => response.writeHead(503).end())];
  const made: string[] = [];
  for (const { url } of [good, bad]) {
    const answer = await service.call('POST', '/webhook-subscriptions', { body: { url, secret: 'secret' } });
    made.push(answer.headers.location!.split('/').at(-1)!);
  }
  await service.newCustomer();
  const worker = await startDelivery(service);
  await waitUntil('all arrived', () => good.received.length + bad.received.length === 4);
  await worker.stop();
  const list = async (...args: string[]) => {
    const { ended, lines, errors } = startCommand(t, service, ['webhooks', 'list', ...args]);
    assert.equal(await ended, 0, errors.join('\n'));
    await waitUntil('it prints', () => lines.length > 0);
    return lines;
  };
  const failed = JSON.parse((await list('--failed', '--json'))[0]!).webhooks as Record<string, string | number>[];
  const mine = failed.filter(({ subscription_id }) => made.includes(String(subscription_id)));
  assert.deepEqual(
    mine.map(({ subscription_id, attempts, last_result, topic }) => [subscription_id, attempts, last_result, topic]).toSorted(),
    ['customer_created', 'customer_verified'].map((topic) => [made[1], 1, '503', topic]),
  );
  assert.ok(mine.every(({ next_attempt }) => Date.parse(String(next_attempt)) > Date.now()));
  const [head, ...rows] = await list('--subscription', made[0]!);
  assert.match(head!, /^webhook_id +subscription_id +created +attempts +last_result +next_attempt +topic$/);
  assert.deepEqual(rows.map((row) => /1 {2}200 .*customer_(\w+)$/.exec(row)?.[1]).toSorted(), ['created', 'verified']);
  assert.deepEqual(await list('--subscription', made[0]!, '--failed'), ['No webhook has failed.']);
  const missing = startCommand(t, service, ['webhooks', 'list', '--subscription', '01890000-0000-7000-8000-000000000000']);
  assert.equal(await missing.ended, 1);
  assert.match(missing.errors.join('\n'), /^There is no webhook subscription \S+\.$/);
});

test('replay reports errors in one line', async (t) => {
  const service = await newAccount();
  const missing = '01890000-0000-7000-8000-000000000000';
  for (const [args, words, code] of [
    [['replay'], /^--subscription is missing\. Usage: earmark webhooks replay --subscription ID --since TIME \[--wait\]$/, 2],
    [['replay', '--subscription', 'x', '--since', '2026-01-01'], /^x is not a subscription id/, 1],
    [['replay', '--subscription', missing, '--since', 'yesterday'], /^--since must be a date such as/, 2],
    [['replay', '--subscription', missing, '--since', '2027-02-30'], /^--since must be a date such as/, 2],
    [['replay', '--subscription', missing, '--since', '2026-01-01'], /^There is no webhook subscription/, 1],
  ] as const) {
    const { ended, errors } = startCommand(t, service, ['webhooks', ...args]);
    assert.equal(await ended, code);
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, words);
  }
});

test('listen forwards new events, signed, and prints each response, without a subscription', async (t) => {
  const service = await newAccount();
  const { client_id, client_secret } = service.client;
  const credentials = join(service.dataDir, 'mine.json');
  writeFileSync(credentials, JSON.stringify({ base_url: service.url, client_id, client_secret }));
  await service.newCustomer();
  const receiver = await startReceiver(t, (response, { body }) =>
    response.writeHead(body.topic === 'customer_verified' ? 500 : 200).end(),
  );
  const listen = startCommand(t, service, ['listen', '--forward', receiver.url, '--credentials', credentials]);
  await waitUntil('it listens', () => listen.lines.length === 1);
  const [, secret, publicKey] = /signed with (whsec_\S+) and the key of (whpk_\S+)$/.exec(listen.lines[0]!)!;
  const customer = await service.newCustomer();
  await waitUntil('both arrived', () => listen.lines.length === 3);
  assert.match(listen.lines[1]!, /customer_created {2}→ 200$/);
  assert.match(listen.lines[2]!, /customer_verified {2}→ 500$/);
  assert.deepEqual(
    receiver.received.map(({ body }) => body.resourceId),
    [customer, customer].map((url) => url.split('/').at(-1)),
  );
  for (const { text, headers } of receiver.received) {
    new Webhook(secret!).verify(text, headers as Record<string, string>);
    await verifyWebhook({ body: text, headers, publicKeys: [publicKey!] });
  }
  assert.equal((await service.call('GET', '/webhook-subscriptions')).body.total, 0);
  await stop(listen);

  const args = ['listen', '--forward', receiver.url, '--credentials', credentials, '--secret', secret!, '--json'];
  const again = startCommand(t, service, args);
  await waitUntil('it listens again', () => again.lines.length === 1);
  assert.deepEqual(JSON.parse(again.lines[0]!), { forward: receiver.url, secret, publicKey });
  await stop(again);
});
