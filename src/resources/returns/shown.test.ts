// Tests of what else shows returns: statements, exports, the console, reconciliation, webhooks, and the reset of a sandbox.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { type Body, idOf } from '../../../test/support/http.ts';
import { openSession } from '../../../test/support/operators.ts';
import { readPdf } from '../../../test/support/pdf.ts';
import { runCli, runCliJson, settingsOf } from '../../../test/support/process.ts';
import { openReturns } from '../../../test/support/returns.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const folder = mkdtempSync(join(tmpdir(), 'earmark-returns-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const env = { ...settingsOf(shared), PUBLIC_URL: shared.url };

/** 100.00 divided, 40.00 spent and 10.00 of them back, all returned, so that 30.00 are owed, and 20.00 of them paid. */
async function openShown() {
  const account = await openReturns(shared);
  await account.divide();
  const made = await account.deposit('100');
  const payout = await account.spend('40');
  const rejected = await account.returned(payout, { amount: usd('10'), externalId: 'rejected' });
  const back = await account.returned(made, { shortfall: 'owe', externalId: 'bounced', reference: 'order 1' });
  const next = await account.deposit('20');
  return { ...account, made, payout, rejected, back, next, month: new Date().toISOString().slice(0, 7) };
}

test('statements have the entries of returns, and what is owed as a separate account', async () => {
  const { get, call, customer, month, back, rejected, next } = await openShown();
  const statement = await get(`${customer}/statements/${month}`);
  const numbers = statement.accounts.map(({ kind, opening, totalIn, totalOut, closing }: Body) => [
    ...[kind, opening.value, totalIn.value, totalOut.value, closing.value],
  ]);
  assert.deepEqual(numbers, [
    ['available', '0.00', '210.00', '210.00', '0.00'],
    ['label', '0.00', '30.00', '30.00', '0.00'],
    ['label', '0.00', '20.00', '20.00', '0.00'],
    ['owed', '0.00', '20.00', '30.00', '-10.00'],
  ]);
  const [available, , , owed] = statement.accounts;
  const entryOf = (account: Body, kind: string): Body =>
    account._embedded['ledger-entries'].find((entry: Body) => entry.kind === kind);
  assert.deepEqual(entryOf(available, 'deposit-return')._links, { return: back._links.self, deposit: back._links.deposit });
  assert.deepEqual(entryOf(available, 'withdrawal-return')._links, {
    return: rejected._links.self,
    withdrawal: rejected._links.withdrawal,
  });
  const debt = entryOf(owed, 'debt');
  assert.deepEqual([debt.amount.value, debt.balance.value], ['-30.00', '-30.00']);
  assert.deepEqual(debt._links, { return: back._links.self, 'owed-entry': back._links['owed-entry'] });
  assert.deepEqual(entryOf(owed, 'repayment')._links, {
    deposit: next._links.self,
    'owed-entry': next._links['owed-entry'],
  });

  const csv = (await call('GET', `${customer}/statements/${month}`, { headers: { accept: 'text/csv' } })).text.split('\r\n');
  const lineOf = (kind: string, amount: string) => csv.find((line) => line.includes(`,${kind},`) && line.includes(`,${amount},`));
  assert.match(lineOf('deposit-return', '-100.00')!, /,deposit-return,order 1,-100\.00,0\.00,,bounced$/);
  for (const [kind, amount] of [
    ['recovery', '30.00'],
    ['debt', '30.00'],
    ['repayment', '-20.00'],
  ] as const)
    assert.ok(lineOf(kind, amount), kind);
  const closing = csv.filter((line) => line.startsWith('closing,'));
  assert.match(closing.at(-1)!, /^closing,USD,,Owed,,2,,,,,,-10\.00,/);
});

