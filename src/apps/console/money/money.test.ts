// The screen Money: search, one transfer, and moves with a confirmation, once per form.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { openAccount, startService } from '../../../../test/support/service.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after });
const HOSTILE = '"><script>alert(1)</script>';

test('a transfer is found by each of its texts, its amount and its day, and shows both entries', async () => {
  const { load } = await openSession(shared, 'viewer');
  const { customer, from, to } = await shared.newLabels();
  const reallocation = await shared.create('/label-reallocations', {
    ...shared.reallocation(from, to, '5.43'),
    reference: HOSTILE,
    correlationId: 'order 77',
  });
  const id = idOf(reallocation);
  const day = new Date().toISOString().slice(0, 10);
  for (const query of [`search=${id}`, `search=${encodeURIComponent(HOSTILE)}`, 'search=order+77', `amount=5.43&day=${day}`]) {
    const { text } = await load(`/console/money?${query}`);
    assert.deepEqual(
      [...text.matchAll(/money\/transfers\/([0-9a-f-]{36})/g)].map(([, found]) => found),
      [id],
      query,
    );
    assert.ok(!text.includes('<script>alert') && text.includes('>Example Works</a>'), query);
  }
  const { text } = await load(`/console/money/transfers/${id}`);
  assert.ok(!text.includes('<script>alert') && text.includes('order 77') && text.includes(idOf(customer)));
  assert.doesNotMatch(text, /retention period|No subscription got/, 'the event of a new transfer is still to come');
  const [row] = await shared.sql<{ fromBalance: bigint; toBalance: bigint }>`
    select from_balance, to_balance from transfer where id = ${id}`;
  for (const minor of [row!.fromBalance, row!.fromBalance + 543n, row!.toBalance, row!.toBalance - 543n])
    assert.ok(text.includes((Number(minor) / 100).toFixed(2)), `${minor}`);
  for (const query of ['amount=x', 'day=2026-02-31x', 'search=nothing+here', 'after=x&before=y'])
    assert.equal((await load(`/console/money?${query}`)).status, 200, query);
  assert.equal((await load(`/console/money/transfers/${idOf(customer)}`)).status, 404);
});

test('a text finds the transfers that have it as external id, reference or correlation id, each once, on the page and as CSV', async () => {
  const { load } = await openSession(shared, 'viewer');
  const customer = await shared.newCustomer({ available: '100.00' });
  const amount = { value: '1.00', currency: 'USD' };
  const text = 'INV-2026-31';
  const [one, two, three] = [
    idOf(await shared.create(`${customer}/deposits`, { amount, externalId: text })),
    idOf(await shared.create(`${customer}/deposits`, { amount, reference: text })),
    idOf(await shared.create(`${customer}/withdrawals`, { amount, reference: text })),
  ];
  const shown = async (query: string) =>
    [...(await load(`/console/money?${query}`)).text.matchAll(/money\/transfers\/([0-9a-f-]{36})/g)].map(([, id]) => id!);
  const saved = async (query: string) =>
    (await load(`/console/money/transfers.csv?${query}`)).text.match(/(?<=Z,)[0-9a-f-]{36}(?=,)/g) ?? [];
  assert.deepEqual(await shown(`search=${text}`), [three, two, one]);
  assert.deepEqual(await saved(`search=${text}`), [three, two, one]);

  const { from, to } = await shared.newLabels();
  const about = [{ reference: one }, { correlationId: one }, { reference: one, correlationId: one }];
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      shared.create('/label-reallocations', { ...shared.reallocation(from, to, '0.01'), ...about[index % 3] }),
    ),
  );
  const found = await saved(`search=${one}`);
  assert.deepEqual([found[0], found.length], [one, 61], 'the transfer with the id, and those that name it, over two pages');
  assert.deepEqual(found.toSorted(), [one, ...made.map(idOf)].toSorted());
  assert.equal((await shown(`search=${one}`)).length, 50);
});

test('a currency alone narrows the list and its file, and an amount without one is in USD', async () => {
  const { load } = await openSession(shared, 'viewer');
  const customer = await shared.newCustomer();
  const deposit = async (currency: string) =>
    idOf(await shared.create(`${customer}/deposits`, { amount: { value: '3.21', currency } }));
  const [euros, pounds] = [await deposit('EUR'), await deposit('GBP')];
  const { text } = await load('/console/money?currency=eur');
  assert.ok(text.includes(euros) && !text.includes(pounds) && text.includes('Matches'));
  assert.match(text, /name="currency" value="EUR"/);
  const file = (await load('/console/money/transfers.csv?currency=EUR')).text;
  assert.ok(file.includes(euros) && !/,(GBP|USD),/.test(file), file.slice(0, 500));
  const any = (await load('/console/money')).text;
  assert.ok(any.includes(euros) && any.includes(pounds));
  assert.match(any, /name="currency" value maxlength/);
  assert.match((await load('/console/money?amount=3.21')).text, /is read as 3\.21 USD/);
});

