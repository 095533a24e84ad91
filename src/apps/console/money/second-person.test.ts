// Above the limit of an account a second person of finance confirms a move: it is carried out once, whatever happens in between.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openHolds } from '../../../../test/support/holds.ts';
import { idOf } from '../../../../test/support/http.ts';
import { type Browser, openSession } from '../../../../test/support/operators.ts';
import { runCli, runCliJson, settingsOf } from '../../../../test/support/process.ts';
import { startService } from '../../../../test/support/service.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';
import { approveRequest } from '../../../resources/change-requests/decide-request.ts';

const shared = await startService({ after }, { env: { FOUR_EYES: 'true' } });
const REQUEST = /^\/console\/people\/requests\/[0-9a-f-]{36}$/;
const LIMIT = '100.00';

const [one, other, third, admin] = [
  await openSession(shared, 'finance'),
  await openSession(shared, 'finance'),
  await openSession(shared, 'finance'),
  await openSession(shared, 'admin'),
];

/** Sets the limit of an account as an administrator does. */
async function setLimit(amount: string, account = shared.client.account_id) {
  return admin.submit(`/console/policies/${account}/limits`, { currency: 'usd', amount });
}
assert.equal((await setLimit(LIMIT)).headers.location?.split('?')[1], 'done=limited#limits');

/** The page of the request that a form led to. */
function requestOf({ status, headers, text }: Awaited<ReturnType<Browser['submit']>>): string {
  const path = String(headers.location).split('?')[0]!;
  assert.ok(status === 303 && REQUEST.test(path), `${status} ${headers.location} ${text.slice(0, 2000)}`);
  return path;
}

async function keyOn(path: string): Promise<string> {
  return /name="key" value="([^"]+)"/.exec((await one.load(path)).text)![1]!;
}

/** A customer with 500.00 USD available, and `ask`: a person asks to pay an amount out. */
async function openPayout() {
  const customer = await shared.newCustomer({ available: '500.00' });
  const formOf = (amount: string) => ({
    ...{ customer: idOf(customer), from: 'available', to: 'outside', amount, currency: 'USD', reference: 'supplier 7' },
  });
  const pathOf = (amount: string) => `/console/money/move?${new URLSearchParams(formOf(amount))}`;
  const ask = async (amount: string) =>
    requestOf(await one.submit('/console/money/move', { ...formOf(amount), key: await keyOn(pathOf(amount)) }));
  const available = async () => (await shared.get(`${customer}/balance`)).balances[0].available.value;
  return { customer, formOf, pathOf, ask, available };
}

/** What the audit log has about a resource, oldest first. */
async function auditOf(id: string) {
  return (await listAudit(shared.sql, { resourceId: id }, 20)).toReversed();
}

