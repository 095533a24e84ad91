// Tests of statements over HTTP: their three forms, refusals, closed months, and spreadsheets.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { amountOf } from '../../../test/support/data.ts';
import { assertRefused, type Body, HAL, idOf, link } from '../../../test/support/http.ts';
import { countWaiting, lockLabel } from '../../../test/support/locks.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const PDF = 'application/pdf';
const DAY_MS = 86_400_000;

// The clock of the service: the tests move it, and tokens last an hour, so each test gets its own account.
let now = Date.parse('2026-03-10T12:00:00Z');
const shared = await startService({ after }, { clock: { now: () => new Date(now) } });

/** A customer of a new account with deposits, labels and movements on the tenth of a month. */
async function openHistory() {
  now = Date.parse('2026-03-10T12:00:00Z');
  const account = { ...shared, ...(await shared.newPlatform()) };
  const { create, call, newCustomer, reallocation } = account;
  const customer = await newCustomer();
  await create(`${customer}/deposits`, { ...amountOf('100.00'), reference: '=SUM(A1:A9)' });
  const label = (name: string, value: string) => create(`${customer}/labels`, { name, ...amountOf(value) });
  const tax = await label('@Tax, "quarter"', '40.00');
  const rent = await label('Rent', '0');
  await create('/label-reallocations', { ...reallocation(tax, rent, '15.00'), reference: 'March' });
  await create(`${customer}/deposits`, amountOf('700', 'JPY'));
  /** Moves the clock, for which an application needs a new token. */
  const at = async (time: string) => {
    now = Date.parse(time);
    return account.tokenOf(account.client);
  };
  const read = (query: string, accept = HAL, token: string | undefined = account.token) =>
    call('GET', `${customer}/statements/${query}`, { headers: { accept }, token });
  return { ...account, customer, tax, rent, at, read };
}

const numbers = (body: Body) =>
  body.accounts.map((one: Body) =>
    [one.name ?? one.currency, ...[one.opening, one.totalIn, one.totalOut, one.closing].map(({ value }) => value)].join(' '),
  );

test('the statement of a month as HAL', async () => {
  const { read, customer, tax, rent, url, at, get, create } = await openHistory();
  const { status, headers, body } = await read('2026-03');
  assert.deepEqual([status, headers['content-type']], [200, `${HAL}; charset=utf-8`]);
  const { accounts, ...head } = body;
  assert.deepEqual(head, {
    _links: {
      self: link(`${customer}/statements/2026-03?zone=UTC`, 'statement'),
      customer: link(customer, 'customer'),
    },
    ...{ month: '2026-03', zone: 'UTC', from: '2026-03-01T00:00:00.000Z', before: '2026-04-01T00:00:00.000Z', closed: false },
  });
  assert.deepEqual(numbers(body), [
    'JPY 0 700 0 700',
    'USD 0.00 100.00 40.00 60.00',
    '@Tax, "quarter" 0.00 40.00 15.00 25.00',
    'Rent 0.00 15.00 0.00 15.00',
  ]);
  const [deposit] = accounts[1]._embedded['ledger-entries'];
  assert.deepEqual([deposit.kind, deposit.reference, Object.keys(deposit._links)], ['deposit', '=SUM(A1:A9)', ['deposit']]);
  assert.ok(deposit._links.deposit.href.startsWith(`${url}/deposits/`));
  const [, entry] = accounts[2]._embedded['ledger-entries'];
  const own = await get(entry._links.self.href);
  const { kind, ...shown } = entry;
  assert.deepEqual([kind, shown], ['reallocation', own], 'an entry of a label is as its own resource shows it');
  assert.deepEqual(accounts[3]._links.label.href, rent);

  const filtered = async (query: string) => numbers((await read(`2026-03?${query}`)).body);
  assert.deepEqual(await filtered('currency=JPY'), ['JPY 0 700 0 700']);
  assert.deepEqual(await filtered('currency=EUR'), []);
  assert.deepEqual(await filtered(`label=${idOf(tax)}`), ['@Tax, "quarter" 0.00 40.00 15.00 25.00']);
  assert.deepEqual(await filtered(`label=${idOf(tax)}&currency=JPY`), []);
  assert.deepEqual(numbers((await read('2026-02')).body), [], 'what did not exist is not listed');

  const token = await at('2026-04-02T00:00:00Z');
  await create(`${customer}/labels`, { name: 'Later', ...amountOf('1.00') }, { token });
  assert.deepEqual(numbers((await read('2026-04', HAL, token)).body), [
    'JPY 700 0 0 700',
    'USD 60.00 0.00 1.00 59.00',
    '@Tax, "quarter" 25.00 0.00 0.00 25.00',
    'Rent 15.00 0.00 0.00 15.00',
    'Later 0.00 1.00 0.00 1.00',
  ]);
});

