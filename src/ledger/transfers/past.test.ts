// Tests of past balances and of lists by time: a history whose clock moves between the movements.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type Body, idOf, link } from '../../../test/support/http.ts';
import { openAccount, startService } from '../../../test/support/service.ts';
import { newId } from '../../core/ids.ts';
import { findBalances, findPastBalances } from './balance.ts';
import { postTransfers } from './post.ts';

const shared = await startService({ after });
const STEP_SECONDS = 500;
const iso = (ms: number) => encodeURIComponent(new Date(ms).toISOString());

/** Opens an account with a customer; each movement is followed by a step of its clock, and tokens last an hour. `times` has the time in the middle of each step. */
async function openHistory() {
  const account = await openAccount(shared);
  const { create, call, newCustomer, newLabel, reallocation } = account;
  const times: number[] = [];
  const step = async () => {
    const { body } = await call('POST', '/sandbox/clock', { body: { advanceSeconds: STEP_SECONDS } });
    times.push(Date.parse(body.now) - (STEP_SECONDS * 1000) / 2);
  };
  const amount = (value: string, currency = 'USD') => ({ amount: { value, currency } });
  const customer = await newCustomer();
  await step();
  await create(`${customer}/deposits`, amount('100.00'));
  await step();
  const tax = await newLabel(customer, '40.00');
  const rent = await newLabel(customer);
  await step();
  await create('/label-reallocations', reallocation(tax, rent, '15.00'));
  await create('/label-reallocations', { ...reallocation(tax, rent, '5.00'), reference: 'five' });
  await step();
  await create(`${customer}/withdrawals`, amount('10.00'));
  await create(`${customer}/deposits`, amount('700', 'JPY'));
  await step();
  await create(`${rent}/ledger-entries`, amount('-20.00'));
  assert.equal((await call('DELETE', rent)).status, 200);
  await step();
  return { ...account, customer, tax, rent, times };
}

test('balances at a past time', async () => {
  const { get, call, customer, tax, rent, times, newClient } = await openHistory();
  const past = async (label: string) =>
    Promise.all(
      times.map(async (time) => {
        const { balance, sequence } = await get(`${label}/balance?at=${iso(time)}`);
        return `${balance.value} ${sequence}`;
      }),
    );
  assert.deepEqual(await past(tax), ['0.00 0', '0.00 0', '40.00 1', '20.00 3', '20.00 3', '20.00 3']);
  assert.deepEqual(await past(rent), ['0.00 0', '0.00 0', '0.00 0', '20.00 2', '20.00 2', '0.00 3']);
  const usd = await Promise.all(
    times.map(async (time) => {
      const { balances } = await get(`${customer}/balance?at=${iso(time)}`);
      return balances.map((one: Body) => [one.total.value, one.available.value, one.labelled.value].join(' '));
    }),
  );
  assert.deepEqual(usd, [
    ['0 0 0', '0.00 0.00 0.00'],
    ['0 0 0', '100.00 100.00 0.00'],
    ['0 0 0', '100.00 60.00 40.00'],
    ['0 0 0', '100.00 60.00 40.00'],
    ['700 700 0', '90.00 50.00 40.00'],
    ['700 700 0', '90.00 70.00 20.00'],
  ]);
  const at = new Date(times[3]!).toISOString();
  assert.deepEqual(await get(`${rent}/balance?at=${at}`), {
    _links: { self: link(`${rent}/balance?at=${encodeURIComponent(at)}`, 'balance'), label: link(rent, 'label') },
    balance: { value: '20.00', currency: 'USD' },
    sequence: 2,
    at,
  });
  const { at: none, sequence, ...now } = await get(`${rent}/balance`);
  assert.deepEqual([none, sequence, now.balance.value], [undefined, 3, '0.00']);
  // Exactly at the time of an entry it counts, and a microsecond before it does not.
  const [newest] = (await get(`${tax}/ledger-entries`))._embedded['ledger-entries'];
  const counted = async (time: string) => (await get(`${tax}/balance?at=${encodeURIComponent(time)}`)).sequence;
  assert.equal(await counted(newest.created), 3);
  assert.ok((await counted(new Date(Date.parse(newest.created) - 1).toISOString().replace('Z', '999Z'))) < 3);

  for (const path of [`${tax}/balance`, `${customer}/balance`]) {
    const future = iso(Date.now() + 1e10);
    for (const query of [`at=${future}`, 'at=yesterday', 'at=2016-12-31T23:59:60Z', 'at=2026-01-01'])
      assertRefused(await call('GET', `${path}?${query}`), { status: 400, code: 'ValidationError', path: '/query/at' });
    assertRefused(await call('GET', path, { token: (await newClient()).token }), { status: 403, code: 'Forbidden' });
  }
});