const textOf = ({ text }: { text: string }) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('up to the limit one person moves money; above it nothing moves until another one approves, once per form', async () => {
  const { customer, formOf, pathOf, ask, available } = await openPayout();
  const direct = await one.submit('/console/money/move', { ...formOf(LIMIT), key: await keyOn(pathOf(LIMIT)) });
  assert.match(direct.headers.location!, /^\/console\/money\/transfers\//);
  const confirmation = (await one.load(pathOf('100.01'))).text;
  assert.ok(confirmation.includes('One person moves up to 100.00 USD.') && confirmation.includes('>Ask a second person<'));
  const form = { ...formOf('100.01'), key: await keyOn(pathOf('100.01')) };
  const [asked, again] = [await one.submit('/console/money/move', form), await one.submit('/console/money/move', form)];
  const path = requestOf(asked);
  assert.equal(requestOf(again), path, 'sent twice, asked once');
  assert.equal((await one.submit('/console/money/move', { ...form, amount: '300' })).status, 400, 'the key is of another move');
  assert.equal(await available(), '400.00', 'nothing has moved');

  assert.match(textOf(await one.load(path)), /Somebody else who may do this has to approve it/);
  assert.deepEqual([(await one.submit(`${path}/approve`)).status, await available()], [403, '400.00'], 'not by the same person');
  for (const role of ['viewer', 'operator', 'reviewer'] as const) {
    const stranger = await openSession(shared, role);
    assert.equal((await stranger.load(path)).status, 404, role);
    assert.equal((await stranger.submit(`${path}/approve`)).status, 404, role);
  }
  const listed = (await other.load('/console/money')).text;
  assert.ok(listed.includes(path) && /Money<\/span>\s*<span[^>]*>\d+</.test(listed), 'it is listed and counted');
  const shown = textOf(await other.load(path));
  assert.ok(shown.includes('supplier 7') && shown.includes('400.00 −100.01 299.99'), shown);
  assert.equal((await other.submit(`${path}/approve`)).headers.location, `${path}?done=moved`);
  assert.equal(await available(), '299.99');
  const done = (await one.load(path)).text;
  const transfer = /money\/transfers\/([0-9a-f-]{36})/.exec(done)![1]!;
  assert.ok((await one.load(`/console/money/transfers/${transfer}`)).text.includes('100.01'));
  const late = await one.submit('/console/money/move', form);
  assert.equal(late.headers.location, `/console/money/transfers/${transfer}?done=moved`, 'the form leads to what it made');
  assert.equal(await available(), '299.99');

  assert.deepEqual(
    (await auditOf(path.split('/').at(-1)!)).map(({ action, actor }) => [action, actor]),
    [
      ['ask_for_change', one.operator.name],
      ['approve_change', other.operator.name],
    ],
  );
  const [moved, ...more] = await auditOf(transfer);
  const { askedBy, approvedBy, amount, request } = moved!.detail;
  assert.deepEqual(
    [more.length, moved!.action, askedBy, approvedBy, amount, request],
    [0, 'move_money', one.operator.name, other.operator.name, '100.01', path.split('/').at(-1)],
  );
  assert.deepEqual(
    (await auditOf(idOf(customer))).map(({ action }) => action),
    ['ask_for_move'],
  );
  const refused = await ask('250');
  await other.submit(`${refused}/refuse`);
  assert.equal((await third.submit(`${refused}/approve`)).status, 400);
  const withdrawn = await ask('250');
  await one.submit(`${withdrawn}/withdraw`);
  assert.equal((await third.submit(`${withdrawn}/approve`)).status, 400);
  assert.equal(await available(), '299.99');
});

test('the texts of a move are erased with its customer: the audit log has none, and its request is deleted', async (t) => {
  const { customer, formOf, available } = await openPayout();
  const fields = { ...formOf('500.00'), reference: 'Refund to Jane Q Doe' };
  const key = await keyOn(`/console/money/move?${new URLSearchParams(fields)}`);
  const path = requestOf(await one.submit('/console/money/move', { ...fields, key }));
  assert.equal((await other.submit(`${path}/approve`)).headers.location, `${path}?done=moved`);
  assert.equal(await available(), '0.00');
  await shared.call('POST', customer, { body: { status: 'deactivated' } });
  const erased = await runCli(t, ['customer', 'erase', idOf(customer), '--yes'], settingsOf(shared));
  assert.equal(erased.code, 0, erased.stderr);
  assert.equal((await one.load(path)).status, 404);
  const log = JSON.stringify(await runCliJson(t, ['audit-log', '--limit', '100'], settingsOf(shared)));
  assert.ok(log.includes('500.00') && !log.includes('Jane'), 'the entries of the move have no texts');
});

test('two approvals at once, and approvals of different people, move the money once', async () => {
  const { ask, available } = await openPayout();
  const path = await ask('200');
  const answers = await Promise.all([other, third, admin, other].map((person) => person.submit(`${path}/approve`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 400, 400, 400]);
  assert.equal(await available(), '300.00');
});

test('a service that stops between the approval and the move leaves a request that is carried out once when it is tried again', async () => {
  const { ask, available } = await openPayout();
  const path = await ask('200');
  const id = path.split('/').at(-1)!;
  const { operator } = other;
  // What the process has committed when it stops.
  await approveRequest(shared.service, { operatorId: operator.id, name: operator.name, place: '' }, id);
  assert.equal(await available(), '500.00');
  assert.match(textOf(await one.load(path)), /The money has not moved yet.*Carry it out/);
  assert.ok((await one.load('/console/money')).text.includes(path));
  assert.equal((await one.submit(`${path}/withdraw`)).status, 400, 'it may move');
  assert.equal((await third.submit(`${path}/refuse`)).status, 400, 'it may move');
  const tries = await Promise.all([one, third, other].map((person) => person.submit(`${path}/carry-out`)));
  assert.ok(tries.some(({ status }) => status === 303));
  assert.equal(await available(), '300.00');

  // It stops after the ledger has posted, before the outcome is noted.
  const forget = () => shared.sql`update change_request set performed = null, result = null where id = ${id}`;
  await forget();
  assert.equal((await one.submit(`${path}/carry-out`)).status, 303);
  assert.equal(await available(), '300.00');
  await forget();
  await shared.sql`update change_request set expires = now() - interval '1 hour' where id = ${id}`;
  assert.match(textOf(await one.load(path)), /nobody knows here whether the money moved.*Ask the ledger/);
  assert.equal((await one.submit(`${path}/carry-out`)).status, 303);
  assert.match(textOf(await one.load(path)), /The money is moved/);

  const late = await ask('100.01');
  const lateId = late.split('/').at(-1)!;
  await approveRequest(shared.service, { operatorId: operator.id, name: operator.name, place: '' }, lateId);
  await shared.sql`update change_request set expires = now() - interval '1 hour' where id = ${lateId}`;
  assert.equal((await one.submit(`${late}/carry-out`)).status, 400, 'an expired approval moves nothing');
  assert.equal(await available(), '300.00');
});

test('a move that the ledger refuses says why, and stays refused when there is enough', async () => {
  const { ask, available, customer } = await openPayout();
  const path = await ask('400');
  await shared.create(`${customer}/withdrawals`, { amount: { value: '450.00', currency: 'USD' } });
  assert.match(textOf(await other.load(path)), /There is too little now/);
  assert.equal((await other.submit(`${path}/approve`)).headers.location, path);
  for (const person of [one, other])
    assert.match(
      textOf(await person.load(path)),
      /The ledger refused it, and nothing moved\. Insufficient funds: 50\.00 USD available/,
    );
  await shared.create(`${customer}/deposits`, { amount: { value: '950.00', currency: 'USD' } });
  assert.equal((await other.submit(`${path}/carry-out`)).status, 400);
  assert.equal(await available(), '1000.00');
  const entries = await auditOf(path.split('/').at(-1)!);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['ask_for_change', 'approve_change', 'fail_change'],
  );
  assert.match(String(entries[2]!.detail.refusal), /Insufficient funds/);
});

test('reversals, returns, entries of labels and captures above the limit wait too', async () => {
  const { client, customer, label, newHold, newLabel, create, reallocation, get } = await openHolds(shared);
  await setLimit(LIMIT, client.account_id);
  const usd = (value: string) => ({ amount: { value, currency: 'USD' } });
  const [from, to] = [await newLabel(customer, '0.00'), await newLabel(customer, '0.00')];
  await create(`${customer}/deposits`, usd('1000.00'));
  await create(`${from}/ledger-entries`, usd('400.00'));
  await create(`${label}/ledger-entries`, usd('100.00'));
  const moved = idOf(await create('/label-reallocations', reallocation(from, to, '200.00')));
  const paid = idOf(await create(`${customer}/withdrawals`, usd('150.00')));
  const hold = idOf(await newHold('120.00'));
  const id = idOf(customer);
  const money = '/console/money';
  const forms: [path: string, fields: Record<string, string>][] = [
    [`${money}/transfers/${moved}/reverse`, { amount: '150', reference: '' }],
    [`${money}/transfers/${paid}/return`, { amount: '150', reason: 'R02', reference: '', externalId: '' }],
    [`${money}/move`, { customer: id, from: 'available', to: idOf(from), amount: '120', currency: 'USD', reference: '' }],
    [`${money}/move`, { customer: id, from: idOf(from), to: idOf(to), amount: '101', currency: 'USD', reference: '' }],
    [`${money}/move`, { customer: id, from: 'outside', to: 'available', amount: '101', currency: 'USD', reference: 'invoice' }],
    [`/console/customers/${id}/holds/${hold}/capture`, { to: 'outside', amount: '110', rest: 'keep', reference: 'car' }],
  ];
  const count = async () =>
    Number((await shared.sql<{ n: bigint }>`select count(*) as n from transfer where customer_id = ${id}`)[0]!.n);
  const before = await count();
  const asked: string[] = [];
  for (const [path, fields] of forms) {
    const key = await keyOn(`${path}?${new URLSearchParams({ customer: id })}`);
    const confirmation = `${path}?${new URLSearchParams({ ...fields, key })}`;
    assert.match((await one.load(confirmation)).text, />Ask a second person</, path);
    // Back loads the confirmation again.
    const [request, again] = [
      requestOf(await one.submit(path, { ...fields, key: await keyOn(confirmation) })),
      requestOf(await one.submit(path, { ...fields, key: await keyOn(confirmation) })),
    ];
    assert.equal(again, request, path);
    asked.push(request);
  }
  assert.equal(await count(), before, 'nothing has moved');
  for (const [index, path] of asked.entries()) {
    assert.match((await other.load(path)).text, /Afterwards|Nothing/, path);
    const { headers, text } = await other.submit(`${path}/approve`);
    assert.equal(headers.location, `${path}?done=moved`, `${forms[index]![0]} ${text.slice(0, 900)}`);
    assert.equal(await count(), before + index + 1);
  }
  assert.equal((await get(`/holds/${hold}`)).captured.value, '110.00');
});

test('a schedule does not wait for a second person, so it moves up to the limit', async () => {
  const { customer } = await openPayout();
  const labels = [await shared.newLabel(customer, '0.00'), await shared.newLabel(customer, '0.00')];
  const path = `/console/customers/${idOf(customer)}/schedules/new`;
  const start = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16);
  const fields = { from: idOf(labels[0]!), to: idOf(labels[1]!), repeats: 'FREQ=DAILY', start, timeZone: 'UTC' };
  const send = async (terms: Record<string, string>) => one.submit(path, { ...fields, ...terms, key: await keyOn(path) });
  for (const terms of [{ kind: 'value', amount: '100.01' }, { kind: 'all' }, { kind: 'above', amount: '1' }] as Record<
    string,
    string
  >[]) {
    const { status, text } = await send(terms);
    assert.ok(status === 400 && text.includes('One person moves up to 100.00 USD'), `${JSON.stringify(terms)} ${status}`);
  }
  assert.equal((await send({ kind: 'value', amount: LIMIT })).status, 303);
});