test('a move is confirmed with the balances afterwards, happens once per form, and is in the audit log', async () => {
  const { load, submit, operator } = await openSession(shared, 'finance');
  const customer = await shared.newCustomer({ available: '100.00' });
  const id = idOf(customer);
  const label = idOf(await shared.newLabel(customer, '30.00'));
  const other = idOf(await shared.newLabel(customer, '0.00'));
  const moves = [
    { from: 'outside', to: 'available', after: '80.00' },
    { from: 'available', to: 'outside', after: '70.00' },
    { from: 'available', to: label, after: '40.00' },
    { from: label, to: 'available', after: '30.00' },
    { from: label, to: other, after: '20.00' },
  ];
  for (const { after, ...sides } of moves) {
    const query = new URLSearchParams({ customer: id, ...sides, amount: '10.00', currency: 'USD', reference: 'by hand' });
    const { text } = await load(`/console/money/move?${query}`);
    assert.ok(text.includes(`<b>${after}</b>`), `${after} in ${text.replace(/<[^>]+>/g, ' ').slice(-600)}`);
    const key = /name="key" value="([^"]+)"/.exec(text)?.[1] ?? /value="([^"]+)" *name="key"/.exec(text)![1]!;
    const back = /href="([^"]+edit=yes)"/.exec(text)![1]!.replaceAll('&amp;', '&');
    const again = (await load(back)).text;
    assert.ok(again.includes('value="10.00"') && again.includes('value="by hand"'), 'Back keeps what was typed');
    const form = { ...Object.fromEntries(query), key };
    const [first, second] = [await submit('/console/money/move', form), await submit('/console/money/move', form)];
    assert.equal(first.status, 303, first.text);
    assert.equal(first.headers.location, second.headers.location, 'the second form is a repetition');
    assert.equal((await load(first.headers.location!)).status, 200);
    const [row] = await shared.sql<{ total: bigint }>`
      select count(*) as total from transfer where customer_id = ${id} and reference = 'by hand'`;
    assert.equal(Number(row!.total), moves.findIndex(({ from, to }) => from === sides.from && to === sides.to) + 1);
  }
  const plain = (await load(`/console/money/move?customer=${id}`)).text;
  const chosen = [...plain.matchAll(/<option value="([^"]+)" selected/g)].map(([, value]) => value!);
  assert.deepEqual(chosen.toSorted(), [label, other].toSorted(), 'from label to label');
  const euros = await Promise.all(
    ['A', 'B'].map((name) => shared.create(`${customer}/labels`, { name, amount: { value: '0', currency: 'EUR' } })),
  );
  const [one, two] = euros.map(idOf) as [string, string];
  const inEuros = new URLSearchParams({ customer: id, from: one, to: two, amount: '1', currency: 'USD' });
  assert.match(
    (await load(`/console/money/move?${inEuros}`)).text,
    /Only 0\.00 EUR is there/,
    'the currency is that of the label',
  );
  const mixed = new URLSearchParams({ customer: id, from: label, to: two, amount: '1', currency: 'USD' });
  assert.match((await load(`/console/money/move?${mixed}`)).text, /The label is in (USD|EUR)/);
  const unsaid = new URLSearchParams({ customer: id, from: 'outside', to: 'available', amount: '1', currency: 'USD' });
  assert.match((await load(`/console/money/move?${unsaid}`)).text, /why money enters or leaves/);
  const about = await listAudit(shared.sql, { operatorId: operator.id, action: 'move_money' }, 20);
  assert.deepEqual([about.length, about[0]!.detail.amount], [10, '10.00']);
  const asked = await listAudit(shared.sql, { resourceId: id, action: 'ask_for_move' }, 20);
  assert.equal(asked.length, 10);
  assert.doesNotMatch(JSON.stringify([about, asked]), /by hand/, 'a reference can be erased');
});

test('Back to the confirmation, and its button again, moves nothing more; a new form does', async () => {
  const { load, submit } = await openSession(shared, 'finance');
  const customer = await shared.newCustomer({ available: '10.00' });
  const fields = {
    customer: idOf(customer),
    from: 'outside',
    to: 'available',
    amount: '7.11',
    currency: 'USD',
    reference: 'twice',
  };
  const keyOn = async (path: string) => /name="key" value="([^"]+)"/.exec((await load(path)).text)![1]!;
  const form = `/console/money/move?customer=${fields.customer}`;
  const confirm = async (key: string) => {
    const confirmation = `/console/money/move?${new URLSearchParams({ ...fields, key })}`;
    const { text } = await load(confirmation);
    assert.doesNotMatch(/href="([^"]+edit=yes)"/.exec(text)![1]!, /key=/, 'what is changed is another form');
    return (await submit('/console/money/move', { ...fields, key: await keyOn(confirmation) })).headers.location!;
  };
  const [one, other] = [await keyOn(form), await keyOn(form)];
  const [first, again, next] = [await confirm(one), await confirm(one), await confirm(other)];
  assert.match(first, /done=moved/);
  assert.equal(again, first);
  assert.notEqual(next, first);
  assert.equal((await shared.get(`${customer}/balance`)).balances[0].available.value, '24.22');
});