test('a statement as PDF names returns in words', async () => {
  const { token, customer, month, create } = await openShown();
  await create(`${customer}/labels`, { name: 'Owed', amount: usd('0') });
  const headers = { accept: 'application/pdf', authorization: `Bearer ${token}` };
  const bytes = await (await fetch(`${customer}/statements/${month}`, { headers })).arrayBuffer();
  const text = (await readPdf(new Uint8Array(bytes))).map((page) => page.text).join(' ');
  for (const words of [
    'Returned deposit',
    'Returned withdrawal',
    'Taken for a returned deposit',
    'Payment of what was owed',
    'Owed by the customer',
    'The totals are less what the customer owes.',
  ])
    assert.ok(text.includes(words), `${words} in ${text}`);
  assert.match(text, /Total less what is owed\s+USD\s+0\.00\s+−10\.00/);
});

test('exports have returns, and the owed accounts that were ever used', async (t) => {
  const { client, newCustomer, customer } = await openShown();
  await newCustomer({ available: '1.00' });
  const read = async (kind: string): Promise<Body[]> => {
    const output = join(folder, `${kind}-${client.account_id}`);
    const options = ['--account', client.account_id, '--format', 'ndjson', '--output', output];
    // What is dated in the last minute is not exported.
    await shared.send('POST', '/sandbox/clock', { token: client.token, body: { advanceSeconds: 300 } });
    const { files } = await runCliJson<{ files: string[] }>(t, ['export', kind, ...options], env);
    const lines = files.flatMap((file) => readFileSync(join(output, file), 'utf8').trimEnd().split('\n'));
    return lines.map((line) => JSON.parse(line));
  };
  const transfers = await read('transfers');
  const sides = (kind: string) => {
    const { fromKind, toKind, amount, externalId } = transfers.find((row) => row.kind === kind)!;
    return [fromKind, toKind, amount, externalId];
  };
  assert.deepEqual(sides('deposit-return'), ['available', 'external', '100.00', 'bounced']);
  assert.deepEqual(sides('withdrawal-return'), ['external', 'available', '10.00', 'rejected']);
  assert.deepEqual(sides('debt'), ['owed', 'available', '30.00', null]);
  const owed = (await read('balances')).filter(({ accountKind }) => accountKind === 'owed');
  assert.deepEqual(
    owed.map((row) => [row.customer, row.balance]),
    [[idOf(customer), '-10.00']],
  );
});

test('the console shows the returns of a transfer, what they took, and links both ways', async () => {
  const { made, back, next, customer } = await openShown();
  const { load } = await openSession(shared, 'viewer');
  const pageOf = async (one: Body | string) =>
    (await load(`/console/money/transfers/${typeof one === 'string' ? one : one.id}`)).text;
  const href = (one: Body) => `href="/console/money/transfers/${one.id}"`;
  const deposit = await pageOf(made);
  assert.ok(deposit.includes('Returned by') && deposit.includes(href(back)) && deposit.includes('>returned<'), deposit);
  const page = await pageOf(back);
  for (const words of ['Return of a deposit', 'Reason', 'R01', 'Taken from labels', 'Recorded as owed'])
    assert.ok(page.includes(words), words);
  assert.ok(page.includes(href(made)), 'a link to the deposit');
  const debt = await pageOf(idOf(back._links['owed-entry'].href));
  assert.ok(debt.includes('Taken for the return') && debt.includes(href(back)));
  const paid = await pageOf(idOf(next._links['owed-entry'].href));
  assert.ok(paid.includes('Paid by the deposit') && paid.includes(href(next)));
  assert.ok((await load(`/console/customers/${idOf(customer)}`)).text.includes('10.00 USD owed'));
});