test('entries of allocations and reversals say what they are', async () => {
  const { read, create, customer, rent, tax, get, reallocation, at } = await openHistory();
  const steps = [{ label: { href: rent }, percent: '50' }];
  const rule = await create(`${customer}/allocation-rules`, { name: 'Half', steps });
  const deposit = await create(`${customer}/deposits`, amountOf('20.00'));
  const moved = await create('/label-reallocations', reallocation(tax, rent, '5.00'));
  const reversal = await create(`${moved}/reversals`);
  const kindsOf = (text: string) =>
    text
      .split('\r\n')
      .map((line) => line.split(',').slice(-6, -2))
      .filter(([kind]) => kind === 'allocation' || kind === 'reversal');
  assert.deepEqual(kindsOf((await read('2026-03?currency=USD', 'text/csv')).text), [
    ['allocation', '', '-10.00', '70.00'],
    ['reversal', '', '5.00', '25.00'],
    ['allocation', '', '10.00', '25.00'],
    ['reversal', '', '-5.00', '25.00'],
  ]);
  const { accounts } = (await read('2026-03?currency=USD')).body;
  for (const [account, isLabel] of [
    [accounts[0], false],
    [accounts[2], true],
  ] as const) {
    const entry = account._embedded['ledger-entries'].find(({ kind }: Body) => kind === 'allocation');
    const about = { deposit: link(deposit, 'deposit'), 'allocation-rule': link(rule, 'allocation-rule') };
    const { self, label, ...rest } = entry._links;
    assert.deepEqual([rest, self !== undefined, label !== undefined], [about, isLabel, isLabel]);
  }
  const entry = accounts[2]._embedded['ledger-entries'].at(-1);
  assert.deepEqual([entry.kind, entry._links['label-reallocation'].href], ['reversal', reversal]);
  const { kind: _, ...shown } = entry;
  assert.deepEqual(shown, await get(entry._links.self.href));
  assert.equal((await read('2026-03', PDF, await at('2026-03-11T00:00:00Z'))).status, 200);
});

test('a month is closed one minute after its end, and then its bytes never change', async () => {
  const { read, at, call, create, customer, rent, tax, reallocation } = await openHistory();
  const forms = (token: string, query = '2026-03') =>
    Promise.all(
      [HAL, 'text/csv', PDF].map(async (accept) => {
        const { status, text } = await read(query, accept, token);
        assert.equal(status, 200, text);
        return text;
      }),
    );
  const before = await at('2026-04-01T00:00:59.999Z');
  assert.equal((await read('2026-03', HAL, before)).body.closed, false);
  const token = await at('2026-04-01T00:01:00Z');
  const [hal, csv, pdf] = await forms(token);
  assert.equal(JSON.parse(hal!).closed, true);
  assert.ok(pdf!.startsWith('%PDF-1.7') && pdf!.trimEnd().endsWith('%%EOF'));
  assert.equal(JSON.parse((await forms(token, '2026-03?zone=Pacific/Honolulu'))[0]!).closed, false, 'it is still March there');

  await create('/label-reallocations', reallocation(rent, tax, '15.00'), { token });
  assert.equal((await call('DELETE', rent, { token })).status, 200);
  await create(`${customer}/withdrawals`, amountOf('60.00'), { token });
  assert.equal((await call('POST', customer, { token, body: { doingBusinessAs: 'Another name' } })).status, 200);
  const much = await at('2026-06-10T00:00:00Z');
  assert.deepEqual(await forms(much), [hal, csv, pdf]);
  assert.deepEqual(numbers((await read('2026-05', HAL, much)).body), [
    'JPY 700 0 0 700',
    'USD 0.00 0.00 0.00 0.00',
    '@Tax, "quarter" 40.00 0.00 0.00 40.00',
  ]);
});

test('a schedule that waits for a lock while its month is closed moves the money in the next one', async (t) => {
  const { databaseUrl, sql, read, at, call, create, customer, rent, tax } = await openHistory();
  const schedule = await create(`${customer}/schedules`, {
    _links: { from: { href: tax }, to: { href: rent } },
    ...amountOf('1.00'),
    ...{ rule: 'FREQ=DAILY;COUNT=1', start: '2026-03-31T23:59:30', timeZone: 'UTC' },
  });
  const locker = new pg.Client({ connectionString: databaseUrl });
  await locker.connect();
  t.after(() => locker.end());
  await locker.query('begin');
  await lockLabel(locker, tax);
  await at('2026-03-31T23:59:59Z');
  await waitUntil('the schedule waits for the lock', async () => (await countWaiting(sql)) > 0);
  const token = await at('2026-04-01T00:01:30Z');
  const closed = await read('2026-03', HAL, token);
  assert.equal(closed.body.closed, true);
  await locker.query('commit');
  await waitUntil('the schedule ends', async () => (await call('GET', schedule, { token })).body.status === 'ended');
  assert.equal((await read('2026-03', HAL, token)).text, closed.text);
  assert.deepEqual(numbers((await read('2026-04', HAL, token)).body), [
    'JPY 700 0 0 700',
    'USD 60.00 0.00 0.00 60.00',
    '@Tax, "quarter" 25.00 0.00 1.00 24.00',
    'Rent 15.00 1.00 0.00 16.00',
  ]);
});