test('a form works for half a day by the clock of its account, so an old tab moves nothing again', async () => {
  const { load, submit } = await openSession(shared, 'finance');
  const account = await openAccount(shared);
  const customer = await account.newCustomer({ available: '100.00' });
  const fields = {
    ...{ customer: idOf(customer), from: 'available', to: 'outside', amount: '10.00', currency: 'USD', reference: 'rent' },
  };
  const confirmation = async (more = {}) =>
    (await load(`/console/money/move?${new URLSearchParams({ ...fields, ...more })}`)).text;
  const key = /name="key" value="([^"]+)"/.exec(await confirmation())![1]!;
  const send = () => submit('/console/money/move', { ...fields, key });
  // A token lasts an hour.
  const token = async () => account.tokenOf(account.client);
  const advance = async (hours: number) =>
    account.call('POST', '/sandbox/clock', { body: { advanceSeconds: hours * 3600 }, token: await token() });
  const [first, second] = await Promise.all([send(), send()]);
  await advance(11);
  const third = await send();
  assert.equal(first.status, 303, first.text);
  assert.deepEqual([second.headers.location, third.headers.location], [first.headers.location, first.headers.location]);
  await advance(14);
  const late = await send();
  assert.deepEqual([late.status, /Open the form again\. It works for 12 hours\./.test(late.text)], [400, true]);
  assert.ok((await confirmation({ key })).includes(`value="${key}"`), 'the address of the old tab makes no new form');
  const { body } = await account.call('GET', `${customer}/balance`, { token: await token() });
  assert.equal(body.balances[0].available.value, '90.00');
});

test('a reallocation is reversed in parts, once per form, and never more than it moved', async () => {
  const { load, submit, operator } = await openSession(shared, 'finance');
  const { from, to } = await shared.newLabels('50.00');
  const id = idOf(await shared.create('/label-reallocations', shared.reallocation(from, to, '20.00')));
  const path = `/console/money/transfers/${id}`;
  assert.ok((await load(path)).text.includes(`href="${path}/reverse"`));
  assert.match((await load(`${path}/reverse`)).text, /value="20\.00"/, 'all of it is offered');
  assert.match((await load(`${path}/reverse?amount=20.01`)).text, /Only 20\.00 USD is left to reverse/);
  const confirmed = await load(`${path}/reverse?amount=15.00&reference=by+mistake`);
  assert.match(confirmed.text, /<b>45\.00<\/b>/, 'the balance afterwards');
  const key = /name="key" value="([^"]+)"/.exec(confirmed.text)![1]!;
  const form = { amount: '15.00', reference: 'by mistake', key };
  const [first, second] = [await submit(`${path}/reverse`, form), await submit(`${path}/reverse`, form)];
  assert.deepEqual([first.status, first.headers.location], [303, second.headers.location]);
  assert.equal((await shared.get(from)).amount.value, '45.00');
  assert.match((await load(first.headers.location!.split('?')[0]!)).text, new RegExp(`href="${path}"`), 'it names its original');
  assert.match((await load(path)).text, /15\.00 USD in all/);
  const other = /name="key" value="([^"]+)"/.exec((await load(`${path}/reverse`)).text)![1]!;
  assert.equal((await submit(`${path}/reverse`, { amount: '5.01', key: other })).status, 400);
  assert.equal((await submit(`${path}/reverse`, { amount: '5.00', key: other })).status, 303);
  assert.ok(!(await load(path)).text.includes(`href="${path}/reverse"`));
  assert.match((await load(`${path}/reverse`)).text, /All of it is reversed already/);
  const entries = await listAudit(shared.sql, { operatorId: operator.id, action: 'move_money' }, 9);
  assert.deepEqual([entries.length, entries[0]!.detail.reverses], [3, id]);
  const reversal = first.headers.location!.split('?')[0]!;
  assert.equal((await load(`${reversal}/reverse`)).status, 404, 'a reversal is not reversed');
  const viewer = await openSession(shared, 'viewer');
  assert.equal((await viewer.submit(`${path}/reverse`, form)).status, 403);
});