test('reconciliation matches each return with its line at the bank, also when a part is owed', async (t: TestContext) => {
  const { client } = await openShown();
  const today = new Date().toISOString().slice(0, 10);
  const file = join(folder, `${client.account_id}.csv`);
  const lines = [
    ['100.00', 'in 1', '100.00'],
    ['-40.00', 'out', '60.00'],
    ['10.00', 'rejected', '70.00'],
    ['-100.00', 'bounced', '-30.00'],
    ['20.00', 'in 2', '-10.00'],
  ];
  writeFileSync(file, ['date,amount,reference,balance', ...lines.map((line) => [today, ...line].join(','))].join('\n'));
  const map = 'date=date;amount=amount;reference=reference;balance=balance';
  const ended = await runCli(
    t,
    ['reconcile', file, '--account', client.account_id, '--map', map, '--currency', 'USD', '--json'],
    env,
  );
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  const { matched, currencies } = JSON.parse(ended.stdout) as Body;
  const pairs = matched.map(({ movements, lines: [line] }: Body) => `${line.amount.value} ${movements[0].kind}`);
  assert.deepEqual(pairs.sort(), [
    '-100.00 deposit-return',
    '-40.00 withdrawal',
    '10.00 withdrawal-return',
    '100.00 deposit',
    '20.00 deposit',
  ]);
  assert.deepEqual([currencies[0].ledger.closing, currencies[0].unexplained], ['-10.00', '0.00']);
});

test('reconciliation finds a return without a reference by that of its original', async (t: TestContext) => {
  const { client, customer, create, returned } = await openReturns(shared);
  const made = await create(`${customer}/deposits`, { amount: usd('100'), reference: 'order 4712' });
  await returned(made, { reason: 'R01 insufficient funds', externalId: 'bank-line-1' });
  const today = new Date().toISOString().slice(0, 10);
  const run = async (name: string, lines: string[], ...more: string[]): Promise<Body> => {
    const file = join(folder, `${client.account_id}-${name}.csv`);
    writeFileSync(file, ['date,amount,reference', ...lines.map((line) => `${today},${line}`)].join('\n'));
    const ended = await runCli(
      t,
      ['reconcile', file, '--account', client.account_id, '--currency', 'USD', '--json', ...more],
      env,
    );
    assert.equal(ended.stderr, '');
    return JSON.parse(ended.stdout);
  };
  const back = '-100.00,Return order 4712 R01 insufficient funds';
  const kindsOf = ({ matched }: Body) => matched.map(({ by, movements: [{ kind }] }: Body) => `${kind} by ${by}`).sort();
  const both = await run('both', ['100.00,order 4712', back]);
  assert.deepEqual([kindsOf(both), both.complete], [['deposit by reference', 'deposit-return by reference'], true]);
  const kept = join(folder, `${client.account_id}.json`);
  const first = await run('first', ['100.00,order 4712'], '--save', kept);
  assert.deepEqual(
    [kindsOf(first), first.onlyInLedger.length],
    [['deposit by reference'], 1],
    'not with the line of the deposit',
  );
  const saved = JSON.parse(readFileSync(kept, 'utf8'));
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
  writeFileSync(kept, JSON.stringify({ ...saved, to: yesterday }));
  assert.deepEqual(kindsOf(await run('next', [back], '--previous', kept)), ['deposit-return by reference'], 'in the next period');
});

test('webhooks report returns and what is owed', async (t) => {
  const account = await openReturns(shared);
  const receiver = await startReceiver(t);
  const topics = ['customer_deposit_returned', 'customer_withdrawal_returned', 'customer_owed_entry_created'];
  await account.create('/webhook-subscriptions', { url: receiver.url, secret: 'a secret that you choose', topics });
  const made = await account.deposit('10');
  const payout = await account.spend('10');
  await account.returned(payout, { amount: usd('1') });
  await account.returned(made, { shortfall: 'owe' });
  await account.deposit('10');
  await waitUntil('four webhooks', () => receiver.received.length >= 4);
  const sent = receiver.received.map(({ body }) => body);
  assert.deepEqual(sent.map(({ topic }) => topic).sort(), [
    'customer_deposit_returned',
    'customer_owed_entry_created',
    'customer_owed_entry_created',
    'customer_withdrawal_returned',
  ]);
  for (const { _links } of sent) assert.equal((await account.call('GET', _links.resource.href)).status, 200);
});

test('a reset of the sandbox deletes returns and debts', async () => {
  const { call, back, customer, verified } = await openShown();
  assert.equal((await call('POST', '/sandbox/reset')).status, 200);
  assert.equal((await call('GET', back._links.self.href)).status, 404);
  assert.equal((await call('GET', `${customer}/owed-entries`)).status, 404);
  await verified();
});