test('the statement as CSV is safe in spreadsheets', async () => {
  const { read, tax, rent } = await openHistory();
  const { headers, text } = await read('2026-03?currency=USD', 'text/csv');
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
  assert.match(String(headers['content-disposition']), /^attachment; filename="statement-2026-03-[0-9a-f-]{36}\.csv"$/);
  const [first, ...lines] = text.split('\r\n');
  assert.equal(
    first,
    'type,currency,label,name,created,sequence,entry,transfer,kind,reference,amount,balance,correlationId,externalId',
  );
  assert.equal(lines.pop(), '');
  const shown = lines.map((line) =>
    line
      .replaceAll(idOf(tax), 'TAX')
      .replaceAll(idOf(rent), 'RENT')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME')
      .replace(/[0-9a-f-]{36}/g, 'ID'),
  );
  const name = `"'@Tax, ""quarter"""`;
  assert.deepEqual(shown, [
    'opening,USD,,,,0,,,,,,0.00,,',
    "entry,USD,,,TIME,1,ID,ID,deposit,'=SUM(A1:A9),100.00,100.00,,",
    'entry,USD,,,TIME,2,ID,ID,label,,-40.00,60.00,,',
    'total in,USD,,,,,,,,,100.00,,,',
    'total out,USD,,,,,,,,,40.00,,,',
    'closing,USD,,,,2,,,,,,60.00,,',
    `opening,USD,TAX,${name},,0,,,,,,0.00,,`,
    `entry,USD,TAX,${name},TIME,1,ID,ID,label,,40.00,40.00,,`,
    `entry,USD,TAX,${name},TIME,2,ID,ID,reallocation,March,-15.00,25.00,,`,
    `total in,USD,TAX,${name},,,,,,,40.00,,,`,
    `total out,USD,TAX,${name},,,,,,,15.00,,,`,
    `closing,USD,TAX,${name},,2,,,,,,25.00,,`,
    'opening,USD,RENT,Rent,,0,,,,,,0.00,,',
    'entry,USD,RENT,Rent,TIME,1,ID,ID,reallocation,March,15.00,15.00,,',
    'total in,USD,RENT,Rent,,,,,,,15.00,,,',
    'total out,USD,RENT,Rent,,,,,,,0.00,,,',
    'closing,USD,RENT,Rent,,1,,,,,,15.00,,',
  ]);
});

test('chooses the form by Accept, and refuses what is no statement', async () => {
  const { read, send, at, client, newClient, newCustomer, newLabel, customer, token } = await openHistory();
  for (const [accept, type] of [
    ['*/*', HAL],
    ['text/html, */*;q=0.1', HAL],
    ['text/csv', 'text/csv'],
    ['text/*', 'text/csv'],
    ['application/pdf, text/csv;q=0.9', PDF],
    [`text/csv;q=0.2, ${HAL};q=0.3`, HAL],
  ] as const) {
    const { headers } = await read('2026-03', accept);
    assert.equal(String(headers['content-type']).split(';')[0], type, accept);
  }
  assertRefused(await read('2026-03', 'text/html'), { status: 406, code: 'InvalidVersion' });
  const head = await send('HEAD', `${customer}/statements/2026-03`, { token, headers: { accept: PDF } });
  assert.deepEqual([head.status, head.headers['content-type'], head.text], [200, PDF, '']);
  assert.equal(head.headers['content-length'], undefined, 'RFC 9110, section 8.6: the length of the content of GET, or none');

  for (const month of ['2026-04', '2026-13', '2026-00', '2026-3', '1969-12', '0000-01', '2026', 'x', '2026-03-01', '%20'])
    assertRefused(await read(month), { status: 404, code: 'NotFound' });
  for (const zone of ['Mars/Olympus', '+01:00', '', 'UTC;x', 'Europe%2FBerlin%00'])
    assertRefused(await read(`2026-03?zone=${zone}`), { status: 400, code: 'ValidationError', path: '/query/zone' });
  for (const currency of ['usd', 'XYZ', ''])
    assertRefused(await read(`2026-03?currency=${currency}`), { status: 400, code: 'ValidationError', path: '/query/currency' });
  assertRefused(await read('2026-03?label=7'), { status: 400, code: 'ValidationError', path: '/query/label' });
  const foreign = await newLabel(await newCustomer({ available: '1.00' }), '1.00');
  for (const label of [idOf(foreign), idOf(customer), '01890000-0000-7000-8000-000000000000'])
    assertRefused(await read(`2026-03?label=${label}`), { status: 404, code: 'NotFound', message: 'Label not found' });
  for (const other of [(await newClient()).token, (await newClient(['write'], client.account_id)).token])
    assertRefused(await read('2026-03', HAL, other), { status: 403, code: 'Forbidden' });
  assertRefused(await read('2026-03', HAL, ''), { status: 401, code: 'InvalidAccessToken' });

  // The first of April comes earlier in Auckland.
  const evening = await at('2026-03-31T12:00:00Z');
  assert.equal((await read('2026-04?zone=Pacific/Auckland', HAL, evening)).status, 200);
  assertRefused(await read('2026-04', HAL, evening), { status: 404, code: 'NotFound' });
  now -= 21 * DAY_MS;
  assert.equal((await read('2026-03', HAL, token)).status, 200);
});
