// The plots of the overview: samples of a job, compared with the day before, and what is unusual in words.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openSession } from '../../../../test/support/operators.ts';
import { runCliJson, settingsOf } from '../../../../test/support/process.ts';
import { startService } from '../../../../test/support/service.ts';
import { later } from '../../../core/clock.ts';
import { settleEvents } from '../../../ledger/feed/feed.ts';
import { createWithoutSecret } from '../../../resources/oauth/application.ts';
import { type Figures, listSamples, SAMPLE_SECONDS, sampleFigures } from '../../jobs/samples.ts';
import { cached } from '../cached.ts';

const file = { after };
const service = await startService(file, { env: { VERIFY_EVERY_SECONDS: '0' } });
const { sql, newCustomer, newLabels, create, get, reallocation } = service;
const { database } = service.service;
const { load } = await openSession(service, 'admin');

const DAY_MS = 86_400_000;
const QUIET: Figures = {
  ...{
    reallocations: 100,
    reallocationsInAll: 100,
    calls: 200,
    refusals: 2,
    delivered: 99,
    failed: 1,
    webhookDelaySeconds: 0,
    reviewAgeSeconds: 0,
  },
  held: { USD: '100000' },
};

test('a sample has the money that is held, and the calls and reallocations since the one before', async () => {
  const { from, to } = await newLabels('70.00');
  await sql`
    insert into application_calls (application_id, period, calls, refusals)
    select id, date_bin(interval '5 minutes', now() - interval '10 minutes', timestamptz 'epoch'), 700, 20 from application limit 1`;
  const now = later(new Date(), SAMPLE_SECONDS * 1000);
  assert.deepEqual([await sampleFigures(database, now), await sampleFigures(database, now)], [1, 0]);
  const [sample] = await listSamples(sql, new Date(0));
  const [row] = await sql<{ held: string }>`
    select (-sum(balance))::text as held from ledger_account where kind = 'external' and currency = 'USD'`;
  const { reallocations, calls, refusals, held } = sample!.figures;
  assert.deepEqual([reallocations, refusals, held.USD], [0, 20, row!.held]);
  // And those of this test, which are written in the background.
  assert.ok(calls >= 700 && calls < 750, String(calls));
  for (const value of ['5.00', '6.00']) await create('/label-reallocations', reallocation(from, to, value));
  await settleEvents(sql);
  for (const count of [1, 2]) await sampleFigures(database, later(now, count * SAMPLE_SECONDS * 1000));
  const following = (await listSamples(sql, new Date(0))).slice(1);
  assert.deepEqual(
    following.map(({ figures }) => [figures.reallocations, figures.calls < 50]),
    [
      [2, true],
      [0, true],
    ],
  );
  await sampleFigures(database, later(now, 4 * DAY_MS));
  assert.equal((await listSamples(sql, new Date(0))).length, 1);
});

test('what all customers hold together may have more digits than the balance of one', async (t) => {
  const value = '9999999999999999.99';
  for (let count = 0; count < 10; count++)
    await create(`${await newCustomer()}/deposits`, { amount: { value, currency: 'EUR' } });
  const total = { value: '99999999999999999.90', currency: 'EUR' };
  const { balances } = await get(`/accounts/${service.client.account_id}/balance`);
  const { currency, total: all, available, customers } = balances[0];
  assert.deepEqual([currency, all, available, customers], ['EUR', total, total, 10]);
  await sql`delete from figure_sample`;
  await runCliJson(t, ['jobs', 'run', 'sample-figures'], settingsOf(service));
  const { status, text } = await load('/console');
  assert.equal(status, 200, text);
  assert.match(text, /Money held in EUR in the last 24 hours: 99,999,999,999,999,999\.90 EUR/);
});

test('the job samples, and the overview says that nothing is sampled before', async (t) => {
  await sql`delete from figure_sample`;
  assert.match((await load('/console')).text, /Nothing sampled yet/);
  assert.deepEqual(await runCliJson(t, ['jobs', 'run', 'sample-figures'], settingsOf(service)), { stored: 1 });
  const { text } = await load('/console');
  assert.match(text, /Money held in USD in the last 24 hours: [\d,.]+ USD/);
  assert.doesNotMatch(text, /Unusual in the last hour/);
});