test('lists by time of creation', async () => {
  const { get, call, customer, tax, rent, times } = await openHistory();
  const list = async (path: string, from?: number, before?: number, more = '') => {
    const query = [
      ...(from === undefined ? [] : [`createdFrom=${iso(times[from]!)}`]),
      ...(before === undefined ? [] : [`createdBefore=${iso(times[before]!)}`]),
    ].join('&');
    const body = await get(`${path}?${query}${more}`);
    const [elements] = Object.values(body._embedded) as Body[][];
    return { total: body.total, elements: elements!, body };
  };
  const lists = {
    [`${tax}/ledger-entries`]: [0, 0, 1, 2, 0, 0],
    [`${rent}/ledger-entries`]: [0, 0, 0, 2, 0, 1],
    [`${customer}/label-reallocations`]: [0, 0, 0, 2, 0, 0],
    [`${customer}/deposits`]: [0, 1, 0, 0, 1, 0],
    [`${customer}/withdrawals`]: [0, 0, 0, 0, 1, 0],
    [`${customer}/transfers`]: [0, 1, 1, 2, 2, 1],
  };
  for (const [path, days] of Object.entries(lists)) {
    for (let from = 0; from < days.length; from++) {
      for (let before = from; before < days.length; before++) {
        const { total, elements } = await list(path, from, before);
        const expected = days.slice(from + 1, before + 1).reduce((sum, count) => sum + count, 0);
        assert.deepEqual([total, elements.length], [expected, expected], `${path} from ${from} before ${before}`);
        for (const { created } of elements)
          assert.ok(Date.parse(created) >= times[from]! && Date.parse(created) < times[before]!);
      }
    }
    assert.equal((await list(path, 5, 1)).total, 0, 'a period that ends before it begins is empty');
    const all = await list(path);
    const seen: string[] = [];
    for (let next: string | undefined = `${path}?limit=1&createdFrom=${iso(times[0]!)}`; next; ) {
      const page: Body = await get(next);
      assert.equal(page.total, all.total);
      seen.push(...(Object.values(page._embedded) as Body[][])[0]!.map(({ id }) => id));
      next = page._links.next?.href;
    }
    assert.deepEqual(
      seen,
      all.elements.map(({ id }) => id),
      `${path} is paged with its period`,
    );
    for (const query of ['createdFrom=x', 'createdBefore=2026-13-01T00:00:00Z', 'createdFrom=2016-12-31T23:59:60Z'])
      assertRefused(await call('GET', `${path}?${query}`), {
        status: 400,
        code: 'ValidationError',
        path: `/query/${query.split('=')[0]}`,
      });
  }
  const exact = (await list(`${customer}/deposits`)).elements[0].created;
  const count = async (query: string) => (await get(`${customer}/deposits?${query}`)).total;
  assert.deepEqual(
    [
      await count(`createdFrom=${exact}`),
      await count(`createdBefore=${exact}`),
      await count(`createdFrom=${exact.replace('Z', '001Z')}`),
    ],
    [1, 1, 0],
    'from is inclusive, before exclusive',
  );
});

