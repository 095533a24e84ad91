// The ledgers of the console: every entry with its counterpart and balance, as of any day in the zone of the person, and as CSV.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { openAccount, startService } from '../../../../test/support/service.ts';
import { dayOfZone } from '../../../core/zone.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after });
const DAY_SECONDS = 86_400;
/** The zones with the earliest and the latest day. */
const FAR_ZONES = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Berlin'];

type Load = Awaited<ReturnType<typeof openSession>>['load'];

/** The change and the balance of each row of a table, top down. */
async function rowsOf(load: Load, path: string): Promise<[change: string, balance: string][]> {
  const { status, text } = await load(path);
  assert.equal(status, 200, text);
  const rows = [...text.matchAll(/data-label="Change">(?:<span[^>]*>)?([^<]+).*?data-label="Balance">([^<]+)/gs)];
  return rows.map(([, change, balance]) => [change!, balance!]);
}

/** A label with an entry of today, and one of 40 days later. */
async function openPast() {
  const account = await openAccount(shared);
  const { customer, from, to } = await account.newLabels('100.00');
  const move = (value: string, more: object = {}, token = account.token) =>
    account.create('/label-reallocations', { ...account.reallocation(from, to, value), ...more }, { token });
  const early = await move('30.00', { reference: 'INV-7 early rent', externalId: 'pay/1', metadata: { run: '1' } });
  await account.call('POST', '/sandbox/clock', { body: { advanceSeconds: 40 * DAY_SECONDS } });
  const late = await move(
    '12.50',
    { reference: 'INV-8 late rent', externalId: 'pay/2', metadata: { run: '2' } },
    await shared.tokenOf(account.client),
  );
  return { account, customer, from, to, early, late, path: `/console/money/accounts/${idOf(from)}` };
}

test('the ledger of a label has every entry with its balance, and its balance as of a day of the zone of the person', async () => {
  const { early, path } = await openPast();
  const { load, submit } = await openSession(shared, 'finance');
  const all = [
    ['−12.50', '57.50'],
    ['−30.00', '70.00'],
    ['+100.00', '100.00'],
  ];
  assert.deepEqual(await rowsOf(load, path), all);
  const { created } = await shared.sql<{ created: Date }>`select created from transfer where id = ${idOf(early)}`.then(
    ([row]) => row!,
  );
  for (const zone of FAR_ZONES) {
    assert.equal((await submit('/console/account/time-zone', { zone })).status, 303);
    const day = dayOfZone(zone)(created);
    const before = new Date(Date.parse(day) - DAY_SECONDS * 1000).toISOString().slice(0, 10);
    assert.deepEqual(await rowsOf(load, `${path}?until=${day}`), all.slice(1), zone);
    assert.deepEqual(await rowsOf(load, `${path}?until=${before}`), [], zone);
    assert.deepEqual(await rowsOf(load, `${path}?from=${day}&until=${day}`), all.slice(1), zone);
    const { text } = await load(`${path}?until=${day}`);
    assert.match(text, /Balance as of.*?class="value">70\.00/s);
    assert.ok(text.includes(`As of (${zone})`) && text.includes(`Times in </span><span class="name">${zone}</span>`));
    assert.match(text, /57\.50 now/);
  }
  assert.equal((await submit('/console/account/time-zone', { zone: 'Mars/Olympus' })).status, 400);
  assert.match((await load(`${path}?until=2026-02-31`)).text, /Give days such as/);
});

test('a ledger is filtered by kind, text within the reference, external id, metadata and amount', async () => {
  const { customer, path, early, late } = await openPast();
  const { load } = await openSession(shared, 'viewer');
  const first = [['−30.00', '70.00']];
  for (const [query, rows] of [
    ['text=EARLY', first],
    ['text=inv-', [['−12.50', '57.50'], ...first]],
    ['externalId=pay/1', first],
    ['metadata=run%3D1', first],
    ['amount=30', first],
    ['amount=-30.00&kind=reallocation', first],
    ['kind=label', [['+100.00', '100.00']]],
    ['kind=withdrawal', []],
    ['text=%25', []],
  ] as const)
    assert.deepEqual(await rowsOf(load, `${path}?${query}`), rows, query);
  const idsOn = async (query: string) =>
    [
      ...(await load(`/console/customers/${idOf(customer)}/ledger?${query}`)).text.matchAll(
        /"\/console\/money\/transfers\/([^"]+)"/g,
      ),
    ].map(([, id]) => id);
  const [one, other] = [idOf(early), idOf(late)];
  for (const [query, ids] of [
    ['text=Early', [one]],
    ['text=rent', [other, one]],
    ['externalId=pay/2', [other]],
    ['metadata=run%3D2', [other]],
    ['amount=12.50', [other]],
    ['kind=reversal', []],
  ] as const)
    assert.deepEqual(await idsOn(query), ids, query);
  assert.equal((await idsOn('kind=deposit')).length, 1);
  assert.equal((await idsOn('')).length, 4);
  assert.match((await load(`${path}?metadata=run`)).text, /key=value/);
  const none = '/console/money/accounts/01890000-0000-7000-8000-000000000001';
  assert.equal((await load(none)).status, 404);
  const operator = await openSession(shared, 'operator');
  assert.equal((await operator.load(path)).status, 403);
});