test('the overview compares with the day before, and says what is unusual', async () => {
  const now = new Date();
  await put(now, { ...QUIET, calls: 400 });
  await put(later(now, -DAY_MS), QUIET);
  const usual = (await load('/console')).text;
  assert.match(usual, /Calls in the last 24 hours: 400, 100 % more than the day before/);
  assert.match(usual, /Reallocations in the last 24 hours: 100, as the day before/);
  assert.match(usual, /Webhooks that succeeded in the last 24 hours: 99 %, of the last hour/);
  assert.doesNotMatch(usual, /Unusual in the last hour/);
  await put(now, {
    ...QUIET,
    reallocations: 3,
    refusals: 50,
    failed: 33,
    delivered: 67,
    webhookDelaySeconds: 720,
    reviewAgeSeconds: 2 * 86_400,
  });
  const { text } = await load('/console');
  const items = [...text.matchAll(/<li>([^<]+) <a href="([^"]+)">Look<\/a>/g)].map(([, words, href]) => [words, href]);
  assert.deepEqual(items, [
    ['33 % of the webhooks of the last hour failed, and 1 % in the same hour of the day before.', '/console/webhooks'],
    ['Webhooks are 12 minutes behind the events.', '/console/webhooks'],
    ['The oldest document has waited for 2 days.', '/console/review'],
    ['25 % of the calls of the last hour were refused, and 1 % in the same hour of the day before.', '/console/applications'],
    ['3 reallocations in the last hour, and 100 in the same hour of the day before.', '/console/money'],
  ]);
});

test('the overview names subscriptions that fail now, before a share of the last hour does', async () => {
  await put(new Date(), QUIET);
  await service.create('/webhook-subscriptions', { url: 'https://example.com/in', secret: 'a secret of the test' });
  assert.doesNotMatch((await load('/console')).text, /fails now/);
  await sql`update webhook_subscription set failures = 3`;
  assert.match(
    (await load('/console')).text,
    /<li>1 of 1 active subscriptions fails now\. <a href="\/console\/webhooks">Look<\/a>/,
  );
  await sql`update webhook_subscription set failures = 0`;
});

test('the overview plots the calls of the applications with the most of them', async () => {
  const now = new Date();
  await put(now, QUIET);
  const names = ['Payroll', 'Checkout', 'Mobile', 'Reports', 'Rare'];
  const { account_id: accountId } = service.client;
  const ids = await Promise.all(names.map((name) => createWithoutSecret(sql, { accountId, name, scopes: ['read'] })));
  const store = async (id: string, at: Date, calls: number) => sql`
    insert into application_calls (application_id, period, calls, refusals)
    values (${id}, date_bin(interval '5 minutes', ${at}, timestamptz 'epoch'), ${calls}, 0)`;
  for (const [index, id] of ids.entries()) await store(id, later(now, -600_000), 90_000 - index * 10_000);
  await store(ids[0]!, later(now, -DAY_MS), 45_000);
  const { text } = await load('/console');
  assert.match(text, /Calls of Payroll in the last 24 hours: 90,000, 100 % more than the day before/);
  assert.match(text, new RegExp(`<h3><a href="/console/applications/${ids[0]}">Calls of Payroll</a></h3>`));
  assert.match(text, /<h3><a href="\/console\/review">Age of the oldest document to review<\/a><\/h3>/);
  assert.match(text, /Calls of Reports in the last 24 hours: 60,000"/);
  assert.doesNotMatch(text, /Calls of Rare/);
});

/** Stores a sample of a time, in place of those within an hour before it. */
async function put(at: Date, figures: Figures): Promise<void> {
  await sql`delete from figure_sample where at between ${later(at, -3_600_000)} and ${at}`;
  await sql`insert into figure_sample (at, figures) values (${at}, ${JSON.stringify(figures)}::jsonb)`;
}

test('the overview reads the figures again before it shows those of minutes ago', async (t) => {
  // Each process keeps its own figures.
  const own = await startService(t, { processes: 1 });
  const session = await openSession(own, 'admin');
  const customer = await own.newCustomer({ available: '40.00' });
  const heldAt = async () => {
    const { text } = await session.load('/console');
    const [, asOf] = /activity as of <time datetime="([^"]+)"/.exec(text)!;
    const [, held] = /Money held in USD[\s\S]*?class="value">([\d,.]+)/.exec(text)!;
    return { held: Number(held!.replaceAll(',', '')), asOf: new Date(asOf!) };
  };
  const before = await heldAt();
  await own.create(`${customer}/deposits`, { amount: { value: '2.50', currency: 'USD' } });
  const now = new Date(Date.now() + 300_000);
  t.mock.timers.enable({ apis: ['Date'], now });
  assert.deepEqual(await heldAt(), { held: before.held + 2.5, asOf: now });
});

test('figures that take long to read are shown as they were, with their time', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  const slow = Promise.withResolvers<number>();
  const readings = [Promise.resolve(1), slow.promise];
  const { current, refresh } = cached(30_000, () => readings.shift()!, assert.ifError);
  await refresh();
  t.mock.timers.tick(300_000);
  assert.deepEqual(await current(), { value: 1, read: new Date(0) });
  slow.resolve(2);
  await refresh();
  assert.deepEqual(await current(), { value: 2, read: new Date(300_000) });
});