test('an amount is moved, reversed and found as typed: an ambiguous comma is refused, and complete groups are read', async () => {
  const { load, submit } = await openSession(shared, 'finance');
  const customer = await shared.newCustomer({ available: '9000.00' });
  const [from, to] = [await shared.newLabel(customer, '9000.00'), await shared.newLabel(customer, '0.00')];
  const id = idOf(await shared.create('/label-reallocations', shared.reallocation(from, to, '2000.00')));
  const move = { customer: idOf(customer), from: 'outside', to: 'available', reference: 'invoice 5' };
  const pathOf = (name: string, amount: string, currency = 'USD') => {
    if (name === 'move') return `/console/money/move?${new URLSearchParams({ ...move, amount, currency })}`;
    if (name === 'reverse') return `/console/money/transfers/${id}/reverse?${new URLSearchParams({ amount })}`;
    return `/console/money?${new URLSearchParams({ amount, currency })}`;
  };
  const ambiguous = [
    '12,50',
    '1,2,5',
    '1,25',
    '12,5000',
    '1,250,00',
    '1.250,00',
    '0,500',
    '1234,567',
    ',500',
    '1,,250',
    '1,250.00,',
  ];
  for (const name of ['move', 'reverse', 'search']) {
    for (const amount of ambiguous) {
      const { text } = await load(pathOf(name, amount));
      assert.ok(text.includes(`“${amount}” is ambiguous`) && !text.includes('is read as'), `${name} ${amount}`);
    }
    for (const amount of ['1,250.00', '1,250', '1250', '1250.0']) {
      const { text } = await load(pathOf(name, amount));
      assert.match(text.replace(/<[^>]+>/g, ''), new RegExp(`“${amount}” is read as 1,250\\.00 USD`), `${name} ${amount}`);
    }
  }
  assert.match((await load(pathOf('move', '1,250', 'KWD'))).text, /“1,250” is ambiguous/, 'a currency with three decimals');
  assert.match((await load(pathOf('move', '1,250.000', 'KWD'))).text, /<b>1,250\.000 KWD/);
  assert.match((await load(pathOf('move', '1,250', 'JPY'))).text, /<b>1,250 JPY/);

  const { text } = await load(pathOf('move', '1,250'));
  const key = /name="key" value="([^"]+)"/.exec(text)![1]!;
  assert.equal(/name="amount" value="([^"]+)"/.exec(text)![1], '1250.00', 'the form sends what was confirmed');
  const form = { ...move, currency: 'USD', key };
  const reverse = `/console/money/transfers/${id}/reverse`;
  for (const [path, fields] of [
    ['/console/money/move', form],
    [reverse, { key }],
  ] as const) {
    const refused = await submit(path, { ...fields, amount: '12,50' });
    assert.ok(refused.status === 400 && refused.text.includes('“12,50” is ambiguous'), path);
  }
  const before = BigInt((await shared.get(`${customer}/balance`)).balances[0].available.value.replace('.', ''));
  assert.equal((await submit('/console/money/move', { ...form, amount: '1250.00' })).status, 303);
  const after = BigInt((await shared.get(`${customer}/balance`)).balances[0].available.value.replace('.', ''));
  assert.equal(after - before, 125_000n);
});

test('what the ledger would refuse is said before and after the confirmation, and only finance moves money', async () => {
  const { load, submit } = await openSession(shared, 'finance');
  const customer = await shared.newCustomer({ available: '5.00' });
  const form = { customer: idOf(customer), from: 'available', to: 'outside', amount: '9.00', currency: 'USD', reference: 'rent' };
  const shown = await load(`/console/money/move?${new URLSearchParams(form)}`);
  assert.match(shown.text, /Only 5\.00 USD is there/);
  assert.doesNotMatch(shown.text, /Move the money/);
  const key = /name="key" value="([^"]+)"/.exec(shown.text)![1]!;
  const refused = await submit('/console/money/move', { ...form, key });
  assert.ok(refused.status === 400 && refused.text.includes('Insufficient funds: 5.00 USD available.'), refused.text);
  for (const wrong of [{ to: 'available' }, { from: 'outside', to: 'elsewhere' }, { amount: '-1' }, { amount: '0' }, { key: '' }])
    assert.equal((await submit('/console/money/move', { ...form, key, ...wrong })).status, 400, JSON.stringify(wrong));
  for (const role of ['viewer', 'reviewer', 'operator'] as const) {
    const person = await openSession(shared, role);
    assert.equal((await person.load(`/console/money/move?customer=${form.customer}`)).status, 403, role);
    assert.equal((await person.submit('/console/money/move', { ...form, amount: '1.00', key })).status, 403, role);
    assert.equal((await person.load('/console/money')).status, role === 'viewer' ? 200 : 403, role);
  }
});
