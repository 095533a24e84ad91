// The bank of a simulated account: what the model moved in and out, as a file that `earmark reconcile` compares with the ledger.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Body, idOf } from '../support/http.ts';
import { runCli, settingsOf } from '../support/process.ts';
import { type Account, amountOf, type Customer } from './model.ts';
import type { World } from './world.ts';

/** `amount`: in minor units, positive if money came in. */
type Line = { url: string; amount: number; reference: string };

const CURRENCY = 'USD';
const PAGE = 200;
const MAP = 'date=date;amount=amount;reference=reference;balance=balance';

/** A file with every movement of the model matches the ledger, with its balances. */
export async function assertReconciled(world: World, account: Account): Promise<void> {
  const lines: (Line & { created: string })[] = [];
  for (const customer of account.customers) {
    const created = await timesOf(world, account, customer);
    for (const line of linesOf(customer)) lines.push({ ...line, created: created.get(idOf(line.url))! });
  }
  if (lines.length === 0) return;
  lines.sort((one, other) => (one.created < other.created ? -1 : 1));
  let balance = 0;
  const rows = lines.map(({ created, amount, reference }) => {
    balance += amount;
    return [created.slice(0, 10), amountOf(amount, CURRENCY).value, reference, amountOf(balance, CURRENCY).value].join(',');
  });
  const found = await reconcile(world, account, ['date,amount,reference,balance', ...rows].join('\n'));
  const [currency] = found.currencies;
  assert.deepEqual(
    [found.code, found.different, found.onlyAtBank, found.onlyInLedger, currency.matched.count, currency.ledger.closing],
    [0, [], [], [], lines.length, amountOf(balance, CURRENCY).value],
  );
}

function linesOf({ deposits, withdrawals, returns }: Customer): Line[] {
  const signed = [
    ...deposits.map((one) => ({ ...one, sign: 1 })),
    ...withdrawals.map((one) => ({ ...one, sign: -1 })),
    ...returns.map((one) => ({ reference: undefined, ...one, sign: one.of === 'deposit' ? -1 : 1 })),
  ];
  return signed
    .filter(({ currency }) => currency === CURRENCY)
    .map(({ url, amount, sign, externalId, reference = '' }) => ({
      url,
      amount: sign * amount,
      reference: externalId ?? reference,
    }));
}

/** When each transfer of a customer was made, by its id. */
async function timesOf(world: World, account: Account, customer: Customer): Promise<Map<string, string>> {
  const times = new Map<string, string>();
  for (let page: string | undefined = `${customer.url}/transfers?limit=${PAGE}`; page !== undefined; ) {
    const { _links, _embedded }: Body = await world.get(account, page);
    for (const { id, created } of _embedded.transfers) times.set(id, created);
    page = _links.next?.href;
  }
  return times;
}

async function reconcile(world: World, account: Account, text: string): Promise<Body> {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-simulate-'));
  try {
    const file = join(folder, 'bank.csv');
    writeFileSync(file, text);
    const args = ['reconcile', file, '--account', account.client.account_id, '--json', '--map', MAP, '--currency', CURRENCY];
    const { code, stdout, stderr } = await runCli(world.scope, args, settingsOf(world.service()));
    assert.ok(stdout.startsWith('{'), stderr);
    return { code, ...JSON.parse(stdout) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
