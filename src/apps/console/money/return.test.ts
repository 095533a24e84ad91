// Returns in the console: a confirmation with the balances afterwards, what is owed, once per form.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { openReturns } from '../../../../test/support/returns.ts';
import { startService } from '../../../../test/support/service.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after });

const REASON = 'R01 insufficient funds';

/** The fields of the form that a confirmation sends. */
function sentBy(text: string): Record<string, string> {
  const form = /<form method="post" action="[^"]*\/return">(.*?)<\/form>/s.exec(text)![1]!;
  const fields = [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name, value]));
}

const rowsOf = (text: string) =>
  [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    row!
      .replaceAll(/<[^>]+>/g, ' ')
      .trim()
      .split(/\s{2,}|\s(?=[+−\d])/),
  );

test('the return of a spent deposit shows what each account gives and what is owed, and is recorded once', async () => {
  const { deposit, divide, spend, balances, owed, verified, customer } = await openReturns(shared);
  await divide();
  const made = await deposit('100');
  await spend('40');
  const { load, submit, operator } = await openSession(shared, 'finance');
  const path = `/console/money/transfers/${made.id}`;
  assert.ok((await load(path)).text.includes(`href="${path}/return"`));
  assert.match((await load(`${path}/return`)).text, /value="100\.00"/, 'all of it is offered');
  const query = new URLSearchParams({ amount: '', reason: REASON, externalId: 'bank-line-7', reference: '' });
  const { text } = await load(`${path}/return?${query}`);
  assert.match(text, /The customer has only 60\.00 USD of it/);
  assert.deepEqual(
    rowsOf(text)
      .slice(1)
      .map((cells) => cells.slice(-3)),
    [
      ['10.00', '−10.00', '0.00'],
      ['20.00', '−20.00', '0.00'],
      ['30.00', '−30.00', '0.00'],
      ['0.00', '−40.00', '−40.00'],
    ],
  );
  assert.deepEqual([await balances(), await owed()], [['10.00', '30.00', '20.00'], undefined], 'nothing is recorded yet');
  const form = sentBy(text);
  const [first, second] = [await submit(`${path}/return`, form), await submit(`${path}/return`, form)];
  assert.deepEqual([first.status, first.headers.location], [303, second.headers.location], first.text);
  assert.deepEqual([await balances(), await owed()], [['0.00', '0.00', '0.00'], '40.00']);
  const shown = (await load(first.headers.location!)).text;
  assert.ok(shown.includes('The return is recorded.') && shown.includes(REASON) && shown.includes('bank-line-7'));
  assert.ok((await load(path)).text.includes('>returned<') && !(await load(path)).text.includes(`${path}/return"`));
  assert.match((await load(`${path}/return`)).text, /All of it is returned already/);
  const [moved] = await listAudit(shared.sql, { operatorId: operator.id, action: 'move_money' }, 5);
  assert.equal(moved!.detail.returns, made.id);
  const log = JSON.stringify(await listAudit(shared.sql, { operatorId: operator.id }, 20));
  assert.ok(!log.includes(REASON) && !log.includes('bank-line-7'), 'these texts can be erased');

  assert.match((await load(`/console/customers/${idOf(customer)}`)).text, /40\.00 USD owed/);
  const ledger = (await load(`/console/customers/${idOf(customer)}/ledger`)).text;
  const account = /accounts\/([0-9a-f-]{36})">Owed</.exec(ledger)![1]!;
  const page = (await load(`/console/money/accounts/${account}`)).text;
  assert.ok(page.includes('the customer owes this') && page.includes('>Debt<'));
  await verified();
});

test('a return needs the debt to be confirmed, and money that was there at the question', async () => {
  const { deposit, spend, owed } = await openReturns(shared);
  const made = await deposit('100');
  const { load, submit } = await openSession(shared, 'finance');
  const path = `/console/money/transfers/${made.id}/return`;
  const { text } = await load(`${path}?${new URLSearchParams({ amount: '80', reason: REASON })}`);
  assert.ok(!text.includes('is owed'));
  await spend('60');
  const late = await submit(path, sentBy(text));
  assert.equal(late.status, 400);
  assert.ok(late.text.includes('Insufficient funds: 40.00 USD available.') && late.text.includes(`value="${REASON}"`));
  assert.equal(await owed(), undefined);
});

test('a withdrawal comes back to its label; wrong input and other roles are refused', async () => {
  const { deposit, divide, spend, create, customer, taxes, get } = await openReturns(shared);
  await divide();
  await deposit('100');
  const finance = await openSession(shared, 'finance');
  const paid = await create(`${customer}/withdrawals`, {
    _links: { from: { href: taxes } },
    amount: { value: '10.00', currency: 'USD' },
  });
  const path = `/console/money/transfers/${idOf(paid)}/return`;
  const ask = async (fields: Record<string, string>) => (await finance.load(`${path}?${new URLSearchParams(fields)}`)).text;
  for (const [fields, fault] of [
    [{ amount: '10.01', reason: REASON }, /Only 10\.00 USD is not returned yet/],
    [{ amount: '0', reason: REASON }, /greater than zero/],
    [{ amount: '1,5', reason: REASON }, /is ambiguous/],
    [{ amount: '1', reason: ' ' }, /Give the reason of the bank/],
    [{ amount: '1', reason: 'a\nb' }, /one line of text/],
    [{ amount: '1', reason: REASON, externalId: 'a b' }, /visible ASCII/],
  ] as const)
    assert.match(await ask(fields), fault);
  const before = Number((await get(taxes)).amount.value);
  const text = await ask({ amount: '4', reason: REASON });
  assert.equal((await finance.submit(path, sentBy(text))).status, 303);
  assert.equal(Number((await get(taxes)).amount.value), before + 4);
  assert.match(await ask({ edit: 'yes', reason: REASON, amount: '2.50' }), /value="2\.50"/, 'Back keeps what was typed');
  const viewer = await openSession(shared, 'viewer');
  assert.deepEqual([(await viewer.load(path)).status, (await viewer.submit(path, sentBy(text))).status], [403, 403]);
  const label = await finance.load(`/console/money/transfers/${idOf(customer)}/return`);
  assert.equal(label.status, 404);
  await spend('1');
});
