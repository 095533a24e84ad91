// Choosing labels: customers with more labels than a list holds choose them by name, and ledgers are filtered by label.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';

const shared = await startService({ after });
const { load, submit } = await openSession(shared, 'finance');
/** More than a list has. */
const MANY = 201;

const fieldText = (name: string, id: string) => `${name} …${id.slice(-8)}`;

/** Labels with names: `Oldest` is the first one, and `Twin` the name of two. */
async function openMany() {
  const customer = await shared.newCustomer({ available: '500.00' });
  const id = idOf(customer);
  const newLabel = async (name: string, value = '0') =>
    idOf(await shared.create(`${customer}/labels`, { name, amount: { value, currency: 'USD' } }));
  const [oldest, twin] = [await newLabel('Oldest', '100.00'), await newLabel('Twin', '5.00')];
  for (let count = 4; count <= MANY; count++) await newLabel(`Pocket ${count}`);
  return { customer, id, oldest, twin, other: await newLabel('Twin'), path: `/console/customers/${id}` };
}

test('a customer with many labels chooses them by name, and suggestions find all of them', async () => {
  const { customer, id, oldest, twin, other, path } = await openMany();
  const newHold = `${path}/holds/new`;
  const form = (await load(newHold)).text;
  assert.ok(!form.includes('<select class="input" id="of"') && form.includes('labels.js'), 'no list of all');
  assert.ok((form.match(/<option/g) ?? []).length < 50 && form.includes('<option value="Available USD"'));
  const suggested = JSON.parse((await load(`${path}/labels/choices?search=OLD`)).text);
  assert.deepEqual(suggested, [{ value: oldest, name: fieldText('Oldest', oldest), text: 'Oldest (100.00 USD available)' }]);
  const key = /name="key" value="([^"]+)"/.exec(form)![1]!;
  const hold = async (of: string, key: string) => submit(newHold, { of, amount: '1.00', key });
  for (const [of, message] of [
    ['Twin', /More than one label has the name “Twin”/],
    ['Nothing', /No label has the name “Nothing”/],
    ['', /Choose what to hold money of/],
    [fieldText('Oldest', twin).replace('Oldest', 'Old'), /No label has the name/],
  ] as const) {
    const { status, text } = await hold(of, key);
    assert.deepEqual([status, message.test(text)], [400, true], `${of}: ${text.replace(/<[^>]+>/g, ' ').slice(0, 900)}`);
    if (of !== '') assert.ok(text.includes(`value="${of}"`), 'what was typed is kept');
  }
  const keyOf = async () => /name="key" value="([^"]+)"/.exec((await load(newHold)).text)![1]!;
  for (const text of ['oldest', fieldText('Twin', twin), 'available usd']) {
    assert.equal((await hold(text, await keyOf())).status, 303, text);
  }
  const { _embedded: made } = await shared.get(`${customer}/holds`);
  assert.deepEqual(
    made.holds.map(({ _links }: { _links: { from?: { href: string } } }) => _links.from && idOf(_links.from.href)),
    [undefined, twin, oldest],
  );

  const asked = new URLSearchParams({
    customer: id,
    from: 'oldest',
    to: fieldText('Twin', other),
    amount: '7.00',
    currency: 'USD',
  });
  const confirm = (await load(`/console/money/move?${asked}`)).text;
  const hidden = Object.fromEntries(
    [...confirm.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
  assert.deepEqual([hidden.from, hidden.to], [oldest, other], 'ids, because names change');
  const moved = await submit('/console/money/move', hidden);
  assert.equal(moved.status, 303, moved.text.replace(/<[^>]+>/g, ' ').slice(0, 900));
  assert.equal((await shared.get(`/labels/${other}`)).amount.value, '7.00');
  asked.set('to', 'Twin');
  assert.match((await load(`/console/money/move?${asked}`)).text, /More than one label has the name “Twin”/);
  const back = (await load(`/console/money/move?${new URLSearchParams({ customer: id, from: oldest })}`)).text;
  assert.ok(back.includes(`value="${fieldText('Oldest', oldest)}"`), 'an id is shown as a name');
});