test('a payment is found by its external id among all customers', async () => {
  const { early } = await openPast();
  const { load } = await openSession(shared, 'viewer');
  const other = await openAccount(shared);
  const { from, to } = await other.newLabels();
  const id = idOf(
    await other.create('/label-reallocations', { ...other.reallocation(from, to, '1.00'), externalId: 'order-4711' }),
  );
  const { text } = await load('/console/money?search=order-4711');
  assert.deepEqual(
    [...text.matchAll(/money\/transfers\/([0-9a-f-]{36})/g)].map(([, found]) => found),
    [id],
  );
  assert.match(text, /class="route".*?Label\s…/s);
  assert.ok((await load('/console/money?search=pay/1')).text.includes(idOf(early)));
  assert.ok((await load(`/console/money/transfers/${id}`)).text.includes('order-4711'));
});

test('each list is a CSV of all its pages, in an entry of the audit log', async () => {
  const { customer, path } = await openPast();
  const { load, operator } = await openSession(shared, 'finance');
  const linesOf = async (path: string) => {
    const { status, text, headers } = await load(path);
    assert.equal(status, 200, text);
    assert.match(String(headers['content-disposition']), /^attachment/);
    return text.trimEnd().split('\r\n').slice(1);
  };
  const entries = await linesOf(`${path}/ledger.csv`);
  assert.deepEqual(
    entries.map((line) => line.split(',').slice(8, 12)),
    [
      ['USD', '100.00', '100.00', ''],
      ['USD', '-30.00', '70.00', 'INV-7 early rent'],
      ['USD', '-12.50', '57.50', 'INV-8 late rent'],
    ],
  );
  assert.equal((await linesOf(`${path}/ledger.csv?text=early`)).length, 1);
  const ledger = await linesOf(`/console/customers/${idOf(customer)}/ledger.csv`);
  assert.equal(ledger.length, 4);
  assert.equal((await linesOf(`/console/customers/${idOf(customer)}/ledger.csv?kind=reallocation`)).length, 2);
  const found = await linesOf('/console/money/transfers.csv?search=pay/1');
  assert.ok(found.length > 0 && found.every((line) => line.includes('pay/1')));
  const audited = await listAudit(shared.sql, { operatorId: operator.id, action: 'download_list' }, 20);
  assert.equal(audited.length, 5);
  assert.equal((await load(`${path}/ledger.csv?until=x`)).status, 404);
});

test('a list with more than a page goes on, also behind entries that do not match', async () => {
  const account = await openAccount(shared);
  const { customer, from, to } = await account.newLabels('900.00');
  const items = Array.from({ length: 60 }, (_, index) => ({
    ...account.reallocation(from, to, '1.00'),
    reference: index === 0 ? 'the first' : 'another',
  }));
  for (const item of items) await account.create('/label-reallocations', item);
  const { load } = await openSession(shared, 'finance');
  const walk = async (path: string) => {
    const ids: string[] = [];
    for (let next: string | undefined = path; next; ) {
      const { text } = await load(next);
      ids.push(...[...text.matchAll(/<th scope="row"><a[^>]*href="\/console\/money\/transfers\/([^"]+)"/g)].map(([, id]) => id!));
      next = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    return ids;
  };
  const path = `/console/money/accounts/${idOf(from)}`;
  const of = `/console/customers/${idOf(customer)}/ledger`;
  for (const [start, size] of [
    [path, 61],
    [`${path}?text=first`, 1],
    [of, 62],
    [`${of}?text=first`, 1],
    [`${of}?kind=reallocation`, 60],
  ] as const) {
    const ids = await walk(start);
    assert.deepEqual([ids.length, new Set(ids).size], [size, size], start);
  }
});

test('a reversal and its original name each other', async () => {
  const account = await openAccount(shared);
  const { from, to } = await account.newLabels('50.00');
  const original = await account.create('/label-reallocations', account.reallocation(from, to, '20.00'));
  const reversal = await account.create(`${original}/reversals`, { amount: { value: '5.00', currency: 'USD' } });
  const { load } = await openSession(shared, 'viewer');
  const pageOf = async (url: string) => (await load(`/console/money/transfers/${idOf(url)}`)).text;
  const [one, other] = [await pageOf(original), await pageOf(reversal)];
  assert.ok(one.includes(`href="/console/money/transfers/${idOf(reversal)}"`) && one.includes('partly reversed'));
  assert.ok(other.includes(`href="/console/money/transfers/${idOf(original)}"`) && other.includes('>Reversal<'));
  assert.ok((await load(`/console/money/accounts/${idOf(from)}`)).text.includes('partly reversed'));
});
