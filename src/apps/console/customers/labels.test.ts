// All labels of a customer, and what moved last, each by the rights of the person.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const MANY = 53;
const SHOWN_ON_PAGE = 10;

const shared = await startService({ after });

test('the page of a customer shows its largest labels, and another page finds all of them', async () => {
  const customer = await shared.newCustomer({ available: '100.00' });
  const page = `/console/customers/${idOf(customer)}`;
  const [finance, reviewer] = [await openSession(shared, 'finance'), await openSession(shared, 'reviewer')];
  assert.match((await finance.load(`${page}/labels`)).text, /No labels/);
  const made: string[] = [];
  for (let count = 0; count < MANY; count++) {
    const name = count === 0 ? 'Sales tax' : `Pocket ${count}`;
    made.push(
      await shared.create(`${customer}/labels`, { name, amount: { value: count === 0 ? '9.00' : '0.01', currency: 'USD' } }),
    );
  }
  const { text } = await finance.load(page);
  const listed = (text: string) => [...text.matchAll(/href="\/console\/money\/accounts\/([0-9a-f-]{36})">(?:Sales|Pocket)/g)];
  const card = text.slice(text.indexOf('<h2>Labels</h2>'), text.indexOf('<h2>Recent activity</h2>'));
  assert.equal(listed(card).length, SHOWN_ON_PAGE);
  assert.ok(card.includes('Sales tax') && card.includes(`the largest ${SHOWN_ON_PAGE} of ${MANY}`), 'the largest is there');
  assert.ok(card.includes(`href="${page}/labels"`));
  const first = (await finance.load(`${page}/labels`)).text;
  const next = /href="([^"]+)" rel="next"/.exec(first)![1]!.replaceAll('&amp;', '&');
  const second = (await finance.load(next)).text;
  const ids = [...listed(first), ...listed(second)].map(([, id]) => id);
  assert.deepEqual(ids, made.map(idOf).reverse());
  const found = (await finance.load(`${page}/labels?search=TAX`)).text;
  assert.deepEqual(
    listed(found).map(([, id]) => id),
    [idOf(made[0]!)],
  );
  assert.match((await finance.load(`${page}/labels?search=nothing`)).text, /No label matches/);
  assert.doesNotMatch((await reviewer.load(`${page}/labels`)).text, /money\/accounts/, 'a reviewer opens no ledger');
  assert.equal((await finance.load('/console/customers/01890000-0000-7000-8000-000000000000/labels')).status, 404);
  const ledger = (await finance.load(`${page}/ledger`)).text;
  assert.match(ledger, /<summary>\d+ more<\/summary>/, 'the filter is near the top');
});

test('the page of a customer shows deposits and withdrawals among what moved last, to people who read money', async () => {
  const customer = await shared.newCustomer();
  const page = `/console/customers/${idOf(customer)}`;
  const finance = await openSession(shared, 'finance');
  assert.match((await finance.load(page)).text, /Nothing has moved/);
  const deposit = await shared.create(`${customer}/deposits`, {
    amount: { value: '7.00', currency: 'USD' },
    reference: 'Order 12',
  });
  await shared.create(`${customer}/withdrawals`, { amount: { value: '2.00', currency: 'USD' } });
  const { text } = await finance.load(page);
  assert.match(text, /Recent activity[\s\S]*Withdrawal[\s\S]*Deposit[\s\S]*Order 12/);
  assert.ok(text.includes(`href="/console/money/transfers/${idOf(deposit)}"`));
  const reviewer = await openSession(shared, 'reviewer');
  assert.doesNotMatch((await reviewer.load(page)).text, /Order 12|Recent activity/);
});

