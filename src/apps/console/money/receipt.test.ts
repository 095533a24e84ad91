// The receipt of each kind of transfer: it has what the page shows, verifies with the key of the log, and only for who reads money.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { verifyReceipt } from '../../../../packages/proof/src/receipt.ts';
import { openRules, step } from '../../../../test/support/allocation-rules.ts';
import { usd } from '../../../../test/support/data.ts';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { coveredLog } from '../../../../test/support/logs.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';

const shared = await startService({ after });

test('the receipt of each kind of transfer verifies, and the log has what the page shows', async () => {
  const account = await openRules(shared);
  const { load } = await openSession(shared, 'viewer');
  const { customer, taxes, rent, newRule, deposit, create, reallocation, get } = account;
  const before = idOf(await create(`${customer}/deposits`, { amount: usd('1.00') }));
  assert.match((await load(`/console/money/transfers/${before}/receipt`)).text, /"missing":"(The account has no|No signed)/);
  await newRule([step(taxes, { percent: '10' })]);
  await deposit('100.00');
  await create(`${taxes}/ledger-entries`, { amount: usd('5.00') });
  const moved = await create('/label-reallocations', reallocation(taxes, rent, '3.00'));
  await create(`/label-reallocations/${idOf(moved)}/reversals`);
  await create(`${customer}/withdrawals`, { amount: usd('1.00') });
  await coveredLog({ ...account, send: shared.send, token: account.client.token });
  const transfers: Body[] = (await get(`${customer}/transfers?limit=200`))._embedded.transfers;
  assert.equal(transfers.length, 7);
  for (const { id, kind } of transfers) {
    const path = `/console/money/transfers/${id}`;
    const { receipt, keys, missing } = JSON.parse((await load(`${path}/receipt`)).text);
    assert.equal(missing, undefined, `${kind}: ${missing}`);
    const verified = await verifyReceipt(receipt, { key: keys[0] });
    assert.ok(verified.holds, kind);
    const shown = /data-receipt="([^"]+)"/.exec((await load(path)).text)![1]!.replaceAll('&quot;', '"');
    for (const [name, value] of Object.entries(JSON.parse(shown)))
      assert.equal(verified.entry[name as 'amount'], value, `${name} of ${kind}`);
  }
  const reviewer = await openSession(shared, 'reviewer');
  assert.equal((await reviewer.load(`/console/money/transfers/${transfers[0]!.id}/receipt`)).status, 403);
  assert.equal((await load(`/console/money/transfers/${idOf(customer)}/receipt`)).status, 404);
});