test('the limit is lowered by one administrator, and raised or removed by two', async () => {
  const second = await openSession(shared, 'admin');
  const page = `/console/policies/${shared.client.account_id}`;
  for (const [fields, fault] of [
    [{ currency: 'XXX', amount: '5' }, /urrency/],
    [{ currency: 'USD', amount: '1,5' }, /ambiguous/],
    [{ currency: 'USD', amount: LIMIT }, /the limit already/],
    [{ currency: 'EUR', amount: '' }, /the limit already/],
  ] as const) {
    const { status, text } = await admin.submit(`${page}/limits`, fields);
    assert.ok(status === 400 && fault.test(text), `${JSON.stringify(fields)} ${status}`);
  }
  assert.equal((await one.submit(`${page}/limits`, { currency: 'USD', amount: '1' })).status, 403, 'not by finance');
  assert.match((await setLimit('50.00')).headers.location!, /done=limited/);
  const raised = requestOf(await setLimit('5000.00'));
  assert.match(textOf(await admin.load(page)), /USD 50\.00/);
  assert.equal((await admin.submit(`${raised}/approve`)).status, 403);
  assert.equal((await second.submit(`${raised}/approve`)).status, 303);
  assert.match(textOf(await admin.load(page)), /USD 5,000\.00/);
  requestOf(await setLimit(''));
  const log = (await listAudit(shared.sql, { action: 'set_move_limit' }, 9)).map(({ detail }) => detail.after);
  assert.deepEqual(log.slice(0, 2), ['5000.00 USD', '50.00 USD']);
});