test('finance makes a label, once per form, which is in the audit log; nobody else does', async () => {
  const customer = await shared.newCustomer({ available: '5.00' });
  const page = `/console/customers/${idOf(customer)}`;
  const [finance, viewer] = [await openSession(shared, 'finance'), await openSession(shared, 'viewer')];
  assert.ok((await finance.load(page)).text.includes(`href="${page}/labels/new"`));
  assert.ok(!(await viewer.load(page)).text.includes('/labels/new'));
  assert.equal((await viewer.load(`${page}/labels/new`)).status, 403);
  const form = (await finance.load(`${page}/labels/new`)).text;
  const key = /<input[^>]*name="key"[^>]*>/.exec(form)![0].match(/value="([^"]+)"/)![1]!;
  for (const [wrong, word] of [
    [{ name: '', currency: 'USD' }, /name/i],
    [{ name: 'Tax', currency: 'ZZZ' }, /currency/i],
  ] as const) {
    const { status, text } = await finance.submit(`${page}/labels/new`, { ...wrong, key });
    assert.deepEqual([status, word.test(text)], [400, true], JSON.stringify(wrong));
  }
  for (let count = 0; count < 2; count++) {
    const made = await finance.submit(`${page}/labels/new`, { name: 'Sales tax', currency: 'USD', key });
    assert.deepEqual([made.status, made.headers.location], [303, `${page}?done=labelled#planned`], made.text.slice(-400));
  }
  const { _embedded: listed, total } = await shared.get(`${customer}/labels`);
  assert.deepEqual([total, listed.labels[0].name, listed.labels[0].amount.value], [1, 'Sales tax', '0.00']);
  const [entry] = await listAudit(shared.sql, { operatorId: finance.operator.id, action: 'create_label' }, 1);
  assert.equal(entry!.resourceId, listed.labels[0].id);
  assert.doesNotMatch(JSON.stringify(await listAudit(shared.sql, { operatorId: finance.operator.id }, 9)), /Sales tax/);
  assert.equal((await viewer.submit(`${page}/labels/new`, { name: 'Sales tax', currency: 'USD', key })).status, 403);
});

test('finance renames a label, and removes an empty one, once per form, which is in the audit log; nobody else does', async () => {
  const customer = await shared.newCustomer({ available: '5.00' });
  const page = `/console/customers/${idOf(customer)}`;
  const [finance, viewer] = [await openSession(shared, 'finance'), await openSession(shared, 'viewer')];
  const url = await shared.create(`${customer}/labels`, { name: 'Taxes', amount: { value: '2.00', currency: 'USD' } });
  const [id, ledger, own] = [idOf(url), `/console/money/accounts/${idOf(url)}`, `${page}/labels/${idOf(url)}`];
  const keyOn = async (path: string) => /name="key" value="([^"]+)"/.exec((await finance.load(path)).text)![1]!;
  const shown = (await finance.load(ledger)).text;
  assert.ok(shown.includes(`href="${own}/rename"`) && !shown.includes(`href="${own}/remove"`), 'it has money');
  const form = (await finance.load(`${own}/rename`)).text;
  assert.ok(form.includes('value="Taxes"'));
  const key = await keyOn(`${own}/rename`);
  assert.equal((await finance.submit(`${own}/rename`, { name: ' ', key })).status, 400);
  for (let count = 0; count < 2; count++) {
    const renamed = await finance.submit(`${own}/rename`, { name: 'Sales tax', key });
    assert.deepEqual([renamed.status, renamed.headers.location], [303, `${page}?done=renamed`], renamed.text.slice(-400));
  }
  assert.equal((await shared.get(url)).name, 'Sales tax');
  const early = await finance.submit(`${own}/remove`, { key: await keyOn(`${own}/remove`) });
  assert.deepEqual([early.status, /must be zero/.test(early.text)], [403, true], 'it has money');
  await shared.create(`${url}/ledger-entries`, { amount: { value: '-2.00', currency: 'USD' } });
  assert.ok((await finance.load(ledger)).text.includes(`href="${own}/remove"`));
  for (const path of [`${own}/rename`, `${own}/remove`]) {
    assert.equal((await viewer.load(path)).status, 403);
    assert.equal((await viewer.submit(path, { name: 'Mine', key })).status, 403);
    const elsewhere = path.replace(idOf(customer), idOf(await shared.newCustomer()));
    assert.equal((await finance.load(elsewhere)).status, 404, 'a label of another customer');
  }
  const last = await keyOn(`${own}/remove`);
  const removed = await finance.submit(`${own}/remove`, { key: last });
  assert.deepEqual(
    [removed.status, removed.headers.location],
    [303, `${page}?done=unlabelled#planned`],
    removed.text.slice(-400),
  );
  assert.equal((await shared.call('GET', url)).status, 404);
  const after = (await finance.load(ledger)).text;
  assert.ok(after.includes('removed') && !after.includes(`href="${own}/rename"`), 'its ledger stays');
  const audited = await listAudit(shared.sql, { operatorId: finance.operator.id, resourceId: id }, 9);
  assert.deepEqual(new Set(audited.map(({ action }) => action)), new Set(['remove_label', 'rename_label']));
  const { _embedded: found } = await shared.get('/events?limit=3');
  assert.ok(found.events.some(({ topic }: { topic: string }) => topic === 'customer_label_removed'));
});
