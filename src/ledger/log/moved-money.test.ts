// The entries of the transparency log for captures, returns, debts and scheduled reallocations: each transfer has one with its money.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { coveredLog, readLog } from '../../../test/support/logs.ts';
import { runCli } from '../../../test/support/process.ts';
import { openLabels, startService } from '../../../test/support/service.ts';

const shared = await startService({ after });

test('the log has the money of captures, returns, debts and scheduled reallocations', async (t) => {
  const account = await openLabels(shared);
  const { create, call, customer, from, to } = account;
  const { size } = await coveredLog(account);
  const usd = (value: string) => ({ amount: { value, currency: 'USD' } });
  const ofLabel = await create(`${customer}/holds`, { _links: { from: { href: from } }, ...usd('5.00') });
  await create(`${ofLabel}/captures`, { _links: { to: { href: to } }, ...usd('2.00') });
  await create(`${ofLabel}/captures`, {});
  const ofAvailable = await create(`${customer}/holds`, usd('4.00'));
  await create(`${ofAvailable}/captures`, { _links: { to: { href: to } } });
  const deposit = await create(`${customer}/deposits`, usd('50.00'));
  const payout = await create(`${customer}/withdrawals`, usd('900.00'));
  await create(`${payout}/returns`, { reason: 'R03', ...usd('6.00') });
  await create(`${customer}/withdrawals`, usd('all'));
  await create(`${deposit}/returns`, { reason: 'R01', shortfall: 'owe' });
  await create(`${customer}/deposits`, usd('30.00'));
  const start = new Date(Date.now() + 600_000).toISOString().slice(0, 19);
  const links = { _links: { from: { href: to }, to: { href: from } } };
  await create(`${customer}/schedules`, { ...links, ...usd('5.00'), rule: 'FREQ=DAILY;COUNT=1', start, timeZone: 'UTC' });
  assert.equal((await call('POST', '/sandbox/clock', { body: { advanceSeconds: 1200 } })).status, 200);
  const { entries } = await readLog(account, await coveredLog(account));
  const moved = entries.slice(size).filter(({ amount }) => amount !== undefined);
  assert.deepEqual(
    moved.map(({ topic, amount }) => [topic.replace('customer_', ''), amount]),
    [
      ['label_reallocation_created', '2.00'],
      ['withdrawal_created', '3.00'],
      ['label_ledger_entry_created', '4.00'],
      ['deposit_created', '50.00'],
      ['withdrawal_created', '900.00'],
      ['withdrawal_returned', '6.00'],
      ['withdrawal_created', '52.00'],
      ['owed_entry_created', '50.00'],
      ['deposit_returned', '50.00'],
      ['deposit_created', '30.00'],
      ['owed_entry_created', '30.00'],
      ['label_reallocation_created', '5.00'],
    ],
  );
  const { client_id, client_secret, account_id } = account.client;
  const { log } = await account.get(`${account.url}/accounts/${account_id}`);
  const env = { EARMARK_CLIENT_ID: client_id, EARMARK_CLIENT_SECRET: client_secret };
  const audited = await runCli(t, ['audit', '--url', account.url, '--account', account_id, '--key', log.key], env);
  assert.equal(audited.code, 0, audited.stdout + audited.stderr);
});
