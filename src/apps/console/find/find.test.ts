// Finding by any id or text: the page, and the results of the palette, by the rights of the person.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openHolds } from '../../../../test/support/holds.ts';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { legId } from '../../../core/ids.ts';

const shared = await startService({ after });
const admin = await openSession(shared, 'admin');

type Session = Awaited<ReturnType<typeof openSession>>;

/** What a person finds: the addresses of each group. The page has the same links. */
async function found({ load }: Session, q: string): Promise<Record<string, string[]>> {
  const query = new URLSearchParams({ q });
  const answer = await load(`/console/find/results?${query}`);
  assert.equal(answer.status, 200, answer.text);
  const groups: { name: string; hits: { href: string }[] }[] = JSON.parse(answer.text).groups;
  const { text } = await load(`/console/find?${query}`);
  for (const { hits } of groups) {
    for (const { href } of hits) assert.ok(text.includes(`href="${href.replaceAll('&', '&amp;')}"`), `${href} is on the page`);
  }
  return Object.fromEntries(groups.map(({ name, hits }) => [name, hits.map(({ href }) => href)]));
}

test('everything with an id is found by it, and nothing that the person may not see', async () => {
  const { customer, label, newHold, ...account } = await openHolds(shared);
  const hold = await newHold('10.00');
  const monitor = await account.create(`${label}/monitors`, { below: { value: '1.00', currency: 'USD' } });
  const deposit = await account.create(`${customer}/deposits`, { amount: { value: '3.00', currency: 'USD' } });
  const subscription = await account.create('/webhook-subscriptions', {
    url: 'https://example.com/hook',
    secret: 'a secret of the test',
  });
  const [viewer, operator] = [await openSession(shared, 'viewer'), await openSession(shared, 'operator')];
  const planned = `/console/customers/${idOf(customer)}#planned`;
  const all = {
    [idOf(customer)]: [`/console/customers/${idOf(customer)}`, admin, viewer, operator],
    [idOf(label)]: [`/console/money/accounts/${idOf(label)}`, admin, viewer],
    [idOf(hold)]: [`/console/customers/${idOf(customer)}/holds/${idOf(hold)}`, admin, viewer],
    [idOf(monitor)]: [planned, admin, viewer],
    [idOf(deposit)]: [`/console/money/transfers/${idOf(deposit)}`, admin, viewer],
    [legId(idOf(deposit), 'to')]: [`/console/money/transfers/${idOf(deposit)}`, admin, viewer],
    [idOf(subscription)]: [`/console/webhooks/${idOf(subscription)}`, admin, operator],
    [admin.operator.id]: [`/console/people/${admin.operator.id}`, admin],
    [account.client.client_id]: [`/console/applications/${account.client.client_id}`, admin, operator],
  } as const;
  for (const [id, [href, ...allowed]] of Object.entries(all)) {
    for (const session of [admin, viewer, operator]) {
      const hits = (await found(session, id))['With this id'] ?? [];
      assert.deepEqual(
        hits,
        (allowed as readonly Session[]).includes(session) ? [href] : [],
        `${id} by ${session.operator.roles}`,
      );
    }
  }
  assert.deepEqual(await found(admin, '01890000-0000-7000-8000-000000000000'), {});
});

test('customers, labels and transfers are found by text, each by the rights of the person', async () => {
  const customer = await shared.newCustomer({
    available: '100.00',
    form: { businessName: 'Kestrel & Söhne', email: 'office@kestrel.example', externalId: 'crm-4711' },
  });
  const payroll = await shared.create(`${customer}/labels`, { name: 'Payroll', amount: { value: '1.00', currency: 'USD' } });
  const deposit = await shared.create(`${customer}/deposits`, {
    ...{ amount: { value: '7.00', currency: 'USD' }, reference: 'INV 2026 "7"', externalId: 'bank-line-99' },
  });
  const href = `/console/customers/${idOf(customer)}`;
  const label = `/console/money/accounts/${idOf(payroll)}`;
  const transfer = `/console/money/transfers/${idOf(deposit)}`;
  for (const text of ['kestrel', 'SOHNE', 'crm-4711']) assert.equal((await found(admin, text)).Customers?.[0], href, text);
  assert.deepEqual((await found(admin, 'kestrel')).Labels, [label]);
  assert.deepEqual((await found(admin, 'kestrel payr')).Labels, [label], 'the customer, then the label');
  for (const text of ['INV 2026 "7"', 'bank-line-99']) assert.deepEqual((await found(admin, text)).Transfers, [transfer], text);
  assert.deepEqual((await found(admin, '7.00')).Transfers, ['/console/money?amount=7.00']);
  assert.equal((await found(admin, 'office@kestrel.example')).Customers?.[0], href);
  const [viewer, reviewer] = [await openSession(shared, 'viewer'), await openSession(shared, 'reviewer')];
  assert.deepEqual(await found(viewer, 'office@kestrel.example'), {}, 'e-mail is personal data');
  assert.deepEqual(Object.keys(await found(reviewer, 'kestrel')), ['Customers'], 'a reviewer reads no money');
  assert.deepEqual(await found(reviewer, 'bank-line-99'), {});
  const page = (await admin.load('/console/find?q=%3Cscript%3Enothing')).text;
  assert.ok(page.includes('Nothing found') && !page.includes('<script>nothing'));
});