test('lists all kinds of transfers', async () => {
  const { get, call, url, customer, tax, rent, newCustomer } = await openHistory();
  const body = await get(`${customer}/transfers`);
  assert.deepEqual(
    body._embedded.transfers.map(({ kind, amount, from, to, reference }: Body) => [
      kind,
      amount.value,
      amount.currency,
      from,
      to,
      reference,
    ]),
    [
      ['label', '20.00', 'USD', idOf(rent), undefined, undefined],
      ['deposit', '700', 'JPY', undefined, undefined, undefined],
      ['withdrawal', '10.00', 'USD', undefined, undefined, undefined],
      ['reallocation', '5.00', 'USD', idOf(tax), idOf(rent), 'five'],
      ['reallocation', '15.00', 'USD', idOf(tax), idOf(rent), undefined],
      ['label', '40.00', 'USD', undefined, idOf(tax), undefined],
      ['deposit', '100.00', 'USD', undefined, undefined, undefined],
    ],
  );
  for (const transfer of body._embedded.transfers) {
    const self = await get(transfer._links.self.href);
    assert.deepEqual([self.created, self.reference], [transfer.created, transfer.reference]);
    assert.equal(transfer._links.customer.href, customer);
    assert.deepEqual(
      [transfer._links.from?.href, transfer._links.to?.href].map((href) => href && idOf(href)),
      [transfer.from, transfer.to],
    );
  }
  const deposits = await get(`${customer}/deposits`);
  assert.deepEqual(
    deposits._embedded.deposits.map((one: Body) => [one._links.self.href.startsWith(`${url}/deposits/`), one.amount.value]),
    [
      [true, '700'],
      [true, '100.00'],
    ],
  );
  const withdrawal = (await get(`${customer}/withdrawals`))._embedded.withdrawals[0];
  for (const after of [withdrawal.id, '01890000-0000-7000-8000-000000000000', idOf(tax)])
    assertRefused(await call('GET', `${customer}/deposits?after=${after}`), {
      status: 400,
      code: 'ValidationError',
      path: '/query/after',
    });
  const none = await get(`${await newCustomer()}/transfers`);
  assert.deepEqual([none.total, none._embedded.transfers], [0, []]);
});

test('the time never decreases along an account, whatever the clocks of the processes say', async () => {
  const { sql, service, client, customer, from, to, call } = {
    ...(await openAccount(shared)),
    ...(await shared.newLabels()),
    ...shared,
  };
  const { bucket } = (await sql<{ bucket: number }>`select bucket from customer where id = ${idOf(customer)}`)[0]!;
  const { groups } = service;
  const now = Date.now();
  const post = (source: string, target: string, offsetMs: number) => {
    const id = newId(bucket);
    const transfer = {
      ...{
        id,
        kind: 'reallocation' as const,
        accountId: client.account_id,
        fromId: idOf(source),
        toId: idOf(target),
        amount: 1n,
      },
      ...{ currency: 'USD', reference: undefined, event: { id: newId(bucket), topic: 'customer_label_reallocation_created' } },
      ...{ resource: { type: 'label-reallocation', id }, idempotency: undefined },
    };
    // Where a lane posts it.
    return postTransfers(groups.database(groups.of(bucket)).sql, [transfer], { now: new Date(now + offsetMs) });
  };
  // A process whose clock is ahead, and then two that are behind.
  for (const [source, target, offsetMs] of [
    [from, to, 5000],
    [from, to, -60_000],
    [to, from, 1000],
    [to, from, 9000],
  ] as const)
    await post(source, target, offsetMs);
  const { body } = await call('GET', `${from}/ledger-entries`);
  assert.deepEqual(
    body._embedded['ledger-entries'].slice(0, 4).map(({ created }: Body) => Date.parse(created) - now),
    [9000, 5000, 5000, 5000],
  );
  const [event] =
    await sql`select 1 from transfer t where t.customer_id = ${idOf(customer)} and t.created = ${new Date(now + 5000)} limit 1`;
  assert.ok(event);
  assert.deepEqual(
    await findPastBalances(service.database.sql, idOf(customer), new Date(now + 10_000)),
    await findBalances(service.database.sql, idOf(customer), new Date()),
  );
});