test('suggestions and ledgers are shown to people who read money only', async () => {
  const customer = await shared.newCustomer();
  const reviewer = await openSession(shared, 'reviewer');
  assert.equal((await reviewer.load(`/console/customers/${idOf(customer)}/labels/choices?search=a`)).status, 403);
  assert.equal((await load('/console/customers/01890000-0000-7000-8000-000000000000/labels/choices')).status, 404);
});

test('the ledger of a customer shows the transfers of one label, and the ledger of a label those with another', async () => {
  const customer = await shared.newCustomer({ available: '100.00' });
  const path = `/console/customers/${idOf(customer)}/ledger`;
  const newLabel = async (name: string, value: string) =>
    shared.create(`${customer}/labels`, { name, amount: { value, currency: 'USD' } });
  const [taxes, rent, spare] = [await newLabel('Taxes', '30.00'), await newLabel('Rent', '20.00'), await newLabel('Spare', '0')];
  const move = async (from: string, to: string, value: string, reference: string) =>
    idOf(await shared.create('/label-reallocations', { ...shared.reallocation(from, to, value), reference }));
  const first = await move(taxes, rent, '1.00', 'June');
  const second = await move(rent, spare, '2.00', 'July');
  const third = await move(spare, taxes, '0.50', 'August');
  const listed = async (query: string, page = path) => {
    const { text, status } = await load(`${page}?${query}`);
    assert.equal(status, 200);
    return [...text.matchAll(/href="\/console\/money\/transfers\/([0-9a-f-]{36})"/g)].map(([, id]) => id!);
  };
  const withTaxes = await listed(`label=${idOf(taxes)}`);
  assert.deepEqual([withTaxes.length, ...withTaxes.slice(0, 2)], [3, third, first], 'both, and what made it');
  assert.deepEqual(await listed('label=taxes&text=jun'), [first]);
  assert.deepEqual((await listed('label=Rent')).slice(0, 2), [second, first]);
  assert.match((await load(`${path}?label=gone`)).text, /The label does not exist any more/);
  const csv = (await load(`${path}.csv?label=${idOf(spare)}`)).text.trimEnd().split('\r\n');
  assert.deepEqual(
    csv.slice(1).map((line) => line.split(',')[1]),
    [third, second],
  );
  const ofTaxes = `/console/money/accounts/${idOf(taxes)}`;
  assert.deepEqual(await listed(`label=${idOf(rent)}`, ofTaxes), [first]);
  assert.deepEqual(await listed('label=spare', ofTaxes), [third]);
  assert.ok(!(await load(ofTaxes)).text.includes(`<option value="${idOf(taxes)}"`), 'never with itself');
});

test('the transfers of a label are paged by its entries', async () => {
  const customer = await shared.newCustomer({ available: '100.00' });
  const path = `/console/customers/${idOf(customer)}/ledger`;
  const label = await shared.create(`${customer}/labels`, { name: 'Busy', amount: { value: '0', currency: 'USD' } });
  for (let count = 0; count < 60; count++) {
    await shared.create(`${label}/ledger-entries`, { amount: { value: '0.01', currency: 'USD' } });
    if (count % 10 === 0) await shared.create(`${customer}/deposits`, { amount: { value: '1.00', currency: 'USD' } });
  }
  const seen: string[] = [];
  for (let page: string | undefined = `${path}?label=busy`; page !== undefined; ) {
    const { text } = await load(page);
    seen.push(...[...text.matchAll(/href="\/console\/money\/transfers\/([0-9a-f-]{36})"/g)].map(([, id]) => id!));
    page = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  const { total } = await shared.get(`${label}/ledger-entries`);
  assert.deepEqual([seen.length, new Set(seen).size], [total, total]);
});