test('a label is found by its own name, and with its customer in any order, also among many with the name of the customer', async () => {
  const customer = await shared.newCustomer({ available: '5.00', form: { businessName: 'Plover Example' } });
  const label = await shared.create(`${customer}/labels`, { name: 'Zakat reserve', amount: { value: '1.00', currency: 'USD' } });
  for (let count = 0; count < 8; count++)
    await shared.newCustomer({ form: { businessName: `Dunlin ${count}`, email: `d${count}@plover.example` } });
  const href = `/console/money/accounts/${idOf(label)}`;
  for (const text of ['ZAKAT', 'zakat res', 'plover reserve', 'reserve plover'])
    assert.deepEqual((await found(admin, text)).Labels, [href], text);
  const [viewer, reviewer] = [await openSession(shared, 'viewer'), await openSession(shared, 'reviewer')];
  assert.deepEqual((await found(viewer, 'zakat')).Labels, [href]);
  assert.deepEqual(await found(reviewer, 'zakat'), {});
});

test('an owner is found by name with the documents, and a customer with those of its owners', async (t) => {
  const service = await openUploads(t);
  const [admin, viewer] = [await openSession(service, 'admin'), await openSession(service, 'viewer')];
  const customer = await service.newCustomer({ businessName: 'Sandpiper Works' });
  const owner = await service.newOwner({ lastName: 'Fennel-Moss' }, { customer });
  const document = `/console/review/${idOf(await service.submitted(owner))}`;
  const person = `/console/customers/owners/${idOf(owner)}`;
  for (const text of ['fennel', 'Fennel-Moss', 'document fen']) {
    const { Owners, Documents } = await found(admin, text);
    assert.deepEqual([Owners, Documents], [[person], [document]], text);
  }
  assert.deepEqual(await found(viewer, 'fennel'), { Owners: [person] }, 'a viewer opens no documents');
  assert.deepEqual((await found(admin, 'sandpiper')).Documents, [document]);
});

test('applications and subscriptions are found by a part of their names and addresses, and what is done is found by other words', async () => {
  const subscription = await shared.create('/webhook-subscriptions', {
    ...{ url: 'https://hooks.plover.example/in', secret: 'a secret of the test' },
  });
  const operator = await openSession(shared, 'operator');
  assert.deepEqual((await found(operator, 'HOOKS.plover')).Webhooks, [`/console/webhooks/${idOf(subscription)}`]);
  assert.deepEqual((await found(admin, admin.operator.name.toUpperCase())).People, [`/console/people/${admin.operator.id}`]);
  assert.equal((await found(operator, admin.operator.name)).People, undefined);
  const [{ name }] = (await shared.sql<{ name: string }>`select name from application where id = ${shared.client.client_id}`) as [
    { name: string },
  ];
  assert.ok((await found(operator, name)).Applications?.includes(`/console/applications/${shared.client.client_id}`));
  const viewer = await openSession(shared, 'viewer');
  for (const text of ['HOOKS.plover', name]) assert.deepEqual(await found(viewer, text), {}, text);
  for (const text of ['refund', 'payout', 'reconciliation', 'kyc', 'dashboard'])
    assert.ok((await found(admin, text))['Pages and actions'], text);
  const customer = await shared.newCustomer({ form: { businessName: 'Whimbrel' } });
  const { Customers } = await found(admin, 'whimbrel');
  assert.deepEqual(Customers, [
    `/console/customers/${idOf(customer)}`,
    `/console/customers/${idOf(customer)}/ledger`,
    `/console/money/move?customer=${idOf(customer)}`,
  ]);
  assert.equal((await found(viewer, 'whimbrel')).Customers?.length, 2, 'a viewer moves no money');
});

test('pages and actions are found by the beginnings of words, and only those that the person may open', async () => {
  const places = async (session: Session, text: string) => (await found(session, text))['Pages and actions'] ?? [];
  assert.ok((await places(admin, 'web')).includes('/console/webhooks'));
  assert.deepEqual(await places(admin, 'clo mon'), ['/console/close']);
  const viewer = await openSession(shared, 'viewer');
  assert.deepEqual(await places(viewer, 'create'), []);
  for (const href of await places(viewer, '')) assert.equal((await viewer.load(href.split('#')[0]!)).status, 200, href);
  for (const href of await places(admin, '')) assert.equal((await admin.load(href.split('#')[0]!)).status, 200, href);
  assert.equal((await shared.send('GET', '/console/find/results?q=x')).status, 403, 'not without a person');
});
