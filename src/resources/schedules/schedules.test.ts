// Tests of schedules: creation, lists, changes, access and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { assertPlainRefusal, assertRefused, idOf, link } from '../../../test/support/http.ts';
import { DAY_SECONDS, openSchedules } from '../../../test/support/schedules.ts';
import { openAccount, startService } from '../../../test/support/service.ts';

const BAD = { status: 400, code: 'ValidationError' };
const ENDED = { status: 403, code: 'InvalidResourceState' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('a schedule shows its terms and its next occurrence', async () => {
  const { newSchedule, get, customer, from, to, daily } = await openSchedules(shared);
  const url = await newSchedule({ externalId: 's-1', reference: 'savings', metadata: { plan: 'gold' }, correlationId: 'c-1' });
  const { created, ...shown } = await get(url);
  const { rule, start, timeZone } = daily();
  assert.deepEqual(shown, {
    _links: {
      self: link(url, 'schedule'),
      customer: link(customer, 'customer'),
      from: link(from, 'label'),
      to: link(to, 'label'),
      occurrences: link(`${url}/occurrences`, 'schedule-occurrence'),
      edit: link(url, 'schedule'),
      remove: link(url, 'schedule'),
    },
    ...{ id: idOf(url), status: 'active', amount: usd('10.00'), rule, timeZone, ifInsufficient: 'skip', catchUp: 'each' },
    ...{ start: shown.start, next: new Date(Date.parse(`${shown.start}Z`) + DAY_SECONDS * 1000).toISOString() },
    ...{ reference: 'savings', correlationId: 'c-1', externalId: 's-1', metadata: { plan: 'gold' } },
  });
  assert.ok(Math.abs(Date.parse(shown.start) - Date.parse(start)) < 60_000 && Date.parse(created) <= Date.now());
  const bodies = [{ value: 'all' }, { above: '0' }, { upTo: '20', currency: 'USD' }];
  const shownAmounts = [];
  for (const amount of bodies) shownAmounts.push((await get(await newSchedule({ amount }))).amount);
  assert.deepEqual(shownAmounts, [
    { value: 'all', currency: 'USD' },
    { above: '0.00', currency: 'USD' },
    { upTo: '20.00', currency: 'USD' },
  ]);
  const list = async (query: string) => (await get(`${customer}/schedules?${query}`))._embedded.schedules.map(idOfBody);
  assert.equal((await list('')).length, 4);
  assert.deepEqual(await list('externalId=s-1'), [idOf(url)]);
  assert.deepEqual(await list('status=paused'), []);
});

const idOfBody = ({ id }: { id: string }) => id;

test('a repeated key creates one schedule, and external ids are unique', async () => {
  const { schedule, daily, customer, get } = await openSchedules(shared);
  const body = daily({ externalId: 's-1' });
  const [first, second] = [await schedule(body, customer, { key: 'k' }), await schedule(body, customer, { key: 'k' })];
  assert.deepEqual([second.headers.location, second.headers['idempotent-replayed']], [first.headers.location, 'true']);
  assertRefused(await schedule(body), { status: 409, code: 'Conflict' });
  assert.equal((await get(`${customer}/schedules`)).total, 1);
});

test('refuses terms that are not valid, at their place', async () => {
  const { schedule, daily, from, newLabel, customer, newCustomer, nowhere, call } = await openSchedules(shared);
  const euros = await newLabel(await newCustomer({ available: '10.00', currency: 'EUR' }), '1.00', { currency: 'EUR' });
  const ownEuros = await newLabel(customer, '0', { currency: 'EUR' }).catch(() => undefined);
  const links = (change: object) => ({ _links: { from: { href: from }, to: { href: from }, ...change } });
  const wrong: [object, string][] = [
    [{ amount: {} }, '/amount/value'],
    [{ amount: { value: 'all', above: '1' } }, '/amount/above'],
    [{ amount: { value: '1.00' } }, '/amount/currency'],
    [{ amount: { value: '1.00', currency: 'EUR' } }, '/amount/currency'],
    [{ amount: { value: '1.001', currency: 'USD' } }, '/amount/value'],
    [{ amount: { upTo: '0' } }, '/amount/upTo'],
    [{ amount: { above: '-1' } }, '/amount/above'],
    [{ rule: 'FREQ=HOURLY' }, '/rule'],
    [{ rule: 'BYDAY=MO' }, '/rule'],
    [{ rule: 'FREQ=DAILY;FREQ=DAILY' }, '/rule'],
    [{ rule: 'FREQ=DAILY;BYHOUR=3' }, '/rule'],
    [{ rule: 'FREQ=DAILY;INTERVAL=0' }, '/rule'],
    [{ rule: 'FREQ=MONTHLY;BYMONTHDAY=32' }, '/rule'],
    [{ rule: 'FREQ=DAILY;COUNT=1001' }, '/rule'],
    [{ rule: 'FREQ=DAILY;UNTIL=20270231T000000Z' }, '/rule'],
    [{ rule: 'FREQ=DAILY;UNTIL=20991231' }, '/rule'],
    [{ rule: 'FREQ=DAILY;COUNT=2;UNTIL=20991231T000000Z' }, '/rule'],
    [{ rule: 'FREQ=WEEKLY;BYDAY=1MO' }, '/rule'],
    [{ rule: 'FREQ=WEEKLY;BYMONTHDAY=1' }, '/rule'],
    [{ rule: 'FREQ=YEARLY;BYDAY=2FR;BYMONTHDAY=2' }, '/rule'],
    [{ rule: 'FREQ=MONTHLY;BYSETPOS=-1' }, '/rule'],
    [{ rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, '/rule'],
    [{ rule: 'FREQ=DAILY;UNTIL=20200101T000000Z' }, '/rule'],
    [{ start: '2027-02-31T18:00:00' }, '/start'],
    [{ start: '2001-01-01T18:00:00' }, '/start'],
    [{ timeZone: 'Mars/Olympus' }, '/timeZone'],
    [{ timeZone: '+01:00' }, '/timeZone'],
    [links({}), '/_links/to/href'],
    [links({ to: { href: euros } }), '/_links/to/href'],
  ];
  for (const [change, path] of wrong) assertRefused(await schedule(daily(change)), { ...BAD, path });
  const message = 'Time zone must be an IANA time zone such as Europe/Berlin.';
  assertRefused(await schedule(daily({ timeZone: 'Mars/Olympus' })), { ...BAD, message });
  if (ownEuros) assertRefused(await schedule(daily(links({ to: { href: ownEuros } }))), { ...BAD, path: '/_links/to/href' });
  assertRefused(await schedule(daily(links({ to: { href: nowhere('label') } }))), { status: 404, code: 'NotFound' });
  assertRefused(await schedule(daily(links({ to: { href: customer } }))), { status: 400, code: 'BadRequest' });
  assertRefused(await schedule(daily({ start: '2027-01-01T18:00:00Z' })), { ...BAD, path: '/start' });
  const empty = await newLabel(customer);
  await call('DELETE', empty);
  assertRefused(await schedule(daily(links({ to: { href: empty } }))), { status: 404, code: 'NotFound' });
});

test('a schedule belongs to its account, and needs the scope write', async () => {
  const { schedule, daily, customer, newSchedule, newClient, client } = await openSchedules(shared);
  const url = await newSchedule();
  const stranger = await openAccount(shared);
  for (const [method, path] of [
    ['GET', url],
    ['GET', `${url}/occurrences`],
    ['DELETE', url],
    ['GET', `${customer}/schedules`],
  ] as const)
    assertPlainRefusal(await stranger.call(method, path), 'forbidden');
  assertPlainRefusal(await stranger.call('POST', url, { body: { paused: true } }), 'forbidden');
  const { token } = await newClient(['read'], client.account_id);
  assertPlainRefusal(await schedule(daily(), customer, { token }), 'forbidden');
});

test('a customer has at most 100 schedules that have not ended', async () => {
  const { schedule, daily, newSchedule, call } = await openSchedules(shared);
  const urls = await Promise.all(Array.from({ length: 100 }, () => newSchedule()));
  assertRefused(await schedule(daily()), { status: 400, code: 'MaxNumberOfResources' });
  assert.equal((await call('DELETE', urls[0]!)).status, 200);
  assert.equal((await schedule(daily())).status, 201);
});

test('a paused schedule does not run, and does not catch up when it is resumed', async () => {
  const { newSchedule, call, get, advance, decided, amounts, occurrences } = await openSchedules(shared);
  const url = await newSchedule();
  const { body: paused } = await call('POST', url, { body: { paused: true } });
  assert.deepEqual([paused.status, paused.next], ['paused', undefined]);
  assert.deepEqual(await occurrences(url), []);
  await advance(3 * DAY_SECONDS);
  const { body: resumed } = await call('POST', url, { body: { paused: false } });
  assert.equal(resumed.status, 'active');
  assert.equal(Date.parse(resumed.next) - Date.parse(`${resumed.start}Z`), 4 * DAY_SECONDS * 1000);
  assert.deepEqual([await decided(url), await amounts()], [[], ['100.00', '0.00']]);
  await advance(DAY_SECONDS);
  assert.deepEqual(
    (await decided(url)).map(({ at }) => at),
    [resumed.next],
  );
  assert.equal((await get(url)).lastOccurrence.at, resumed.next);
});

test('a change applies to what has not run, and a new rule goes on after the last occurrence', async () => {
  const { newSchedule, call, advance, decided, amounts } = await openSchedules(shared);
  const url = await newSchedule();
  await advance(DAY_SECONDS);
  const change = {
    amount: { value: '5.00', currency: 'USD' },
    rule: 'FREQ=DAILY;INTERVAL=2',
    reference: 'half',
    metadata: { a: 'b' },
  };
  const { body: changed } = await call('POST', url, { body: change });
  assert.deepEqual(
    [changed.amount, changed.rule, changed.reference, changed.metadata],
    [usd('5.00'), change.rule, 'half', { a: 'b' }],
  );
  await advance(DAY_SECONDS);
  assert.deepEqual(
    (await decided(url)).map(({ at, amount }) => [at, amount.value]),
    [
      [changed.lastOccurrence.at, '10.00'],
      [changed.next, '5.00'],
    ],
  );
  assert.equal(Date.parse(changed.next) - Date.parse(changed.lastOccurrence.at), DAY_SECONDS * 1000, 'two days after the start');
  assert.deepEqual(await amounts(), ['85.00', '15.00']);
  assertRefused(await call('POST', url, { body: {} }), { status: 400, code: 'BadRequest' });
  assertRefused(await call('POST', url, { body: { rule: 'FREQ=DAILY;COUNT=1' } }), { ...BAD, path: '/rule' });
});

test('an ended schedule remains readable, does not run, and cannot change', async () => {
  const { newSchedule, call, get, advance, amounts, customer } = await openSchedules(shared);
  const url = await newSchedule();
  const { body: ended } = await call('DELETE', url);
  assert.deepEqual([ended.status, ended.endReason, ended.next, ended._links.edit], ['ended', 'Ended', undefined, undefined]);
  await advance(2 * DAY_SECONDS);
  assert.deepEqual([await get(url), await amounts()], [ended, ['100.00', '0.00']]);
  assert.equal((await get(`${customer}/schedules?status=ended`)).total, 1);
  assertRefused(await call('POST', url, { body: { paused: true } }), ENDED);
  assertRefused(await call('DELETE', url), ENDED);
});

test('a range of occurrences has at most 366 days, in pages', async () => {
  const { newSchedule, call, get } = await openSchedules(shared);
  const url = await newSchedule();
  const range = 'from=2090-01-01T00:00:00Z&to=2090-12-31T23:59:59Z';
  const page = await get(`${url}/occurrences?${range}&limit=2&offset=363`);
  assert.deepEqual(
    [
      page.total,
      page._embedded['schedule-occurrences'].map(({ at, status }: { at: string; status: string }) => [at.slice(0, 10), status]),
    ],
    [
      365,
      [
        ['2090-12-30', 'planned'],
        ['2090-12-31', 'planned'],
      ],
    ],
  );
  const last = await get(`${url}/occurrences?from=9999-12-30T00:00:00Z`);
  assert.deepEqual(
    last._embedded['schedule-occurrences'].map(({ at }: { at: string }) => at.slice(0, 10)),
    ['9999-12-30', '9999-12-31'],
  );
  assert.equal((await get(`${url}/occurrences?from=9999-12-31T23:59:59-12:00`)).total, 0);
  for (const query of ['from=2090-01-01T00:00:00Z&to=2089-01-01T00:00:00Z', 'from=2090-01-01T00:00:00Z&to=2091-02-01T00:00:00Z'])
    assertRefused(await call('GET', `${url}/occurrences?${query}`), { ...BAD, path: '/query/to' });
});
